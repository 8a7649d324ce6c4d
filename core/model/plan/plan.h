#ifndef CORE_MODEL_PLAN_PLAN_H
#define CORE_MODEL_PLAN_PLAN_H

#include "core/model/graph.h"
#include "core/model/plan/dispatch.h"

/*
 * A launch plan as an agent writes it: which kernels run, over which index
 * spaces, with which arguments, in expressions over the problem's dimensions
 * and the plan's own tunables.  There is no host code in a candidate: this is
 * all that is done with its kernels.
 *
 * Plans are strict: an unknown key, a name without a meaning or with two, and
 * a size out of range are errors that name the place, as in
 *	plan: launches[0].args[2]: no tensor, scratch, dimension or tunable "ww"
 * Options for the compiler are -DNAME, -DNAME=VALUE, -cl-... and some of
 * NVRTC's, one in each text, where {NAME} stands for the value of a dimension
 * or tunable.
 */

enum {
    PLAN_MAX_BYTES = 1 << 18, /* of its text */
    PLAN_MAX_TUNABLES = 16,
    PLAN_MAX_CHOICES = 4096,
    PLAN_MAX_SCRATCH = 64,
    PLAN_MAX_LAUNCHES = 256, /* in each of prepare and launches */
};

/* Of one launch. */
#define PLAN_MAX_WORK_ITEMS ((size_t)1 << 40)

/* A name and the values it may take. */
struct tunable {
    const char *name; /* borrowed from the document */
    const struct json *values;
};

struct plan {
    struct json *document;
    struct tunable tunables[PLAN_MAX_TUNABLES];
    size_t tunable_count;
};

/* Check the form; what the names mean is checked by plan_resolve(). */
enum status plan_parse(struct plan *plan, const char *text, size_t len,
                       struct error *err) MUST_CHECK;
void plan_release(struct plan *plan);

/* How many combinations of tunables there are; 1 where there is none. */
size_t plan_choices(const struct plan *plan);

/*
 * The values of combination `choice`, the last tunable changing fastest;
 * `bindings` has room for tunable_count.
 */
struct scope plan_scope(const struct plan *plan, size_t choice, const struct scope *dims,
                        struct binding *bindings);

/* What combination `choice` is, "TILE=16 VEC=4"; empty where there are no tunables.  The caller's.
 */
char *plan_describe_choice(const struct plan *plan, size_t choice);

/* The combination that is described so; false where there is none. */
bool plan_find_choice(const struct plan *plan, const char *description, size_t *choice);

/*
 * Make the plan concrete: `scope` is from plan_scope(), `graph` holds the
 * tensors at its dimensions.  The buffers are all inputs, params and outputs
 * in the problem's order, used or not, then the scratch; what a device has
 * room for is not looked at.  STATUS_INVALID, with the path inside the
 * plan, for every way in which a plan can be wrong: that is the verdict
 * `bad_plan`.
 */
enum status plan_resolve(const struct plan *plan, const struct graph *graph,
                         const struct scope *scope, struct dispatch *dispatch,
                         struct error *err) MUST_CHECK;

#endif
