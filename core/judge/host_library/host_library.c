#include "core/judge/host_library/host_library.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/host_library/blas.h"
#include "core/judge/host_library/host_library_family.h"
#include "core/judge/oracle/fill.h"
#include "core/system/clock.h"

struct host_library {
    float **values; /* values[i] belongs to graph->values.items[i] */
    size_t value_count;
    struct host_library_step *steps;
    size_t step_count;
};

static const struct host_library_rule *find_rule(const char *op)
{
    static const struct host_library_rule *const families[] = {
        host_library_elementwise, host_library_reduction, host_library_rowwise,
        host_library_channelwise, host_library_product,   host_library_convolution,
        host_library_pooling,     host_library_attention, host_library_recurrence,
        host_library_movement,    host_library_lookup,    NULL,
    };

    for (size_t f = 0; families[f]; f++)
        for (const struct host_library_rule *rule = families[f]; rule->op; rule++)
            if (strcmp(rule->op, op) == 0)
                return rule;
    return NULL;
}

/* float32 represents all integers up to this one. */
enum { MAX_EXACT = 1 << 24 };

/* True if float32 represents all values of the type; bool is 0 and 1. */
static bool fits_float32(enum dtype dtype)
{
    return dtype == DTYPE_F32 || dtype == DTYPE_F16 || dtype == DTYPE_BF16 || dtype == DTYPE_BOOL;
}

/* Operations that move integers or look up by them, without computing with them. */
static bool takes_integers(const struct op *op)
{
    return op->kind == OP_MOVEMENT || op->kind == OP_SCATTER || strcmp(op->name, "cast") == 0;
}

static bool is_exact(const struct value *value)
{
    int64_t last = value->shape.rank > 0 ? value->shape.dims[value->shape.rank - 1] : 1;

    if (value->fill.kind == FILL_PERMUTATION)
        return last <= MAX_EXACT;
    return fabs(value->fill.a) <= MAX_EXACT && fabs(value->fill.b) <= MAX_EXACT;
}

static enum status check_operand(const struct op_call *call, const struct value *in,
                                 struct error *err)
{
    bool is_integer = in->dtype == DTYPE_I32 || in->dtype == DTYPE_I64;

    if (!fits_float32(in->dtype) && !(is_integer && takes_integers(call->op)))
        return error_set(err, STATUS_NOT_FOUND, "%s of %s has no float32 version", call->op->name,
                         dtype_name(in->dtype));
    if (is_integer && !is_exact(in))
        return error_set(err, STATUS_NOT_FOUND, "float32 cannot represent the integers of \"%s\"",
                         in->name);
    return STATUS_OK;
}

static enum status check_call(const struct op_call *call, struct error *err)
{
    enum status st = STATUS_OK;

    if (!find_rule(call->op->name))
        return error_set(err, STATUS_NOT_FOUND, "%s has no float32 version", call->op->name);
    for (size_t i = 0; !st && i < call->in_count; i++)
        st = check_operand(call, call->in[i], err);
    if (!st && call->op->kind == OP_REDUCTION && call->out->dtype == DTYPE_I64 &&
        shape_elements(&call->in[0]->shape) / shape_elements(&call->out->shape) > MAX_EXACT)
        return error_set(err, STATUS_NOT_FOUND, "float32 cannot represent all indices of \"%s\"",
                         call->in[0]->name);
    return st;
}

enum status host_library_check(const struct problem *problem, const struct graph *graph,
                               struct error *err)
{
    struct error cause = {0};
    enum status st = STATUS_OK;

    if (graph->nodes.count == 0)
        return error_set(err, STATUS_NOT_FOUND, "%s: there is no graph to compute in float32",
                         problem->file);
    for (size_t n = 0; !st && n < graph->nodes.count; n++) {
        const struct op_call call = graph_call(graph, n);

        st = check_call(&call, &cause);
        if (st)
            error_set(err, st, "%s: graph[%zu]: %s", problem->file, n, cause.text);
    }
    return st;
}

/* Convert tensors made in advance, which are in the tensor's own type. */
static void make_given(const struct value *value, uint64_t seed, float *elements)
{
    size_t count = (size_t)shape_elements(&value->shape);
    void *stored = mem_alloc_zeroed(count, dtype_bytes(value->dtype));
    double *wide = mem_alloc_zeroed(count, sizeof(*wide));

    fill_make(value, seed, 0, stored);
    dtype_to_double(value->dtype, stored, wide, count);
    dtype_from_double(DTYPE_F32, wide, elements, count);
    free(stored);
    free(wide);
}

/*
 * Inputs, params and constants have the values of fill.h before they are rounded to their own type.
 */
static float *make_value(const struct value *value, uint64_t seed, size_t index)
{
    struct value single = *value;
    float *elements = mem_alloc_zeroed((size_t)shape_elements(&value->shape), sizeof(*elements));

    if (value->fill.kind == FILL_MODEL) {
        make_given(value, seed, elements);
        return elements;
    }
    single.dtype = DTYPE_F32;
    if (value->role != TENSOR_OUTPUT && value->role != TENSOR_INNER)
        fill_make(&single, seed, (uint32_t)index, elements);
    return elements;
}

static struct host_library_step make_step(const struct graph *graph, size_t n, float *const *values)
{
    const struct graph_node *node = &graph->nodes.items[n];
    struct host_library_step step = {
        .rule = find_rule(node->op->name),
        .op = graph_call(graph, n),
        .out = values[node->out],
    };

    for (size_t i = 0; i < node->in_count; i++)
        step.in[i] = values[node->in[i]];
    if (node->op->axes)
        step.lines = walk_lines_make(&step.op);
    if (step.lines.offsets)
        step.room = mem_alloc_zeroed(step.lines.count * host_library_pitch(&step.lines),
                                     sizeof(*step.room));
    return step;
}

struct host_library *host_library_new(const struct graph *graph, uint64_t seed)
{
    struct host_library *made = mem_alloc_zeroed(1, sizeof(*made));

    made->value_count = graph->values.count;
    made->values = mem_alloc_zeroed(made->value_count, sizeof(*made->values));
    for (size_t i = 0; i < made->value_count; i++)
        made->values[i] = make_value(&graph->values.items[i], seed, i);
    made->step_count = graph->nodes.count;
    made->steps = mem_alloc_zeroed(made->step_count, sizeof(*made->steps));
    for (size_t i = 0; i < made->step_count; i++)
        made->steps[i] = make_step(graph, i, made->values);
    host_library_run_us(
        made); /* slower than later runs: memory is mapped and threads are started */
    return made;
}

void host_library_free(struct host_library *library)
{
    if (!library)
        return;
    for (size_t i = 0; i < library->value_count; i++)
        free(library->values[i]);
    for (size_t i = 0; i < library->step_count; i++) {
        walk_lines_release(&library->steps[i].lines);
        free(library->steps[i].room);
    }
    free(library->values);
    free(library->steps);
    free(library);
}

double host_library_run_us(struct host_library *library)
{
    int64_t start_ns;
    double us;

    blas_use_cores(true);
    start_ns = clock_now_ns();
    for (size_t i = 0; i < library->step_count; i++)
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): every step has a rule */
        library->steps[i].rule->run(&library->steps[i]);
    us = (double)(clock_now_ns() - start_ns) / 1e3;
    blas_use_cores(false);
    return us;
}

const float *host_library_output(const struct host_library *library, size_t value)
{
    return library->values[value];
}

void host_library_add_version(struct strbuf *out)
{
    strbuf_adds(out, openblas_get_config());
}
