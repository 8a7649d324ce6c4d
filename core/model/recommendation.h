#ifndef CORE_MODEL_RECOMMENDATION_H
#define CORE_MODEL_RECOMMENDATION_H

#include <stdbool.h>

#include "core/base/json.h"

/* The change of an analyst who sees nothing left that is worth trying. */
#define RECOMMENDATION_NOTHING "none"

/*
 * What the performance-analysis agent says: one bottleneck, one change, what
 * it should gain.  In JSON `evidence` and `tags` may be lists of texts, and
 * the gain is `expect`; `expect` and `tags` may be missing.
 */
struct recommendation {
    char *bottleneck;
    char *evidence; /* "metric = value", several separated by "; " */
    char *change;
    bool has_gain;
    double gain; /* expected speedup over the analysed candidate, 1.2 for 20 % */
    char *tags;  /* separated by commas */
    char *prose; /* the text around the JSON block */
};

/* Read an analyst's reply: Markdown with one fenced `json` block. The error can be sent back. */
enum status recommendation_parse(struct recommendation *recommendation, const char *reply,
                                 struct error *err) MUST_CHECK;
void recommendation_release(struct recommendation *recommendation);

#endif
