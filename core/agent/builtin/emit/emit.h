#ifndef CORE_AGENT_BUILTIN_EMIT_EMIT_H
#define CORE_AGENT_BUILTIN_EMIT_EMIT_H

#include "core/agent/builtin/plan/fusion_group.h"
#include "core/agent/builtin/plan/schedule.h"
#include "core/base/arena.h"
#include "core/codegen/writer.h"

/*
 * The state of writing the kernels of one fused group, and the functions that append their source.
 *
 * In a kernel, a value of the graph is a variable `v_<name>`: a vector of neighbouring columns, or
 * a scalar if the value has one element for each row.
 */
struct emitter {
    struct writer *writer;
    const struct fusion *fusion;
    const struct group *group;
    size_t number; /* number of the group */
    const struct schedule *schedule;
    struct kernel kernel;
    struct arena arena; /* memory for pieces of text */
    /* Flags with one entry for each value of the graph. */
    bool *is_needed;             /* emit_values() computes it next */
    bool *is_declared;           /* true if its variable is in scope */
    bool *is_preloaded;          /* its vectors are in registers, in an array `early_<name>` */
    bool *is_in_memory;          /* the kernel has stored it already */
    bool *has_element_in_memory; /* its buffer holds the elements of the last pass over the row */
    bool packs_runs; /* rounded values are kept in `packed_<name>` for four runs of columns */
    size_t held; /* the value whose variable is a vector although is_declared; SIZE_MAX for none */
};

/* Format a piece of text that lives as long as the emitter. */
const char *emit_text(struct emitter *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Append a line of source, with the dialect's words (dialect.h) translated. */
void emit_line(struct emitter *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Expand a formula (formula.h); the text lives as long as the emitter. */
const char *emit_formula(struct emitter *e, const char *text, const struct formula_words *words);

/* A value or a node of the graph by its index. */
const struct value *emit_value_at(const struct emitter *e, size_t value);
const struct graph_node *emit_node_at(const struct emitter *e, size_t node);

/*
 * The list of launches that copy a value for a kernel, borrowed from the writer: that of `prepare`
 * if the value depends on params alone.
 */
struct json *emit_copies_of(const struct emitter *e, const struct value *value);

#endif
