#ifndef CORE_JUDGE_ORACLE_CHOICE_CHOICE_H
#define CORE_JUDGE_ORACLE_CHOICE_CHOICE_H

#include "core/judge/oracle/oracle_family.h"
#include "core/model/graph.h"

/*
 * Choices: elements that may be one of several numbers, because rounding may decide otherwise.
 *
 * Of nearly equal elements any may be the largest one, so an argmax may be any of their places. A
 * variance cannot say this: it would include the places between them. Therefore an uncertain
 * element has a list of the numbers that it may be. Movements move the lists, elementwise
 * operations compute with them, comparisons and look-ups try each number: the variance of a
 * looked-up element is the range over the rows that may be chosen, and 0 where the choice is
 * certain.
 *
 * A real number has a list where a condition that rounding may change decides on it: it is left out
 * by the lowest number or an infinity, as one that an earlier step of a topk has chosen, or by a
 * number far below the others, or it is another one. Its variance is then that without this choice.
 * Operations that know no lists take their ranges for a part of the variances (choice_spread.h).
 */

/* Lists of an evaluation. A list is named by a number, 0 is none. */
struct choices {
    /* by value of the graph: for each element the name of its list; NULL if it has none; owned */
    double **names;
    size_t value_count;
    double *numbers; /* of all lists, each behind its origin and its length; owned */
    size_t used, capacity;
};

struct choice_list {
    const double *numbers;
    size_t count; /* 0: the element is not uncertain in this way */
    /*
     * the list that its numbers were computed from, one from one, or its own name: numbers of lists
     * with one origin belong together
     */
    double origin;
};

/*
 * True if nodes use places of largest numbers that an implementation of the class may round, or
 * indices that it cuts such numbers to; or if elements are left out, masked by numbers far below
 * the others, selected or put in order by comparisons of such numbers.
 */
bool choices_in(const struct graph *graph, const struct rounding *rounding);

/*
 * True if rounding may change the node's results to another choice: truth values of comparisons,
 * and places. The second evaluation takes them from the first, so that it shows the errors of the
 * numbers, while the lists say what another choice changes.
 */
bool choice_decides(const struct graph *graph, size_t node);

/* No lists for any value of a graph. */
struct choices *choices_new(const struct graph *graph);

/* Free all lists; takes NULL. */
void choices_free(struct choices *choices);

/* The list with this name; empty for 0. It moves when another one is made. */
struct choice_list choices_list(const struct choices *choices, double name);

/* True for a number that stands for an element that is left out. */
bool choice_leaves_out(double x);

/* True for operations that find places of elements: of the largest or smallest one, or of all in
 * order. */
bool choice_is_place(const struct graph_node *node);

/* Room for a list of `count` numbers behind those that exist. Lists move. */
double *choices_room(struct choices *choices, size_t count);

/* Take the `count` numbers in the room as a list, and name it. One number is no choice: 0. */
double choices_take(struct choices *choices, size_t count);
/* The same for a list that was computed from another one; 0 for its own origin. */
double choices_take_from(struct choices *choices, size_t count, double origin);

/* The largest number of a list that is not left out, of either sign; 0 if all are. */
double choice_kept(struct choice_list list);

/*
 * The `count` elements x of a value, those with lists as if they were not left out. The caller
 * frees; NULL if the value has no lists.
 */
double *choices_kept(const struct choices *choices, size_t value, const double *x, size_t count);

/* Forget the lists of a value. */
void choices_forget(struct choices *choices, size_t value);

#endif
