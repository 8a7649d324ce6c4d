#ifndef CORE_JUDGE_TASK_EXPECTATIONS_CASE_H
#define CORE_JUDGE_TASK_EXPECTATIONS_CASE_H

#include "core/model/graph.h"

enum { EXPECTATIONS_MAIN = 0 }; /* index of the case of the main dimensions */

/*
 * One set of dimensions of a problem, with the graph at these dimensions. The problem must outlive
 * it.
 */
struct expectations_case {
    struct binding *bindings; /* values of the problem's dims; owned */
    struct scope scope;       /* over `bindings` */
    struct graph graph;
    char *text;     /* "M=512 N=1024 K=768" */
    bool is_larger; /* the plan need not run at these dimensions; if it does, it must be right */
};

/*
 * Make a case that the problem names: with `also` 0 the main dimensions, else set also - 1 of its
 * "also".
 */
enum status expectations_case_known(struct expectations_case *shape, const struct problem *problem,
                                    size_t also, struct error *err) MUST_CHECK;

/* Numbers of drawn cases: one of each kind, and those of remainders. */
enum { EXPECTATIONS_KINDS = 4, EXPECTATIONS_REMAINDERS = 16 };

/* The state that all drawn cases of a problem share. */
struct expectations_draws {
    uint64_t secret; /* gives the order of the remainders */
    /* true if a case with this text exists; NULL: none exists */
    bool (*has)(const void *data, const char *text);
    const void *data;
};

/*
 * Draw the dynamic dimensions; the others keep their main values. `index` numbers the drawn cases.
 * The first four are each of a kind: (0) any values or one below a multiple, one of them up to an
 * eighth above its main value; (1) multiples of sixteen or of a larger power of two, which kernels
 * with vectors and tiles treat specially; (2) values one above multiples of a large power; (3)
 * multiples with one dimension of 1, like a batch of one. The next sixteen give each dimension each
 * remainder by sixteen once, and the first eight of them each remainder by eight, for kernels that
 * are wrong at one remainder; most of these sizes are small. In one of them all dimensions are 1,
 * and in one all are equal, if there are several. Sizes that another case has are drawn again,
 * first of the same kind and then of others, so that dimensions with few values get all of them; if
 * none is left, the case repeats known sizes.
 */
enum status expectations_case_drawn(struct expectations_case *shape, const struct problem *problem,
                                    unsigned index, const struct expectations_draws *draws,
                                    struct error *err) MUST_CHECK;

/* The number of dynamic dimensions. */
size_t expectations_case_dynamic(const struct problem *problem);

/*
 * Draw a case in which one dynamic dimension, the one with this `number` among them, is about five
 * times as large as the main value, or 4608 if that is more, because kernels may be wrong only from
 * a size on that they were not made for: the end of an array, a grid that is too small, an index in
 * 12 bits. The others are at most eight, so that the case costs little; if it would cost more, the
 * dimension is less large. `*is_drawn` is false, and `shape` is empty, if only an eighth above the
 * main value would be left.
 */
enum status expectations_case_larger(struct expectations_case *shape, const struct problem *problem,
                                     size_t number, bool *is_drawn, struct error *err) MUST_CHECK;

/* Free the case; all zeros afterwards. */
void expectations_case_release(struct expectations_case *shape);

#endif
