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
    char *text; /* "M=512 N=1024 K=768" */
};

/* The main dimensions, or with `also` > 0 the further set also - 1 of the problem. */
enum status expectations_case_known(struct expectations_case *shape, const struct problem *problem,
                                    size_t also, struct error *err) MUST_CHECK;

/* Tells whether there is a case with a text already. */
struct expectations_cases_known {
    bool (*has)(const void *data, const char *text);
    const void *data;
};

/*
 * Draw the dynamic dimensions; the others are the main ones. `index` counts the sets, and every
 * fourth is of the same kind: any values or one below a multiple, one of them up to an eighth above
 * the main one; multiples of sixteen or of a larger power of two, because kernels with vectors and
 * tiles treat these apart; values one above such multiples; and multiples with one dimension of 1,
 * as in a batch of one. Sizes that are known are drawn again, those of the kind first and then
 * others, so dimensions of few values have them all; where none is left, known ones stay. `known`
 * may be NULL.
 */
enum status expectations_case_drawn(struct expectations_case *shape, const struct problem *problem,
                                    unsigned index, const struct expectations_cases_known *known,
                                    struct error *err) MUST_CHECK;

/* True if the problem has dynamic dimensions. */
bool expectations_case_varies(const struct problem *problem);

/* Free the case; all zeros afterwards. */
void expectations_case_release(struct expectations_case *shape);

#endif
