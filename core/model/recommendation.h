#ifndef CORE_MODEL_RECOMMENDATION_H
#define CORE_MODEL_RECOMMENDATION_H

#include <stdbool.h>

#include "core/base/json.h"

/* The change that an analyst recommends when nothing is worth trying. */
#define RECOMMENDATION_NOTHING "none"

/*
 * The answer of the performance-analysis agent: one bottleneck, one change and the expected gain.
 * In JSON, `evidence` and `tags` may be lists of texts, the gain is called `expect`, and `expect`
 * and `tags` are optional.
 */
struct recommendation {
    char *bottleneck;
    char *evidence; /* "metric = value", separated by "; " */
    char *change;
    bool has_gain;
    double gain; /* expected speedup over the analysed candidate: 1.2 for 20 % */
    char *tags;  /* separated by commas */
    char *prose; /* the text around the JSON block */
};

/*
 * Read an analyst's reply: Markdown with one fenced `json` block. The error message is fit to be
 * sent back to the agent.
 */
enum status recommendation_parse(struct recommendation *recommendation, const char *reply,
                                 struct error *err) MUST_CHECK;
void recommendation_release(struct recommendation *recommendation);

#endif
