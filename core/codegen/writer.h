#ifndef CORE_CODEGEN_WRITER_H
#define CORE_CODEGEN_WRITER_H

#include "core/base/strbuf.h"
#include "core/codegen/dialect.h"
#include "core/codegen/extents.h"
#include "core/codegen/formula.h"
#include "core/model/candidate.h"

/*
 * Writes a candidate: source and launch plan side by side. The plain kernels and the built-in
 * generator use it.
 *
 * In the source a tensor is `p_<name>`, a pointer to its first element, and a dimension has its own
 * name.
 */
struct writer {
    const struct problem *problem;
    const char *language; /* language of the kernels; borrowed */
    const struct dialect *dialect;
    struct graph graph; /* at the main dimensions */
    struct extents extents;
    bool *decides;       /* for each value, true if a decision depends on it (decisive_values.h) */
    bool is_gpu;         /* work-groups share the work on long rows */
    bool is_specialized; /* fixed dimensions are macros, not arguments */
    const char *option;  /* an option for the compiler; or NULL */
    const char *threads; /* of the next calls (has_calls), as an expression; NULL: all. Borrowed */
    struct strbuf source;
    struct strbuf calls; /* functions that call kernels for all work-items (has_calls) */
    struct json *scratch, *prepare, *launches; /* parts of the plan */
    struct {
        char **items;
        size_t count, capacity;
    } narrow; /* kernels whose ints hold all indices, whatever their tensors (wide_kernels.h) */
    struct {
        struct view {
            const char *name, *of;
        } * items;
        size_t count, capacity;
    } views; /* values that are other names of a buffer; borrowed from the graph */
};

/* STATUS_UNAVAILABLE if the problem's graph is unknown or the language has no dialect. */
enum status writer_open(struct writer *writer, const struct problem *problem, const char *language,
                        struct error *err) MUST_CHECK;
void writer_release(struct writer *writer);

/* Move source and plan to a candidate. */
void writer_take(struct writer *writer, struct candidate *candidate);

/* Write the definitions that the language, the element types of the graph and `kernels` need. */
void writer_prelude(struct writer *writer, const char *kernels);

/* CUDA: a tensor map of a matrix by rows, for copies of boxes by the hardware. */
struct box {
    const char *of;       /* name of the buffer */
    const char *shape[2]; /* size expressions */
    int box[2];
};

/*
 * A kernel's arguments: tensors and scratch, each once. writer_head() adds the dimensions that are
 * arguments.
 */
struct kernel_arg {
    const char *name;
    enum dtype dtype;
    bool is_written;
    const struct box *box; /* the argument is this tensor map; or NULL */
};

struct kernel {
    const char *name; /* borrowed */
    struct {
        struct kernel_arg *items;
        size_t count, capacity;
    } args;
    int work_items; /* work-items of a work-group, to limit the registers; 0: any number */
    int residents;  /* CUDA: work-groups that a unit keeps in its registers; 0: any number */
    bool is_narrow; /* offsets that an int may not hold are computed in 64 bits */
};

/* Append a copy of the argument, unless the kernel has it. */
void kernel_add_arg(struct kernel *kernel, const struct kernel_arg *arg);

/* Add a value of the graph; a constant needs no argument. */
void kernel_add_value(struct kernel *kernel, const struct value *value, bool is_written);
void kernel_release(struct kernel *kernel);

/* Write the kernel's declaration and opening brace. */
void writer_head(struct writer *writer, const struct kernel *kernel);

/*
 * The index space of a launch: work-items in all and per work-group, as expressions; `local[0]`
 * NULL leaves the work-group to the driver.
 */
struct space {
    const char *global[3], *local[3];
    size_t rank;
    int cluster[3];   /* CUDA: work-groups of a cluster along each axis; 0 for no clusters */
    int shared_bytes; /* CUDA: dynamic shared memory per work-group */
};

/*
 * Append a launch to `list`, the writer's launches or prepare. In a language without an index space
 * the launch is a call, whose last arguments are the sizes of the space.
 */
void writer_launch(struct writer *writer, struct json *list, const struct kernel *kernel,
                   const struct space *space);

/* Declare a scratch buffer; writer_scratch_value() one in the shape of a value. */
void writer_scratch(struct writer *writer, const char *name, enum dtype dtype,
                    const char *const *shape, size_t rank);
void writer_scratch_value(struct writer *writer, size_t value, enum dtype dtype);

/* Let launches give the buffer of value `of` to kernels that take `value`. */
void writer_view(struct writer *writer, size_t value, size_t of);

/* The coordinates of an element, as C text for each axis. */
struct coordinates {
    char at[SHAPE_MAX_RANK][64];
};

/*
 * Declare `<number><axis>`, the coordinates along `axes` of `value` (bit i for axis i). `number`
 * counts these elements in row-major order.
 */
void writer_axes(struct writer *writer, size_t value, unsigned axes, const char *number,
                 const char *indent);

/* Set the coordinates along `axes` to `<number><axis>`. */
void coordinates_axes(struct coordinates *coords, unsigned axes, const char *number);

/* Set one coordinate; the text must be short (63 characters). */
void coordinates_set(struct coordinates *coords, size_t axis, const char *text);

/* The coordinates in operand `in` that are broadcast to `coords` in value `out`. */
struct coordinates writer_broadcast(const struct writer *writer, size_t in, size_t out,
                                    const struct coordinates *coords);

/* Append the index of an element of `value` along its first `rank` axes. */
void writer_index(const struct writer *writer, size_t value, size_t rank,
                  const struct coordinates *coords, struct strbuf *out);

/*
 * Append the expression that loads the element at `index` in the type it is computed in; for a
 * constant a literal.
 */
void writer_load(const struct value *value, const char *index, struct strbuf *out);

/* Write a statement that stores `text`. */
void writer_store(struct writer *writer, const struct value *value, const char *index,
                  const char *text, const char *indent);

/*
 * Append number `index` of an integer attribute: an expression over the dimensions if the problem's
 * file has one.
 */
void writer_number(const struct writer *writer, const struct graph_node *node,
                   const char *attribute, size_t index, struct strbuf *out);

/* True if an expression does not depend on dynamic dimensions. */
bool writer_is_fixed(const struct writer *writer, const char *expression);

/* True if axis `i` of value `a` and axis `j` of value `b` have the same size at all dimensions. */
bool writer_same_size(const struct writer *writer, size_t a, size_t i, size_t b, size_t j);

/* True if two values have the same shape at all dimensions. */
bool writer_same_shape(const struct writer *writer, size_t a, size_t b);

/* All axes of the value as bits. */
unsigned value_axes(const struct value *value);

/* The axis that an attribute names; a negative number counts from the end of operand 0's axes. */
size_t call_axis(const struct op_call *call, const char *attribute, size_t index);

#endif
