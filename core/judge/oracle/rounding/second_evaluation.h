#ifndef CORE_JUDGE_ORACLE_ROUNDING_SECOND_EVALUATION_H
#define CORE_JUDGE_ORACLE_ROUNDING_SECOND_EVALUATION_H

#include "core/judge/oracle/oracle_family.h"
#include "core/model/graph.h"

/*
 * The second evaluation of a graph, on which tolerances depend too.
 *
 * - It rounds: each value is stored in the type that the class allows. In class mixed variances are
 *   increased to the errors that this makes (rounding_fit()).
 * - It errs, if the graph is deep: spreads allow for each way to compute an operation, and in a
 *   chain of operations these allowances are multiplied. After 16 convolutions with batch norms the
 *   deviations are 10^5 times the errors of float32. Therefore each operation of the second
 *   evaluation makes an error of its own, of one standard deviation, which the following ones
 *   propagate as they do. It is evaluated beside the first evaluation, and after each operation
 *   that mixes elements variances are decreased if they exceed the squares of these errors by more
 *   than a margin.
 *   The same is done for long chains of elementwise operations, as a recurrence that is written out
 *   is, after each of them. Its numbers are few, or depend on few: there are several such
 *   evaluations, whose errors have other signs.
 * - It moves: the values have errors that lines share (below), in class f32.
 */
struct second_evaluation {
    bool rounds, errs, moves;
    bool is_chain; /* of elementwise operations, so long that several evaluations have to err */
    double margin; /* variances exceed squared errors by this factor at most; INFINITY: by any */
};

/* The evaluations that err of a chain. */
enum { CHAIN_EVALUATIONS = 4 };

/* Choose the second evaluation for a graph and the class of its tolerances. */
struct second_evaluation second_evaluation_of(const struct graph *graph,
                                              const struct rounding *rounding);

/* True if the variances of a node's result are changed at once, beside a second one that errs. */
bool second_evaluation_fits(const struct graph *graph, size_t node);

/* The same for a node of a chain. */
bool second_evaluation_fits_chain(const struct graph *graph, size_t node);

/*
 * Add to each element an error of one deviation. Equal elements err alike, as they do in a kernel:
 * its sign depends on the element alone, and on the number of the evaluation.
 */
void own_error_add(const double *variance, size_t count, size_t evaluation, double *x);

/*
 * Compute the shares of a softmax with its own error. `y` holds the exact shares of the line, whose
 * largest element is `shift`. The arguments of the exponentials err, and their sum. The errors of
 * the shares add up to that of the sum: a product of the shares with nearly equal numbers is nearly
 * exact, however large the errors are.
 */
void own_error_weigh(const struct oracle_line *line, double shift, double *y);

/*
 * Errors that all elements of a line share, such as that of the mean in x - mean(x).
 *
 * A result y of a product depends on the elements of a line, and these on a statistic m of the
 * line. If m is off by e, y is off by e dy/dm, where dy/dm is a sum over the line: that of the
 * weights, for a mean that was subtracted. The spreads take the errors of elements for independent
 * and add their squares, so they have e^2 sum w^2 where the error is e^2 (sum w)^2: too little if
 * the weights have one sign. Therefore in class f32 the graph is evaluated once more, with each
 * such statistic moved by one standard deviation of the error that computing it makes; the error
 * that it inherits comes with its operands, which are moved too. The square of the change of an
 * output is added to its variance. Weights of both signs, gains, either operand of a product,
 * convolutions and chains of products count as they are, because these operations themselves are
 * evaluated.
 *
 * Lines are moved up or down by a fixed rule that is different from line to line, since the errors
 * of different lines are independent.
 */

/*
 * True if all elements of a line have the error of this node, and a product adds these up, or a sum
 * the errors of running sums and products: there all elements from some place on have one.
 */
bool shared_error_is(const struct graph *graph, size_t node);

/* 1 or -1 for a line. */
double shared_error_sign(size_t line);

/* Move the `count` results of a reduction or a scan of a line. */
void shared_error_add(const struct oracle_line *line, const struct oracle_rule *rule, size_t count,
                      double *y);

/* Move the mean of a line, unless it is 0 by definition, and the scale of a norm. */
void shared_error_move_norm(const struct oracle_line *line, bool is_centred, double *mean,
                            double *scale);

/* Add the square of the error of each of the `count` elements to its variance, if it is finite. */
void shared_error_widen(const double *expected, const double *moved, size_t count,
                        double *variance);

#endif
