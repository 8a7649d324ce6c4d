#ifndef CORE_JUDGE_ORACLE_ORACLE_PIECES_H
#define CORE_JUDGE_ORACLE_ORACLE_PIECES_H

#include "core/judge/oracle/oracle.h"

/*
 * Evaluates a graph in pieces. If all operations are elementwise, each element of an output depends
 * only on the elements at its place and on single numbers, so one piece of all tensors is evaluated
 * at a time. The results have the same bits, and the evaluation needs memory for one piece only.
 */

enum { ORACLE_PIECE_ELEMENTS = 1 << 17 };

/*
 * The elements of each tensor that has more than one, or 0 if the graph cannot be evaluated in
 * pieces, or is too small for it. `rounding` is that of the values, or NULL. In class mixed the
 * variances are widened by errors over all elements (rounding_fit()), so there are no pieces.
 */
size_t oracle_pieces_elements(const struct graph *graph, const struct oracle_seeds *seeds,
                              const struct rounding *rounding);

/*
 * Called with the outputs of each piece: elements [first, first + count) of each output are
 * elements [0, count) of its values.
 */
struct oracle_piece_taker {
    void (*take)(void *data, const struct oracle_values *values, size_t first, size_t count);
    void *data;
};

/*
 * Like oracle_expect() for a graph that can be evaluated in pieces; the taker is called with the
 * outputs of each piece. values->rounding and values->blocks are read; `values` is not written.
 */
enum status oracle_pieces_expect(const struct graph *graph, const struct oracle_seeds *seeds,
                                 const struct oracle_values *values,
                                 const struct oracle_piece_taker *taker,
                                 struct error *err) MUST_CHECK;

#endif
