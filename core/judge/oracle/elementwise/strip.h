#ifndef CORE_JUDGE_ORACLE_ELEMENTWISE_STRIP_H
#define CORE_JUDGE_ORACLE_ELEMENTWISE_STRIP_H

#include "core/judge/oracle/walk.h"

/*
 * Operands of an elementwise operation, a strip of STRIP_ELEMENTS at a time, so that the compiler
 * makes vectors of the loops over a strip.
 *
 * A strip always has all of its elements: behind the last one of a tensor it repeats elements.
 * Otherwise loops would compute the last elements by scalar functions of the C library, which round
 * otherwise than its vector functions, and equal elements would give different results.
 */
enum { STRIP_ELEMENTS = 128, STRIP_OPERANDS = 3 };

/* The operands of a call, and how to walk over them. */
struct strip_source {
    struct walk walk;
    size_t arrays;
    size_t steps[OP_MAX_INPUTS]; /* by walk_find_steps() */
    bool is_in_step;
};

/* The operands of this call. */
struct strip_source strip_source_of(const struct op_call *call);

/* Room for the strips of all operands. */
struct strip {
    /* STRIP_ELEMENTS of each operand, in `room` or in the tensor */
    const double *x[STRIP_OPERANDS];
    double room[STRIP_OPERANDS][STRIP_ELEMENTS];
};

/*
 * Set the strip to the elements of `in` at the places [first, first + n) of the result, where n <=
 * STRIP_ELEMENTS. An array that is NULL, and one beyond the operands, consists of zeros.
 */
void strip_take(const struct strip_source *source, const double *const *in, size_t first, size_t n,
                struct strip *strip);

#endif
