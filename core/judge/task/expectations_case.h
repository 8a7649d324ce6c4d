#ifndef CORE_JUDGE_TASK_EXPECTATIONS_CASE_H
#define CORE_JUDGE_TASK_EXPECTATIONS_CASE_H

#include "core/model/graph.h"

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

/* Dynamic dimensions are drawn between 1 and their main value, the others are the main ones. */
enum status expectations_case_drawn(struct expectations_case *shape, const struct problem *problem,
                                    struct error *err) MUST_CHECK;

void expectations_case_release(struct expectations_case *shape);

#endif
