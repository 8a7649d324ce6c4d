#ifndef CORE_CODEGEN_FORMULA_H
#define CORE_CODEGEN_FORMULA_H

#include "core/base/strbuf.h"
#include "core/model/op/op.h"

/*
 * Formulas of operations as pieces of C, from which the plain kernels and the built-in generator
 * write their source. They work for scalars and for vectors of float.
 *
 * A `$` and a letter or digit stand for text that the writer of the kernel fills in: $a $b $c the
 * operands, $0 $1 the attributes in the order of the operation's table, $T the type of the result
 * during computation. An `@` begins a name that the formula declares; the text for `@` is appended
 * to the name, so that a kernel can contain several formulas.
 */

/* The text for each letter and digit after a `$`, and for `@`, which may be NULL. */
struct formula_words {
    const char *of[128];
    char numbers[ATTRIBUTES_MAX][32]; /* storage for $0, $1 ... */
};

/* One element of an elementwise operation. */
struct element_formula {
    const char *op;
    const char *text;
    const char *integer; /* for integers; NULL: the same text */
    const char *other;   /* if the first attribute is not its default; NULL: the same text */
};

enum { FORMULA_MAX_PASSES = 2 };

/*
 * One pass over a row: `start` is combined with the `element` at every index by the formula
 * `combine` of $a and $b. Partial results of parts of a row are combined the same way.
 *
 * If the elements of a pass depend on the result of an earlier pass, each part of a row is computed
 * with the part's own earlier result $p instead of the row's. Then `merge` converts the part's
 * result $x, with $m the part's length; NULL if no conversion is needed or possible.
 */
struct rowwise_pass {
    const char *name, *type, *start, *element, *combine;
    const char *then; /* declarations after the pass; may be NULL */
    const char *merge;
};

/*
 * A reduction or row-wise operation over $n elements: passes over the row one after the other, then
 * the result, one for the row or one for each element. $x is the element at index $j, $w and $s are
 * weight and shift there, $X is the type of an element during computation, $L and $H are its lowest
 * and highest value. $e is the last pass's element, which need not be computed again if it was
 * stored.
 */
struct rowwise_formula {
    const char *op;
    struct rowwise_pass passes[FORMULA_MAX_PASSES];
    const char *result;
};

/* How an element type is stored and computed with; $p is a pointer, $i an index, $v a value. */
struct type_formula {
    const char *storage, *compute;
    const char *load, *store;
    const char *lowest, *highest;
    const char *round; /* the value that a load returns after $v was stored; NULL: $v itself */
};

/* The formulas of an operation; NULL if the operation has none. */
const struct element_formula *formula_element(const char *op);
const struct rowwise_formula *formula_rowwise(const char *op);
const struct type_formula *formula_type(enum dtype dtype);

/*
 * Batch normalization with given statistics: $b is the mean, $c the variance, $d the weight, $e the
 * bias.
 */
extern const char formula_batch_norm[];

/* The variant of the formula that fits the call's attributes and types. */
const char *formula_element_text(const struct element_formula *formula, const struct op_call *call);

/*
 * Functions that loads and stores of the type call; "" for none. They must come before the first
 * kernel.
 */
const char *formula_type_prelude(enum dtype dtype);

/* Set $0, $1, ... and $T for a call. */
void formula_set_call(struct formula_words *words, const struct op_call *call);

/* Like formula_set_call(), and set $X, $L and $H; $x and $j become x and j. */
void formula_set_rowwise(struct formula_words *words, const struct op_call *call);

/* Append `text` with everything after a `$` or `@` replaced. */
void formula_expand(const char *text, const struct formula_words *words, struct strbuf *out);

/* A number as a C literal of the type in which `dtype` is computed. */
void formula_number(enum dtype dtype, double number, char text[32]);

#endif
