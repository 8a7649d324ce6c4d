#ifndef CORE_AGENT_BRIEF_H
#define CORE_AGENT_BRIEF_H

#include "core/model/candidate.h"
#include "core/model/device_info.h"
#include "core/model/problem.h"
#include "core/model/recommendation.h"
#include "core/model/roofline/bound.h"
#include "core/model/verdict.h"

/*
 * The information that an agent gets for one reply. The prompt of a language model is rendered from
 * the brief; the built-in agent reads the brief itself. A brief borrows everything.
 */

enum agent_task { TASK_GENERATE, TASK_ANALYSE };

/* "generate" or "analyse". */
const char *agent_task_name(enum agent_task task);

/* A change that was recommended and tried, with its result. */
struct brief_record {
    const char *change;
    double promised; /* the expected speedup over the candidate at that time; 0 if none was given */
    double gained;   /* the measured speedup; 0 if the new candidate was never timed */
    enum outcome outcome;
};

/*
 * A file for the analyst: an image (core/llm/image.h), or a text. Either the engineer attached it,
 * or the engineer's command took it as a picture of the candidate in a profiler.
 */
struct brief_attachment {
    const char *name; /* name of the engineer's file */
    const char *bytes;
    size_t len;
    bool is_of_candidate; /* a picture of the candidate in a profiler */
};

struct brief {
    const struct problem *problem;
    const struct device_info *device;
    const char *language; /* the language to write, a name in language.h; NULL: the device's own */
    const struct roofs *roofs;
    /* the candidate to repair or to improve; NULL if there is none, or it had no kernel */
    const struct candidate *previous;
    const char *previous_reply;    /* the latest reply as proposed; NULL at the first attempt */
    const struct verdict *verdict; /* verdict on `previous`; NULL if it was not evaluated */
    const struct recommendation *recommendation; /* the change to make; NULL for none */
    const char *const *notes; /* the engineer's words: reasons of vetoes, remarks */
    size_t note_count;
    const struct brief_record *records; /* in the order of their trials */
    size_t record_count;
    const char *const *refused; /* changes whose recommendation was vetoed or asked for again */
    size_t refused_count;
    const char *edit;      /* the engineer's changes to the previous reply, as a diff; or NULL */
    const char *reference; /* an implementation for another platform, in any language; or NULL */
    const char *reference_name;    /* the name of its file */
    const char *reference_verdict; /* the judge's verdict on it as text; NULL: it was not judged */
    bool reference_is_correct;
    const struct brief_attachment *attachments;
    size_t attachment_count;
    unsigned context;  /* the model's context: tokens of prompt and reply together; 0 if unknown */
    unsigned exchange; /* replies that the session has had so far */
    unsigned attempt;  /* the number of the attempt that the reply begins */
    bool is_unadvised; /* the session has no analyst: the writer chooses each change itself */
};

/* The language to write, a name in language.h. */
const char *brief_language(const struct brief *brief);

#endif
