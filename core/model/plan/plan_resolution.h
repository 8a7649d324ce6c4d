#ifndef CORE_MODEL_PLAN_PLAN_RESOLUTION_H
#define CORE_MODEL_PLAN_PLAN_RESOLUTION_H

#include "core/model/plan/plan.h"

/*
 * Shared by the two halves of plan_resolve(): buffers and options (plan_resolve.c), and launches
 * (plan_launch.c).
 */

/* The state of plan_resolve(). It includes `err` because every step may fail. */
struct resolution {
    const struct graph *graph;
    const struct scope *scope;
    struct dispatch *dispatch;
    bool in_prepare;
    struct error *err;
};

/* Evaluate an expression, which must be at least `lowest`. */
enum status resolution_expr(const struct resolution *r, const struct json_ref *at, int64_t lowest,
                            int64_t *value) MUST_CHECK;

/* Resolve a list of launches and append them. */
enum status resolution_launches(const struct resolution *r, const struct json_ref *at,
                                struct launch_list *list) MUST_CHECK;

#endif
