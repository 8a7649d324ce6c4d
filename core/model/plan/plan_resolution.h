#ifndef CORE_MODEL_PLAN_PLAN_RESOLUTION_H
#define CORE_MODEL_PLAN_PLAN_RESOLUTION_H

#include "core/model/plan/plan.h"

/* The two halves of plan_resolve(): buffers and options, and launches. */

/* What resolving works with.  `err` is in here because every step may fail. */
struct resolution {
    const struct graph *graph;
    const struct scope *scope;
    struct dispatch *dispatch;
    bool in_prepare;
    struct error *err;
};

/* The value of an expression, `lowest` at least. */
enum status resolution_expr(const struct resolution *r, const struct json_ref *at, int64_t lowest,
                            int64_t *value) MUST_CHECK;

/* Append the launches of a list. */
enum status resolution_launches(const struct resolution *r, const struct json_ref *at,
                                struct launch_list *list) MUST_CHECK;

#endif
