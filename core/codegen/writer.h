#ifndef CORE_CODEGEN_WRITER_H
#define CORE_CODEGEN_WRITER_H

#include "core/base/strbuf.h"
#include "core/codegen/dialect.h"
#include "core/codegen/extents.h"
#include "core/codegen/formula.h"
#include "core/model/candidate.h"

/*
 * Writing a candidate: source and launch plan, side by side.  The
 * reference kernels and the built-in generator write with it.
 *
 * In the source a tensor is `p_<name>`, a pointer to its first element, and a
 * dimension has its own name.
 */
struct writer {
    const struct problem *problem;
    const char *language; /* of the kernels; borrowed */
    const struct dialect *dialect;
    struct graph graph; /* at the main dimensions */
    struct extents extents;
    bool is_specialized; /* fixed dimensions are macros, not arguments */
    const char *option;  /* for the compiler; or NULL */
    struct strbuf source;
    struct json *scratch, *prepare, *launches; /* parts of the plan */
};

/* STATUS_UNAVAILABLE when the problem's graph is not known, or kernels in `language` are not. */
enum status writer_open(struct writer *writer, const struct problem *problem, const char *language,
                        struct error *err) MUST_CHECK;
void writer_release(struct writer *writer);

/* Take source and plan as a candidate. */
void writer_take(struct writer *writer, struct candidate *candidate);

/* Write the definitions that the language and the graph's element types need. */
void writer_prelude(struct writer *writer);

/* CUDA: what a tensor map says of a matrix, of rows; boxes of it are copied by the hardware. */
struct box {
    const char *of;       /* the buffer */
    const char *shape[2]; /* expressions */
    int box[2];
};

/* A kernel's tensors and scratch, each once; the dimensions follow by themselves. */
struct kernel_arg {
    const char *name;
    enum dtype dtype;
    bool is_written;
    const struct box *box; /* the argument is a tensor map instead; or NULL */
};

struct kernel {
    const char *name; /* borrowed */
    struct {
        struct kernel_arg *items;
        size_t count, capacity;
    } args;
    int work_items; /* of a group, for which registers have to suffice; 0 for any */
};

/* Append a copy of the argument. */
void kernel_add_arg(struct kernel *kernel, const struct kernel_arg *arg);

/* The same for a value of the graph; a constant needs none. */
void kernel_add_value(struct kernel *kernel, const struct value *value, bool is_written);
void kernel_release(struct kernel *kernel);

/* The kernel's declaration and the opening brace. */
void writer_head(struct writer *writer, const struct kernel *kernel);

/* Work-items in all and in a group, as expressions; `local` of NULL leaves it to the driver. */
struct space {
    const char *global[3], *local[3];
    size_t rank;
    int cluster[3];   /* CUDA: work-groups that share what they copy, along each axis; 0 for none */
    int shared_bytes; /* CUDA: of memory that a group shares, beside what the kernel declares */
};

/* `list` is the writer's launches or prepare. */
void writer_launch(const struct writer *writer, struct json *list, const struct kernel *kernel,
                   const struct space *space);

/* Declare scratch; an inner value's shape is its own. */
void writer_scratch(struct writer *writer, const char *name, enum dtype dtype,
                    const char *const *shape, size_t rank);
void writer_scratch_value(struct writer *writer, size_t value);

/* What numbers the axes of an element: C text for each axis. */
struct coordinates {
    char at[SHAPE_MAX_RANK][64];
};

/*
 * Declare `<number><axis>` for the axes of `value` in `axes`, bit i for axis
 * i, from `number`, which counts their elements row-major.
 */
void writer_axes(struct writer *writer, size_t value, unsigned axes, const char *number,
                 const char *indent);

/* `<number><axis>` for the axes in `axes`. */
void coordinates_axes(struct coordinates *coords, unsigned axes, const char *number);

/* Another text for one axis; short, as the name of a variable is. */
void coordinates_set(struct coordinates *coords, size_t axis, const char *text);

/* The place in operand `in` that is broadcast to `place` of value `out`. */
struct coordinates writer_broadcast(const struct writer *writer, size_t in, size_t out,
                                    const struct coordinates *coords);

/* The index of an element of `value` along its first `rank` axes. */
void writer_index(const struct writer *writer, size_t value, size_t rank,
                  const struct coordinates *coords, struct strbuf *out);

/* The element at `index` as it is computed with; a constant's literal. */
void writer_load(const struct value *value, const char *index, struct strbuf *out);

/* A statement that stores `text`. */
void writer_store(struct writer *writer, const struct value *value, const char *index,
                  const char *text, const char *indent);

/* Number `index` of an integer attribute: an expression over the dimensions if the file has one. */
void writer_number(const struct writer *writer, const struct graph_node *node,
                   const char *attribute, size_t index, struct strbuf *out);

/* Whether an expression is the same at all dimensions. */
bool writer_is_fixed(const struct writer *writer, const char *expression);

/* Whether two sizes are the same at all dimensions: axis `i` of value `a`, axis `j` of value `b`.
 */
bool writer_same_size(const struct writer *writer, size_t a, size_t i, size_t b, size_t j);

/* Whether two values have the same sizes at all dimensions. */
bool writer_same_shape(const struct writer *writer, size_t a, size_t b);

/* Bits of all axes of the value. */
unsigned value_axes(const struct value *value);

#endif
