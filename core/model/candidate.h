#ifndef CORE_MODEL_CANDIDATE_H
#define CORE_MODEL_CANDIDATE_H

#include "core/base/json.h"

/* A kernel that somebody proposes: its source, and how to launch it. */
struct candidate {
    char *language; /* a name in language.h */
    char *source;
    char *plan;   /* JSON text, in the form of plan.h */
    char *remark; /* what its author says about it; Markdown, perhaps empty */
};

/* Frees the texts; all zeros afterwards. */
void candidate_release(struct candidate *candidate);
struct json *candidate_encode(const struct candidate *candidate);
enum status candidate_decode(struct candidate *candidate, const struct json_ref *at,
                             struct error *err) MUST_CHECK;

#endif
