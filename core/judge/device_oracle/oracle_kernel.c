#include "core/judge/device_oracle/oracle_kernel.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/vec.h"
#include "core/codegen/formula.h"
#include "core/judge/oracle/rounding/dependence.h"
#include "core/judge/oracle/rounding/kept_elements.h"
#include "core/judge/oracle/rounding/second_evaluation.h"

enum { GROUP = 64 };

static size_t add_buffer(struct oracle_writer *w, int64_t elements)
{
    struct strbuf name = {0};
    struct buffer_spec added = {.dtype = DTYPE_F64, .elements = elements};

    strbuf_addf(&name, "scratch_%zu", w->dispatch->buffers.count);
    added.name = strbuf_take(&name);
    vec_push(&w->dispatch->buffers, added);
    w->is_free = mem_resize(w->is_free, w->dispatch->buffers.count, sizeof(*w->is_free));
    while (w->free_count < w->dispatch->buffers.count)
        w->is_free[w->free_count++] = false;
    return w->dispatch->buffers.count - 1;
}

/* Enlarge the largest free buffer, which is too small; NO_BUFFER if none is free. */
static size_t enlarge_buffer(struct oracle_writer *w, int64_t elements)
{
    size_t largest = NO_BUFFER;

    for (size_t i = w->dispatch->tensor_count; i < w->free_count; i++) {
        int64_t size = w->dispatch->buffers.items[i].elements;

        if (w->is_free[i] && size < elements &&
            (largest == NO_BUFFER || size > w->dispatch->buffers.items[largest].elements))
            largest = i;
    }
    if (largest != NO_BUFFER)
        w->dispatch->buffers.items[largest].elements = elements;
    return largest;
}

/*
 * Take the smallest free buffer that is large enough, unless more than half of it would be unused;
 * else enlarge one that is free. Buffers are made when the whole program is written.
 */
size_t oracle_writer_take(struct oracle_writer *writer, int64_t elements)
{
    size_t best = NO_BUFFER;

    for (size_t i = writer->dispatch->tensor_count; i < writer->free_count; i++) {
        int64_t size = writer->dispatch->buffers.items[i].elements;

        if (writer->is_free[i] && size >= elements && size / 2 <= elements &&
            (best == NO_BUFFER || size < writer->dispatch->buffers.items[best].elements))
            best = i;
    }
    best = best == NO_BUFFER ? enlarge_buffer(writer, elements) : best;
    best = best == NO_BUFFER ? add_buffer(writer, elements) : best;
    writer->is_free[best] = false;
    return best;
}

void oracle_writer_give(struct oracle_writer *writer, size_t buffer)
{
    if (buffer != NO_BUFFER && buffer >= writer->dispatch->tensor_count)
        writer->is_free[buffer] = true;
}

bool oracle_writer_spreads(const struct oracle_writer *writer)
{
    return writer->rounding &&
           (writer->errs || (!writer->rounds && !writer->moves && !writer->strays));
}

bool oracle_writer_keeps_variances(const struct oracle_writer *writer)
{
    return oracle_writer_spreads(writer) && !writer->errs;
}

bool oracle_kernel_moves(const struct oracle_kernel *kernel)
{
    const struct graph *graph = kernel->writer->graph;

    return kernel->writer->moves &&
           shared_error_is(graph, (size_t)(kernel->node - graph->nodes.items));
}

void oracle_kernel_add(struct oracle_kernel *kernel, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    strbuf_vaddf(kernel->writer->source, fmt, args);
    va_end(args);
}

static struct launch *begin_launch(struct oracle_writer *w, int64_t groups, size_t size)
{
    struct launch launch = {.rank = 1, .local = {size}};
    struct strbuf name = {0};

    launch.global[0] = (size_t)groups * size;
    strbuf_addf(&name, "oracle_%zu", w->kernels++);
    launch.kernel = strbuf_take(&name);
    vec_push(&w->dispatch->launches, launch);
    strbuf_addf(w->source, "__kernel void %s(", launch.kernel);
    return &w->dispatch->launches.items[w->dispatch->launches.count - 1];
}

static void add_arg(struct oracle_writer *w, struct launch *launch, size_t buffer)
{
    if (launch->arg_count)
        strbuf_adds(w->source, ", ");
    launch->args[launch->arg_count++] = (struct launch_arg){.kind = ARG_BUFFER, .buffer = buffer};
}

/* The number of work-groups for a number of work-items. */
static int64_t groups_for(int64_t work_items)
{
    return (work_items + GROUP - 1) / GROUP;
}

static void begin_body(struct oracle_writer *w, int64_t work_items)
{
    strbuf_addf(w->source,
                ")\n{\n    if (get_global_id(0) >= %lld)\n        return;\n"
                "    const INDEX i = (INDEX)get_global_id(0);\n",
                (long long)work_items);
}

/* The type of a buffer's elements in a kernel. */
static const char *storage_type(enum dtype dtype)
{
    return dtype == DTYPE_F64 ? "double" : formula_type(dtype)->storage;
}

void oracle_writer_begin(struct oracle_writer *writer, const struct oracle_call_of_buffers *call)
{
    struct launch *launch = begin_launch(writer, groups_for(call->work_items), GROUP);

    for (size_t b = 0; b < call->count; b++) {
        enum dtype dtype = writer->dispatch->buffers.items[call->buffers[b]].dtype;

        add_arg(writer, launch, call->buffers[b]);
        strbuf_addf(writer->source, "__global %s *b%zu", storage_type(dtype), b);
    }
    begin_body(writer, call->work_items);
}

void oracle_load(struct strbuf *out, const char *pointer, enum dtype dtype)
{
    struct formula_words words = {0};

    words.of['p'] = pointer;
    words.of['i'] = "(i)";
    formula_expand(dtype == DTYPE_F64 ? "$p[$i]" : formula_type(dtype)->load, &words, out);
}

static const struct oracle_place *place_of(const struct oracle_kernel *k, size_t operand)
{
    return &k->writer->places[k->node->in[operand]];
}

/* Define X or V as a call of the function that computes the operand. */
static void define_call(struct oracle_kernel *k, size_t operand, const char *macro,
                        const char *function)
{
    const struct oracle_place *place = place_of(k, operand);

    oracle_kernel_add(k, "#define %s%zu(i) %s_%zu(", macro, operand, function, place->function);
    for (size_t s = 0; s < place->source_count; s++)
        oracle_kernel_add(k, "p%zu_%zu, ", operand, s);
    oracle_kernel_add(k, "i)\n");
}

static void define_elements(struct oracle_kernel *k, size_t operand)
{
    const struct value *value = k->call.in[operand];
    struct oracle_writer *w = k->writer;
    bool is_given = tensor_is_given(value->role);
    struct strbuf load = {0}, pointer = {0};

    strbuf_addf(&pointer, "p%zu", operand);
    oracle_load(&load, strbuf_cstr(&pointer), is_given ? value->dtype : DTYPE_F64);
    if (place_of(k, operand)->function)
        define_call(k, operand, "X", "value");
    else if (value->role == TENSOR_CONSTANT)
        oracle_kernel_add(k, "#define X%zu(i) ((double)%.17g)\n", operand, value->fill.a);
    else if (is_given && w->rounds && rounding_changes_given(w->rounding, value->dtype))
        oracle_kernel_add(k, "#define X%zu(i) ROUNDED_%s((double)%s)\n", operand,
                          dtype_name(value->dtype), strbuf_cstr(&load));
    else
        oracle_kernel_add(k, "#define X%zu(i) ((double)%s)\n", operand, strbuf_cstr(&load));
    strbuf_release(&load);
    strbuf_release(&pointer);
}

static void define_variances(struct oracle_kernel *k, size_t operand)
{
    const struct value *value = k->call.in[operand];
    const struct oracle_writer *w = k->writer;
    bool is_spread = oracle_writer_keeps_variances(w);

    if (is_spread && value->role == TENSOR_CONSTANT)
        oracle_kernel_add(k, "#define V%zu(i) ((double)%.17g)\n", operand,
                          rounding_constant_variance(value->dtype, value->fill.a));
    else if (is_spread &&
             dependence_compares_exact_sum(w->graph, (size_t)(k->node - w->graph->nodes.items),
                                           operand, w->rounding))
        oracle_kernel_add(k, "#define V%zu(i) (X%zu(i) == 0 ? 0.0 : STORED_%s(X%zu(i)))\n", operand,
                          operand, dtype_name(value->dtype), operand);
    else if (is_spread && place_of(k, operand)->function)
        define_call(k, operand, "V", "variance");
    else if (is_spread && place_of(k, operand)->variances != NO_BUFFER)
        oracle_kernel_add(k, "#define V%zu(i) v%zu[i]\n", operand, operand);
    else if (is_spread && tensor_is_given(value->role) &&
             w->whole[k->node->in[operand]] != WHOLE_EXACT &&
             rounding_changes_given(w->rounding, value->dtype))
        oracle_kernel_add(k, "#define V%zu(i) GIVEN_%s(X%zu(i))\n", operand,
                          dtype_name(value->dtype), operand);
    else
        oracle_kernel_add(k, "#define V%zu(i) 0.0\n", operand);
}

/* Add a parameter for a buffer that is read; the caller appends its name. */
static void add_source(struct oracle_kernel *k, struct launch *launch, size_t buffer)
{
    struct oracle_place *own = &k->writer->places[k->node->out];
    enum dtype dtype = k->writer->dispatch->buffers.items[buffer].dtype;

    if (launch)
        add_arg(k->writer, launch, buffer);
    else
        own->sources[own->source_count++] = buffer;
    oracle_kernel_add(k, "__global const %s *", storage_type(dtype));
}

/* Add the parameters for an operand. Those of a function end in commas. */
static void add_operand(struct oracle_kernel *k, struct launch *launch, size_t operand)
{
    const struct value *value = k->call.in[operand];
    const struct oracle_place *place = place_of(k, operand);
    const char *end = launch ? "" : ", ";

    for (size_t s = 0; s < place->source_count; s++) {
        add_source(k, launch, place->sources[s]);
        oracle_kernel_add(k, "p%zu_%zu%s", operand, s, end);
    }
    if (place->function || value->role == TENSOR_CONSTANT)
        return;
    add_source(k, launch, place->elements);
    oracle_kernel_add(k, "p%zu%s", operand, end);
    if (!oracle_writer_spreads(k->writer) || place->variances == NO_BUFFER)
        return;
    add_source(k, launch, place->variances);
    oracle_kernel_add(k, "v%zu%s", operand, end);
}

static void define_operands(struct oracle_kernel *k)
{
    for (size_t operand = 0; operand < k->call.in_count; operand++) {
        define_elements(k, operand);
        define_variances(k, operand);
    }
}

/* Begin the function of a node: it computes element `i` and its variance. */
static void begin_function(struct oracle_kernel *k)
{
    struct oracle_writer *w = k->writer;

    define_operands(k);
    w->places[k->node->out].function = ++w->functions;
    oracle_kernel_add(k, "FN void element_%zu(", w->functions);
    for (size_t operand = 0; operand < k->call.in_count; operand++)
        add_operand(k, NULL, operand);
    oracle_kernel_add(k, "const INDEX i, double *to, double *to_variance)\n{\n");
}

/* Write the functions that call the one of a node for the element or for its variance alone. */
static void add_part(struct oracle_kernel *k, const char *name, const char *result)
{
    const struct oracle_place *own = &k->writer->places[k->node->out];

    oracle_kernel_add(k, "FN double %s_%zu(", name, own->function);
    for (size_t s = 0; s < own->source_count; s++)
        oracle_kernel_add(k, "__global const %s *b%zu, ",
                          storage_type(k->writer->dispatch->buffers.items[own->sources[s]].dtype),
                          s);
    oracle_kernel_add(k, "const INDEX i)\n{\n    double x, v;\n    element_%zu(", own->function);
    for (size_t s = 0; s < own->source_count; s++)
        oracle_kernel_add(k, "b%zu, ", s);
    oracle_kernel_add(k, "i, &x, &v);\n    return %s;\n}\n", result);
}

/* Write the head of a kernel: its name and its arguments. */
static void begin_head(struct oracle_kernel *kernel, int64_t groups, size_t size)
{
    struct oracle_writer *w = kernel->writer;
    const struct oracle_place *out = &w->places[kernel->node->out];
    struct launch *launch;

    define_operands(kernel);
    launch = begin_launch(w, groups, size);
    for (size_t operand = 0; operand < kernel->call.in_count; operand++)
        add_operand(kernel, launch, operand);
    if (kernel->state != NO_BUFFER) {
        add_arg(w, launch, kernel->state);
        oracle_kernel_add(kernel, "__global double *state");
    }
    add_arg(w, launch, out->elements);
    oracle_kernel_add(kernel, "__global %s *to",
                      storage_type(w->dispatch->buffers.items[out->elements].dtype));
    if (out->variances != NO_BUFFER && oracle_writer_spreads(w)) {
        add_arg(w, launch, out->variances);
        oracle_kernel_add(kernel, "__global %s *to_variances",
                          storage_type(w->dispatch->buffers.items[out->variances].dtype));
    }
}

void oracle_kernel_begin(struct oracle_kernel *kernel, int64_t count)
{
    if (kernel->is_function) {
        begin_function(kernel);
        return;
    }
    begin_head(kernel, groups_for(count), GROUP);
    begin_body(kernel->writer, count);
}

void oracle_kernel_begin_groups(struct oracle_kernel *kernel, int64_t groups, size_t size)
{
    begin_head(kernel, groups, size);
    oracle_kernel_add(kernel,
                      ")\n{\n    const INDEX group = (INDEX)(get_global_id(0) / %zu);\n"
                      "    const int lane = (int)(get_global_id(0) %% %zu);\n",
                      size, size);
}

void oracle_kernel_end(struct oracle_kernel *kernel)
{
    oracle_kernel_add(kernel, "}\n");
    for (size_t operand = 0; operand < kernel->call.in_count; operand++)
        oracle_kernel_add(kernel, "#undef X%zu\n#undef V%zu\n", operand, operand);
    if (!kernel->is_function)
        return;
    add_part(kernel, "value", "x");
    add_part(kernel, "variance", "v");
}

/* True if the kernel's element has a variance of its own from being rounded for storage. */
static bool is_stored_rounded(const struct oracle_kernel *k)
{
    return dtype_is_float(k->call.out->dtype) && !kept_elements_are(&k->call, k->rule) &&
           k->writer->whole[k->node->out] != WHOLE_EXACT &&
           !last_rounding_is(k->writer->graph, k->node->out, k->writer->rounding);
}

/* Append the variance of storing the element `name`; small whole numbers have none. */
static void add_stored(const struct oracle_kernel *k, const char *name, struct strbuf *out)
{
    const char *type = dtype_name(k->call.out->dtype);
    enum wholeness whole = k->writer->whole[k->node->out];

    if (!is_stored_rounded(k))
        return;
    if (whole == WHOLE_NOT && kept_zeros_are(&k->call, k->rule))
        strbuf_addf(out, " + (%s == 0 ? 0.0 : STORED_%s(%s))", name, type, name);
    else if (whole == WHOLE_NOT)
        strbuf_addf(out, " + STORED_%s(%s)", type, name);
    else
        strbuf_addf(out, " + (fabs(%s) <= %.17g && %s == rint(%s) ? 0.0 : STORED_%s(%s))", name,
                    whole_number_limit(k->writer->rounding->is_mixed), name, name, type, name);
}

/* Store an expected element, and its tolerance or the standard deviation of its error. */
static void store_result(struct oracle_kernel *k, const char *index, const char *value,
                         const char *variance)
{
    enum dtype dtype = k->call.out->dtype;
    struct strbuf off = {0};

    oracle_kernel_add(k, "{ const double stored = %s; to[%s] = stored; ", value, index);
    strbuf_addf(&off, "(%s)", variance);
    if (oracle_writer_spreads(k->writer))
        add_stored(k, "stored", &off);
    if (oracle_writer_spreads(k->writer) && k->writer->evaluates_twice)
        oracle_kernel_add(k, "to_variances[%s] = (float)sqrt(%s); ", index, strbuf_cstr(&off));
    else if (oracle_writer_spreads(k->writer) && dtype_is_float(dtype))
        oracle_kernel_add(k, "to_variances[%s] = allow_float(stored, %s, %.17g, %.17g); ", index,
                          strbuf_cstr(&off), dtype_spacing(dtype, 1), rounding_least(dtype));
    else if (oracle_writer_spreads(k->writer))
        oracle_kernel_add(k, "to_variances[%s] = allow_integer(%s); ", index, strbuf_cstr(&off));
    oracle_kernel_add(k, "} ");
    strbuf_release(&off);
}

/* Store an element of the second evaluation, with the error that the node itself makes. */
static void store_with_error(struct oracle_kernel *k, const char *at, const char *value,
                             const char *variance)
{
    oracle_kernel_add(
        k, "{ const double right = %s; to[%s] = ROUNDED_%s(right + own_error(right, %s)); } ",
        value, at, dtype_name(k->call.out->dtype), variance);
}

/* Write what oracle_kernel_store() describes, with the variance that the value has. */
static void store(struct oracle_kernel *kernel, const char *index, const char *value,
                  const char *variance)
{
    const struct oracle_writer *w = kernel->writer;
    const char *name = dtype_name(kernel->call.out->dtype);
    const char *at = kernel->is_function ? "0" : index;
    const char *variances = kernel->is_function ? "to_variance" : "to_variances";
    bool rounds =
        dtype_is_float(kernel->call.out->dtype) && w->whole[kernel->node->out] != WHOLE_EXACT;
    struct strbuf to = {0}, stored = {0};

    if (w->places[kernel->node->out].is_result && !w->rounds && !w->moves) {
        store_result(kernel, index, value, variance);
        return;
    }
    if (w->errs && rounds && !kernel->rule->keeps_elements && !kernel->rule->errs_itself)
        store_with_error(kernel, at, value, variance);
    else if (w->rounds && rounds)
        oracle_kernel_add(kernel, "to[%s] = ROUNDED_%s(%s); ", at, name, value);
    else
        oracle_kernel_add(kernel, "to[%s] = %s; ", at, value);
    if (!oracle_writer_keeps_variances(w) && kernel->is_function)
        oracle_kernel_add(kernel, "to_variance[0] = 0; ");
    if (!oracle_writer_keeps_variances(w))
        return;
    strbuf_addf(&to, "to[%s]", at);
    add_stored(kernel, strbuf_cstr(&to), &stored);
    oracle_kernel_add(kernel, "%s[%s] = (%s)%s; ", variances, at, variance, strbuf_cstr(&stored));
    strbuf_release(&to);
    strbuf_release(&stored);
}

void oracle_kernel_store(struct oracle_kernel *kernel, const char *index, const char *value,
                         const char *variance)
{
    struct strbuf rest = {0};

    strbuf_addf(&rest, "(%s) == 0 ? 0.0 : (%s)", value, variance);
    switch (kernel->writer->whole[kernel->node->out]) {
    case WHOLE_EXACT:
        store(kernel, index, value, "0.0");
        break;
    case WHOLE_REST:
        store(kernel, index, value, strbuf_cstr(&rest));
        break;
    case WHOLE_NOT:
    case WHOLE_STORED:
        store(kernel, index, value, variance);
        break;
    }
    strbuf_release(&rest);
}

void oracle_strided(struct strbuf *out, const char *number, const struct shape *shape,
                    const ptrdiff_t *strides)
{
    ptrdiff_t dense[SHAPE_MAX_RANK];
    bool is_first = true;

    shape_strides(shape, dense);
    strbuf_adds(out, "(");
    for (size_t axis = 0; axis < shape->rank; axis++) {
        if (shape->dims[axis] == 1 || strides[axis] == 0)
            continue;
        strbuf_addf(out, "%s%s / %td %% %lld * %td", is_first ? "" : " + ", number, dense[axis],
                    (long long)shape->dims[axis], strides[axis]);
        is_first = false;
    }
    strbuf_adds(out, is_first ? "0)" : ")");
}
