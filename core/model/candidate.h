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

/*
 * The longest name or number in a source or a plan, in bytes. A compiler that looks for a name that
 * is spelled alike takes a time that grows with the square of the length.
 */
enum { CANDIDATE_NAME_MAX = 4096 };

/*
 * The error names the line of a text where a name or a number is longer. It counts letters, digits,
 * underscores and bytes beyond ASCII, also in comments.
 */
enum status candidate_check_names(const char *text, struct error *err) MUST_CHECK;

/* Free the texts; all zeros afterwards. */
void candidate_release(struct candidate *candidate);

/*
 * To JSON, which the caller owns, and back. STATUS_INVALID unless language, source and plan are
 * present.
 */
struct json *candidate_encode(const struct candidate *candidate);
enum status candidate_decode(struct candidate *candidate, const struct json_ref *at,
                             struct error *err) MUST_CHECK;

#endif
