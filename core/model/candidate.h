#ifndef CORE_MODEL_CANDIDATE_H
#define CORE_MODEL_CANDIDATE_H

#include "core/base/json.h"

/* A candidate: kernel source and a plan of its launches, from an agent or the engineer. */
struct candidate {
    char *language; /* a name in language.h */
    char *source;
    char *plan;   /* JSON text, in the form of plan.h */
    char *remark; /* the author's remark in Markdown; may be empty */
    char *tuned;  /* the choice of its tunables, as its verdict names it; NULL: none, or unknown */
};

/* Free the texts; all zeros afterwards. */
void candidate_release(struct candidate *candidate);
struct json *candidate_encode(const struct candidate *candidate);
enum status candidate_decode(struct candidate *candidate, const struct json_ref *at,
                             struct error *err) MUST_CHECK;

#endif
