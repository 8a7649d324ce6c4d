#ifndef CORE_MODEL_PLAN_PLAN_H
#define CORE_MODEL_PLAN_PLAN_H

#include "core/model/graph.h"
#include "core/model/plan/dispatch.h"

/*
 * A launch plan, written by an agent: the kernels to run, their index spaces and their arguments,
 * as expressions over the problem's dimensions and the plan's own tunables. A candidate has no host
 * code, so the plan is all that controls its kernels.
 *
 * Plans are strict: an unknown key, an unknown or ambiguous name and a size out of range are errors
 * that name the place, such as
 *	plan: launches[0].args[2]: no tensor, scratch, dimension or tunable "ww"
 *
 * Compiler options are -DNAME, -DNAME=VALUE and those that language.h lists, one per text. In them
 * {NAME} stands for the value of a dimension or tunable.
 */

enum {
    PLAN_MAX_BYTES = 1 << 22, /* bytes of the plan's text */
    PLAN_MAX_TUNABLES = 16,
    PLAN_MAX_CHOICES = 4096,
    PLAN_MAX_SCRATCH = 4096,
    PLAN_MAX_LAUNCHES = 4096, /* each in prepare and launches */
};

/* The limit for one launch. */
#define PLAN_MAX_WORK_ITEMS (INT64_C(1) << 40)

/* A parameter of the kernels and the values to try for it. */
struct tunable {
    const char *name; /* borrowed from the document */
    const struct json *values;
};

struct plan {
    struct json *document;
    struct tunable tunables[PLAN_MAX_TUNABLES];
    size_t tunable_count;
};

/* Parse a plan and check its form; else STATUS_INVALID. plan_resolve() checks the names in it. */
enum status plan_parse(struct plan *plan, const char *text, size_t len,
                       struct error *err) MUST_CHECK;
void plan_release(struct plan *plan);

/* The number of combinations of the tunables' values; 1 without tunables. */
size_t plan_choices(const struct plan *plan);

/*
 * The tunables' values in combination `choice`; the last tunable changes fastest. `bindings` has
 * room for tunable_count, and `dims` becomes the outer scope.
 */
struct scope plan_scope(const struct plan *plan, size_t choice, const struct scope *dims,
                        struct binding *bindings);

/*
 * Describe combination `choice`, "TILE=16 VEC=4"; empty without tunables. The caller frees the
 * text.
 */
char *plan_describe_choice(const struct plan *plan, size_t choice);

/* Find the combination with this description; false when there is none. */
bool plan_find_choice(const struct plan *plan, const char *description, size_t *choice);

/*
 * Resolve the plan to a dispatch. `scope` is from plan_scope(), and `graph` has the tensors at its
 * dimensions. The buffers are all inputs, params and outputs in the problem's order, used or not,
 * then the scratch; the device's memory is not checked. An invalid plan gives STATUS_INVALID and an
 * error with the path inside the plan: this is the verdict `bad_plan`.
 */
enum status plan_resolve(const struct plan *plan, const struct graph *graph,
                         const struct scope *scope, struct dispatch *dispatch,
                         struct error *err) MUST_CHECK;

#endif
