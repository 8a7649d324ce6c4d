#ifndef CORE_JUDGE_ORACLE_TRAVERSAL_H
#define CORE_JUDGE_ORACLE_TRAVERSAL_H

#include "core/judge/oracle/choice/choice.h"
#include "core/judge/oracle/edge/edge.h"
#include "core/judge/oracle/edge/whole_numbers.h"
#include "core/judge/oracle/oracle_values.h"

/* One evaluation of a graph, node by node (oracle.h). */
struct traversal {
    const struct graph *graph;
    const struct oracle_evaluator *evaluator; /* for a graph without nodes; may be NULL */
    struct oracle_values *values;
    const struct oracle_observer *observer; /* NULL: a result may be written over an operand */
    const struct oracle_seeds
        /* seeds of tensors that are made when needed; NULL if all tensors exist and are kept */
        *seeds;
    size_t *last_uses; /* for each value the last node that reads it */
    /* every value is rounded to the storage that this class allows; NULL: values are exact */
    const struct rounding *rounds;
    struct choices *choices;     /* the lists of uncertain elements; NULL: there are none */
    struct edges *edges;         /* found by the first evaluation; NULL: there can be none */
    const enum wholeness *whole; /* by value of the graph; NULL: unknown */
    /* the second evaluations that are done beside this one, whose variances they change */
    struct traversal *beside;
    size_t beside_count;
    size_t evaluation;          /* the number of a second evaluation, among those beside */
    double margin;              /* as in struct second_evaluation */
    bool errs, moves, is_chain; /* the same */
    bool strays;                /* elements at an edge are NaN (edge.h) */
};

/*
 * The elements of a value in the second evaluation beside. Of several it has their mean square
 * errors. The caller frees.
 */
double *traversal_second(const struct traversal *traversal, size_t value);

/* Evaluate all nodes, with those of the evaluation beside. */
enum status traversal_follow(struct traversal *traversal, struct error *err) MUST_CHECK;

#endif
