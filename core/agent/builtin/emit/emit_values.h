#ifndef CORE_AGENT_BUILTIN_EMIT_EMIT_VALUES_H
#define CORE_AGENT_BUILTIN_EMIT_EMIT_VALUES_H

#include "core/agent/builtin/emit/emit_access.h"

/*
 * Computes values of the group at a position: marks what they depend on, loads it, and declares a
 * variable for each result.
 */

/*
 * Add the buffers that the group reads and stores to the kernel's arguments.  Bit i of `replaced`:
 * the kernel reads operand i of the first node in another form, from scratch.
 */
void emit_args(struct emitter *e, unsigned replaced);

/* Add the buffer of a value to the kernel's arguments, in the type that it is stored in. */
void emit_add_arg(struct emitter *e, size_t value, bool is_written);

/* Mark a value as needed, with all values that it is computed from. */
void emit_need(struct emitter *e, size_t value);

/* True if the value is needed and must be loaded. */
bool emit_is_loaded(const struct emitter *e, size_t value);

/* Load and compute the needed values at the position.  Declared variables are reused. */
void emit_values(struct emitter *e, const struct position *position);

/* Compute and store all elements that must be stored and are not in memory yet. */
void emit_results(struct emitter *e, const struct position *position);

/* The formula of a reduction, row-wise operation or normalization by groups. */
const struct rowwise_formula *emit_rowwise_formula(const struct emitter *e, size_t node);

/* Fill in the words of this formula at a position. */
void emit_rowwise_words(struct emitter *e, size_t node, const struct position *position,
                        struct formula_words *words);

/* The scratch buffer with the partial results of a pass, one for each tile of columns. */
struct kernel_arg emit_partials_arg(struct emitter *e, size_t node, const struct rowwise_pass *pass,
                                    bool is_written);

/*
 * Declare a value that has one element for each row. If the value must be stored, the store is
 * executed under `condition`, or always if that is NULL.
 */
void emit_row_value(struct emitter *e, size_t node, const char *text, const char *condition);

/* Like emit_row_value(), for an elementwise operation on such values. */
void emit_row_element(struct emitter *e, size_t node, const char *condition);

#endif
