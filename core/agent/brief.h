#ifndef CORE_AGENT_BRIEF_H
#define CORE_AGENT_BRIEF_H

#include "core/judge/device/backend.h"
#include "core/model/bound.h"
#include "core/model/candidate.h"
#include "core/model/problem.h"
#include "core/model/recommendation.h"
#include "core/model/verdict.h"

/*
 * All that an agent is told before it answers.  The prompt of a model is
 * rendered from it; the built-in agents read it as it is.  Borrows everything.
 */

enum agent_task { TASK_GENERATE, TASK_ANALYSE };

const char *agent_task_name(enum agent_task task); /* "generate", "analyse" */

/* A recommendation that was followed, and what came of it. */
struct brief_record {
    const char *change;
    double promised; /* speedup over the candidate that it was recommended for; 0 for no promise */
    double gained;   /* measured; 0 if it was never timed */
    enum outcome outcome;
};

/* What the engineer attached for the analyst: an image (core/llm/image.h), or a text. */
struct brief_attachment {
    const char *name; /* of its file, as the engineer knows it */
    const char *bytes;
    size_t len;
};

struct brief {
    const struct problem *problem;
    const struct device_info *device;
    const struct roofs *roofs;
    const struct candidate *previous; /* to repair or to improve; NULL at the first attempt */
    const char *previous_reply;       /* its text as it was proposed; also where it had no kernel */
    const struct verdict *verdict;    /* of previous; NULL if it was not evaluated */
    const struct recommendation *recommendation; /* to follow; NULL for none */
    const char *const *notes;                    /* the engineer's words: vetoes, remarks */
    size_t note_count;
    const struct brief_record *records; /* in the order in which they were tried */
    size_t record_count;
    const char *edit; /* what the engineer changed in the previous answer, as a diff; or NULL */
    const char *reference; /* the task solved for another platform, in any language; NULL: none */
    const char *reference_name; /* of its file */
    const struct brief_attachment *attachments;
    size_t attachment_count;
    unsigned context;  /* of the model: tokens of prompt and reply together; 0: not known */
    unsigned exchange; /* how many answers the session has had so far */
    unsigned attempt;  /* the number that the answer will have */
};

#endif
