#ifndef CORE_JUDGE_DEVICE_ORACLE_ORACLE_KERNEL_H
#define CORE_JUDGE_DEVICE_ORACLE_ORACLE_KERNEL_H

#include "core/base/strbuf.h"
#include "core/judge/device_oracle/oracle_sharing.h"
#include "core/judge/oracle/edge/whole_numbers.h"
#include "core/judge/oracle/oracle_family.h"
#include "core/judge/oracle/rounding/second_evaluation.h"
#include "core/model/graph.h"
#include "core/model/plan/dispatch.h"

/*
 * Writes kernels of the device oracle, for the files in this folder only. A node of the graph
 * becomes one kernel, or a few, that compute its values and the variances of their rounding errors,
 * all in double precision. Sizes are numbers in the source.
 *
 * In a kernel, `i` numbers the work-items. Xk(i) is element i of operand k, and Vk(i) its variance.
 */

/*
 * Where the elements of a value of the graph are: in buffers, which are indices into the dispatch
 * or NO_BUFFER for none, or nowhere, because its readers compute them by a function.
 */
enum { ORACLE_MAX_SOURCES = 8 };
struct oracle_place {
    size_t elements, variances;
    /*
     * The buffers are the tensors of an output: its expected elements, and their tolerances. If the
     * graph is evaluated twice, the second has standard deviations until all elements are known.
     */
    bool is_result;
    bool is_taken; /* the node's result is written over the buffers, which are no longer its own */
    size_t function;                    /* number of the function from 1 on, or 0 */
    size_t sources[ORACLE_MAX_SOURCES]; /* the buffers that the function reads */
    size_t source_count;
    size_t depth; /* how many functions one call of the function calls, itself included */
};

#define NO_BUFFER SIZE_MAX

struct oracle_writer {
    const struct graph *graph;
    const struct rounding *rounding; /* NULL if no variances are computed */
    /* every value is rounded to the storage type that the class allows (rounding.h) */
    bool rounds;
    bool errs, moves;      /* as in struct second_evaluation, if it is being written */
    bool strays;           /* elements at an edge are NaN (oracle/edge/edge.h) */
    enum wholeness *whole; /* by value of the graph */
    /* by node: the buffer that says which of its elements are at an edge, or NO_BUFFER; NULL if no
     * node can have any */
    size_t *edges;
    /* tolerances depend on a second evaluation too, so standard deviations are stored first */
    bool evaluates_twice;
    struct second_evaluation second_does;
    struct strbuf *source;
    struct dispatch *dispatch;
    struct oracle_place *places; /* by value of the graph */
    const size_t *allowed;       /* by value of the graph: the tensor with an output's tolerances */
    /*
     * by value of the graph: the tensor in float32 that takes an output's elements of the second
     * evaluation, because the candidate's elements come later; 0: none
     */
    const size_t *second;
    /* values with at least as many elements are not stored if their readers can compute them */
    int64_t inlined_elements;
    size_t functions; /* number of functions written so far */
    /* by buffer of the dispatch: true if no kernel needs its contents any more */
    bool *is_free;
    size_t free_count; /* entries of is_free */
    size_t kernels;    /* number of kernels written so far */
    struct oracle_sections sections;
};

/* Take a free buffer of doubles, or add one to the dispatch; and give it back. */
size_t oracle_writer_take(struct oracle_writer *writer, int64_t elements);
void oracle_writer_give(struct oracle_writer *writer, size_t buffer);

/* True if the kernels being written compute variances. */
bool oracle_writer_spreads(const struct oracle_writer *writer);

/* True if they store variances too, and read those of operands: in the first evaluation. */
bool oracle_writer_keeps_variances(const struct oracle_writer *writer);

/* A kernel of a node that is being written. */
struct oracle_kernel {
    struct oracle_writer *writer;
    const struct graph_node *node;
    struct op_call call;
    const struct oracle_rule *rule;
    /* a buffer that all kernels of the node share under the name `state`; or NO_BUFFER */
    size_t state;
    bool is_function; /* the node becomes a function of its readers in place of kernels */
};

/* True if the statistics of the node's lines are off by errors that the lines share. */
bool oracle_kernel_moves(const struct oracle_kernel *kernel);

/* Append text to the source. */
void oracle_kernel_add(struct oracle_kernel *kernel, const char *fmt, ...) PRINTF_LIKE(2, 3);

/*
 * Begin a kernel with `count` work-items and launch it: its arguments are the node's operands and
 * result. oracle_kernel_end() closes it.
 */
void oracle_kernel_begin(struct oracle_kernel *kernel, int64_t count);

/*
 * Like oracle_kernel_begin(), with `groups` work-groups of `size` work-items. In the kernel,
 * `group` is the number of the group and `lane` that of the work-item in it.
 */
void oracle_kernel_begin_groups(struct oracle_kernel *kernel, int64_t groups, size_t size);

/* End a kernel. */
void oracle_kernel_end(struct oracle_kernel *kernel);

/*
 * Store element `index` of the result, and its variance plus the variance of rounding it for
 * storage; or, in an output's own tensors, the element and its tolerance. Both arguments are
 * expressions.
 */
void oracle_kernel_store(struct oracle_kernel *kernel, const char *index, const char *value,
                         const char *variance);

/* Append an expression for element `i` of a tensor of the problem or of a buffer of doubles. */
void oracle_load(struct strbuf *out, const char *pointer, enum dtype dtype);

/*
 * Append the sum of stride * coordinate over the axes of a shape, for the element with the
 * row-major index `number`, which is a name or an expression in brackets.
 */
void oracle_strided(struct strbuf *out, const char *number, const struct shape *shape,
                    const ptrdiff_t *strides);

/* A kernel without a node: its arguments are `count` buffers, named b0, b1 and so on. */
struct oracle_call_of_buffers {
    const size_t *buffers;
    size_t count;
    int64_t work_items;
};
void oracle_writer_begin(struct oracle_writer *writer, const struct oracle_call_of_buffers *call);

/*
 * True if a call has few but long lines, and its operation allows many work-items to share a line.
 */
bool oracle_lines_have_parts(const struct op_call *call);

/* Write the kernels of a node; false if this kind of node has none here. By class of operation. */
bool oracle_write_elements(struct oracle_kernel *kernel);
bool oracle_write_lines(struct oracle_kernel *kernel);
bool oracle_write_channels(struct oracle_kernel *kernel);
bool oracle_write_product(struct oracle_kernel *kernel);
bool oracle_write_convolution(struct oracle_kernel *kernel);
bool oracle_write_pooling(struct oracle_kernel *kernel);
bool oracle_write_attention(struct oracle_kernel *kernel);
bool oracle_write_movement(struct oracle_kernel *kernel);
bool oracle_write_scatter(struct oracle_kernel *kernel);
bool oracle_write_recurrence(struct oracle_kernel *kernel);

/*
 * Write kernels that find how the variances of `count` elements change by the errors of an
 * implementation that rounds (rounding_fit()). Returns a buffer of numbers `b`: variance v becomes
 * fitted(v, b).
 */
size_t oracle_write_fit(struct oracle_writer *w, const struct oracle_place *exact,
                        const struct oracle_place *rounded, int64_t count, double margin);

/*
 * Write the kernels that store the expected elements of an output and their tolerances, where those
 * of its node do not. `other` are the places of the second evaluation; NULL if there is none.
 */
void oracle_write_result(struct oracle_writer *w, size_t output, const struct oracle_place *exact,
                         const struct oracle_place *other);

/*
 * Write a kernel that changes an output's tolerances by its elements in the evaluation that strays,
 * which are in buffer `strayed`.
 */
void oracle_write_strayed(struct oracle_writer *w, size_t output, size_t strayed);

/* Write kernels that change the variances of an inner value by the second evaluation that errs. */
void oracle_fit_inner(struct oracle_writer *w, const struct oracle_place *exact,
                      const struct oracle_place *other, int64_t count);

#endif
