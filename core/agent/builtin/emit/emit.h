#ifndef CORE_AGENT_BUILTIN_EMIT_EMIT_H
#define CORE_AGENT_BUILTIN_EMIT_EMIT_H

#include "core/agent/builtin/plan/fusion.h"
#include "core/agent/builtin/plan/schedule.h"
#include "core/base/arena.h"
#include "core/codegen/writer.h"

/*
 * Writing the kernel of one group.  In it a value of the graph is a variable
 * `v_<name>`: a vector of neighbouring columns, or a scalar where the value
 * has one element for each row.
 */
struct emitter {
    struct writer *writer;
    const struct fusion *fusion;
    const struct group *group;
    size_t number; /* of the group */
    const struct schedule *schedule;
    struct kernel kernel;
    struct arena arena; /* of pieces of text */
    bool *is_needed;    /* a value: to be emitted next */
    bool *is_given;     /* a value: its variable is declared */
    size_t held;        /* a value whose variable is a vector, where it is given */
    bool *is_early;     /* a value: its vectors are in registers, in an array `early_<name>` */
    bool *is_kept;      /* a value: it is in its place already */
    bool *has_element;  /* a value: the last pass's elements are in its place */
};

/* Emit the group's kernels and launches. */
enum status emit_group(struct writer *writer, const struct fusion *fusion, size_t number,
                       const struct schedule *schedule, struct error *err) MUST_CHECK;

/* Where in the space: C text of row and column, how many columns, and the indent of statements. */
struct spot {
    const char *row, *column;
    int width;
    const char *indent;
    bool is_aligned;  /* vectors there are at multiples of their size */
    const char *turn; /* which of the vectors it is that are in registers; NULL where none are */
};

/* One function for each family. */
void emit_elements(struct emitter *e);
void emit_rows(struct emitter *e);
void emit_product(struct emitter *e);
void emit_places(struct emitter *e);
void emit_convolution(struct emitter *e);
void emit_attention(struct emitter *e);
void emit_scan(struct emitter *e);
void emit_turn(struct emitter *e);
void emit_pool(struct emitter *e);

/* A piece of text that lives as long as the emitter. */
const char *emit_text(struct emitter *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Append a line of source, with the dialect's words translated. */
void emit_line(struct emitter *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* "float", or OpenCL's "float16" for a width of 16. */
const char *emit_type(struct emitter *e, const char *scalar, int width);

/* A scalar as a vector of the width. */
const char *emit_splat(struct emitter *e, const char *scalar, int width);

/* What loads a vector from a pointer, or stores one there. */
const char *emit_vector_load(struct emitter *e, int width, const char *pointer);
const char *emit_vector_store(struct emitter *e, int width, const char *vector,
                              const char *pointer);

/* The same where the pointer is to a multiple of the vector's size. */
const char *emit_aligned_load(struct emitter *e, int width, const char *pointer);
const char *emit_aligned_store(struct emitter *e, int width, const char *vector,
                               const char *pointer);

/* The halves of a vector, joined by a formula of $a and $b. */
const char *emit_fold(struct emitter *e, const char *join, const char *vector);

/* A formula whose `? :` decides for each element of a vector. */
const char *emit_choices(struct emitter *e, const char *formula, int width);

/* The text of an elementwise operation, with faster functions where the schedule wants them. */
const char *emit_element(struct emitter *e, const struct op_call *call,
                         const struct formula_words *words, int width);

/* Append the faster functions that the source calls. */
void emit_functions(const struct dialect *dialect, const char *source, struct strbuf *out);

/* The text of a formula. */
const char *emit_formula(struct emitter *e, const char *text, const struct formula_words *words);

/* One element of a vector. */
const char *emit_component(struct emitter *e, const char *vector, int index);

/* The vector's elements moved up by `distance`, and `fill` before them. */
const char *emit_shift(struct emitter *e, int width, const char *vector, int distance,
                       const char *fill);

/* Of vectors `a` and `b`, alternately `distance` elements: those in even pieces, or in odd ones. */
const char *emit_exchange(struct emitter *e, int width, int distance, bool is_odd);

/* The places of a vector's elements, from `first` on. */
const char *emit_places_from(struct emitter *e, int width, const char *first);

/* What a node computes, as its type holds it; floats are rounded by a cast alone. */
const char *emit_rounded(struct emitter *e, size_t node, const char *text);

/* The vector width that the group's types allow. */
int emit_width(const struct emitter *e);

/* The product of the space's sizes along some of its axes; "1" for none. */
const char *emit_extent(struct emitter *e, struct axes axes);

/* Whether that is the same at all dimensions and a multiple of `divisor`. */
bool emit_divides(const struct emitter *e, struct axes axes, int divisor);

/* Whether every row begins at a multiple of the vector's size. */
bool emit_is_whole(const struct emitter *e, int width);

/*
 * The kernel takes what the group reads and what it stores.  Bit i of
 * `replaced`: operand i of the first node comes to it in another form.
 */
void emit_args(struct emitter *e, unsigned replaced);

/* Declare the row's axes from `row`, where an operand is broadcast over some of them only. */
void emit_row_axes(struct emitter *e, const char *indent);

/* Mark a value as needed, and all that it is computed from. */
void emit_need(struct emitter *e, size_t value);

/* Load and compute what is needed, at the spot; what was given stays given. */
void emit_values(struct emitter *e, const struct spot *spot);

/* Whether the value is needed, and comes from memory. */
bool emit_is_loaded(const struct emitter *e, size_t value);

/* Whether the value's elements are neighbours, as the columns are. */
bool emit_is_along(const struct emitter *e, size_t value);

/* Whether the group computes the value. */
bool emit_is_own(const struct emitter *e, size_t value);

/* Elements of a channel of a norm by groups, whose weight is the same for all of them. */
struct axes emit_channel_axes(const struct emitter *e);

/* family_is_element() of a node. */
bool emit_is_element(const struct emitter *e, size_t node);

/* What loads the value at the spot. */
const char *emit_load(struct emitter *e, size_t value, const struct spot *spot);

/* Store a value whose variable is there. */
void emit_store(struct emitter *e, size_t value, const char *text, const struct spot *spot);

/* Need, compute and store all elements that are stored and not kept yet. */
void emit_results(struct emitter *e, const struct spot *spot);

/* How a reduction, row-wise operation or norm by groups is computed. */
const struct line_formula *emit_line_formula(const struct emitter *e, size_t node);

/* The words of a reduction or row-wise operation at a spot. */
void emit_line_words(struct emitter *e, size_t node, const struct spot *spot,
                     struct formula_words *words);

/* The scratch with what a pass of the node comes to over parts of each row, as an argument. */
struct kernel_arg emit_part_arg(struct emitter *e, size_t node, const struct line_pass *pass,
                                bool is_written);

/* A value with one element for each row: declare it, and store it where that is asked for. */
void emit_row_value(struct emitter *e, size_t node, const char *text, const char *condition);

/* The same for an elementwise operation on such values. */
void emit_row_element(struct emitter *e, size_t node, const char *condition);

#endif
