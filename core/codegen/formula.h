#ifndef CORE_CODEGEN_FORMULA_H
#define CORE_CODEGEN_FORMULA_H

#include "core/base/strbuf.h"
#include "core/model/op/op.h"

/*
 * What operations compute, as pieces of C for kernels: the reference kernels
 * and the built-in generator write their source from these tables.  The
 * pieces hold for scalars and for vectors of float alike.
 *
 * A `$` and a letter or digit stand for something that the writer of the
 * kernel fills in: $a $b $c the operands, $0 $1 the attributes in the order
 * of the operation's table, $T the type of the result while computing.  A
 * name behind an `@` is one that the formula declares: where a kernel has
 * several formulas, the word for `@` is put after it.
 */

/* The text for each letter and digit that may follow a `$`, and for `@`, which may be NULL. */
struct formula_words {
    const char *of[128];
    char numbers[ATTRIBUTES_MAX][32]; /* what $0, $1 ... point to */
};

/* How one element comes from the operands' elements at its place. */
struct element_formula {
    const char *op;
    const char *text;
    const char *integer; /* where integers are computed otherwise; NULL for the same */
    const char *other;   /* where the first attribute is not its default */
};

enum { FORMULA_MAX_PASSES = 2 };

/*
 * One pass over a line: `start` is joined with `element` at every place, and
 * partial results of several passes over parts of the line are joined the
 * same way; $a and $b are what is joined.  A pass whose elements depend on an
 * earlier one may come to other results over a part than over the line: with
 * that earlier result $p and the part's length $m, `merge` is what the part's
 * $x counts in the line; NULL where it has no such form.
 */
struct rowwise_pass {
    const char *name, *type, *start, *element, *combine;
    const char *then; /* declarations after the pass; may be NULL */
    const char *merge;
};

/*
 * How a line of $n elements is reduced or turned into another line: passes
 * over the line one after the other, then the result, one for the line or one
 * for each element.  $x is the element at place $j, $w and $s weight and shift
 * there, $X the type of an element while computing, $L and $H its lowest and
 * highest value.  $e is the last pass's element, which need not be computed
 * again where it was kept.
 */
struct rowwise_formula {
    const char *op;
    struct rowwise_pass passes[FORMULA_MAX_PASSES];
    const char *result;
};

/* How an element type is stored and computed with: $p is a pointer, $i an index, $v a value. */
struct type_formula {
    const char *storage, *compute;
    const char *load, *store;
    const char *lowest, *highest;
    const char *round; /* the value that is loaded after $v was stored; NULL where that is $v */
};

/* NULL when there is no row for the operation. */
const struct element_formula *formula_element(const char *op);
const struct rowwise_formula *formula_rowwise(const char *op);
const struct type_formula *formula_type(enum dtype dtype);

/* A norm with given statistics: $b the mean, $c the variance, $d the weight, $e the bias. */
extern const char formula_batch_norm[];

/* The piece that fits the call's attributes and type. */
const char *formula_element_text(const struct element_formula *formula, const struct op_call *call);

/* Functions that the pieces for these types need, to be put before the first kernel; or "". */
const char *formula_type_prelude(enum dtype dtype);

/* $0, $1, ... and $T for a call. */
void formula_set_call(struct formula_words *words, const struct op_call *call);

/* The same, and $X, $L and $H, with x and j for $x and $j. */
void formula_set_rowwise(struct formula_words *words, const struct op_call *call);

/* Append `text` with everything after a `$` replaced. */
void formula_expand(const char *text, const struct formula_words *words, struct strbuf *out);

/* A number as a C literal of the type in which `dtype` is computed. */
void formula_number(enum dtype dtype, double number, char text[32]);

#endif
