#include "core/judge/device_oracle/oracle_program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/vec.h"
#include "core/codegen/dialect.h"
#include "core/codegen/formula.h"
#include "core/judge/device_oracle/attention.cl.h"
#include "core/judge/device_oracle/functions.cl.h"
#include "core/judge/device_oracle/lines.cl.h"
#include "core/judge/device_oracle/oracle_kernel.h"
#include "core/judge/device_oracle/oracle_place.h"
#include "core/judge/device_oracle/oracle_sharing.h"
#include "core/judge/device_oracle/parts.cl.h"
#include "core/judge/device_oracle/products.cl.h"
#include "core/judge/device_oracle/recurrence.cl.h"
#include "core/judge/device_oracle/results.cl.h"
#include "core/judge/executor/readback.h"
#include "core/judge/oracle/choice/choice.h"
#include "core/judge/oracle/edge/edge.h"
#include "core/judge/task/expected_outputs.h"

enum { INLINED_ELEMENTS = 1 << 24, MOST_KERNELS = 64 };

/*
 * For fewer lines than FEW_LINES the device is faster than the CPU only if they have at most
 * LONG_LINE elements.
 */
enum { FEW_LINES = 64, LONG_LINE = 1 << 21 };

typedef bool family_fn(struct oracle_kernel *kernel);

static family_fn *const families[] = {
    [OP_ELEMENTWISE] = oracle_write_elements, [OP_REDUCTION] = oracle_write_lines,
    [OP_ROWWISE] = oracle_write_lines,        [OP_CHANNELWISE] = oracle_write_channels,
    [OP_PRODUCT] = oracle_write_product,      [OP_CONVOLUTION] = oracle_write_convolution,
    [OP_ATTENTION] = oracle_write_attention,  [OP_WINDOW] = oracle_write_pooling,
    [OP_MOVEMENT] = oracle_write_movement,    [OP_RECURRENCE] = oracle_write_recurrence,
    [OP_SCATTER] = oracle_write_scatter,
};

void oracle_program_release(struct oracle_program *program)
{
    strbuf_release(&program->source);
    dispatch_release(&program->dispatch);
    vec_release(&program->tensors);
    vec_release(&program->compared);
    free(program->allowed);
    *program = (struct oracle_program){0};
}

static size_t add_tensor(struct oracle_program *program, const struct value *value)
{
    struct buffer_spec buffer = {.name = mem_strdup(value->name),
                                 .dtype = value->dtype,
                                 .elements = shape_elements(&value->shape)};

    vec_push(&program->tensors, *value);
    vec_push(&program->dispatch.buffers, buffer);
    program->dispatch.tensor_count++;
    return program->tensors.count - 1;
}

/* A tensor of doubles that is read back. */
static size_t add_results(struct oracle_program *program, const struct value *output,
                          int64_t elements)
{
    const struct value results = {.name = output->name,
                                  .role = TENSOR_OUTPUT,
                                  .dtype = DTYPE_F64,
                                  .shape = {.rank = 1, .dims = {elements}}};

    return add_tensor(program, &results);
}

/* Add the tensors for the comparison of output `index`. */
static void add_compared(struct oracle_program *program, const struct value *output, size_t index)
{
    struct oracle_compared compared = {.value = index, .allowed = program->allowed[index]};
    struct value got = *output;

    got.role = TENSOR_INNER;
    compared.got = add_tensor(program, &got);
    compared.found = add_results(program, output, oracle_comparison_found(&output->shape));
    compared.cells = add_results(program, output, oracle_comparison_cells(&output->shape));
    vec_push(&program->compared, compared);
}

/* Add the problem's tensors, then the tolerances of its outputs. */
static void add_tensors(struct oracle_program *program,
                        const struct oracle_program_request *request)
{
    size_t count = request->problem->tensors.count;

    for (size_t i = 0; i < count; i++) {
        struct value value = request->graph->values.items[i];

        if (value.role == TENSOR_OUTPUT) {
            value.dtype = expected_outputs_dtype(&value);
            value.role = request->compares ? TENSOR_INNER : TENSOR_OUTPUT;
        }
        add_tensor(program, &value);
    }
    for (size_t i = 0; i < count && request->rounding; i++) {
        struct value value = request->graph->values.items[i];

        if (value.role != TENSOR_OUTPUT)
            continue;
        value.dtype = DTYPE_F32;
        value.role = request->compares ? TENSOR_INNER : TENSOR_OUTPUT;
        program->allowed[i] = add_tensor(program, &value);
        if (request->compares)
            add_compared(program, &request->graph->values.items[i], i);
    }
}

/* Define the type in which values of each type are stored (rounding.h). */
static void define_storage(const struct rounding *rounding, struct strbuf *source)
{
    for (size_t i = 0; i < DTYPE_COUNT; i++) {
        struct rounding_storage storage;

        if (!rounding || !dtype_is_float((enum dtype)i))
            continue;
        storage = rounding_storage_of(rounding, (enum dtype)i);
        strbuf_addf(source,
                    "#define STORED_%s(x) stored_variance(x, %.17g, %.17g)\n"
                    "#define GIVEN_%s(x) given_variance(x, %.17g, %.17g)\n",
                    dtype_names[i], dtype_spacing(storage.dtype, 1), storage.smallest,
                    dtype_names[i], dtype_spacing(storage.dtype, 1), storage.smallest);
        strbuf_addf(source,
                    "#define ROUNDED_%s(x) round_tiny(f_cast_%s(x, 0, 0, 0, 0), %.17g, %.17g)\n",
                    dtype_names[i], dtype_name(storage.dtype),
                    storage.smallest / dtype_spacing(storage.dtype, 1), storage.smallest);
    }
}

static bool has_recurrence(const struct graph *graph)
{
    for (size_t n = 0; n < graph->nodes.count; n++)
        if (graph->nodes.items[n].op->kind == OP_RECURRENCE)
            return true;
    return false;
}

/* Indices are 64 bits wide only where a tensor needs it, because they take longer to compute. */
static bool has_large_values(const struct graph *graph)
{
    for (size_t i = 0; i < graph->values.count; i++)
        if (shape_elements(&graph->values.items[i].shape) > INT32_MAX)
            return true;
    return false;
}

static void add_prelude(struct oracle_writer *w, const char *language)
{
    const struct dialect *dialect = dialect_of(language);

    strbuf_adds(w->source, dialect->prelude);
    if (has_large_values(w->graph))
        strbuf_adds(w->source, "#define INDEX long\n");
    strbuf_adds(w->source, functions_cl);
    strbuf_adds(w->source, lines_cl);
    strbuf_adds(w->source, parts_cl);
    strbuf_adds(w->source, products_cl);
    strbuf_adds(w->source, attention_cl);
    strbuf_adds(w->source, results_cl);
    if (has_recurrence(w->graph))
        strbuf_adds(w->source, recurrence_cl);
    define_storage(w->rounding, w->source);
}

/* True if the node has few long lines, each processed by a single work-item. */
static bool is_narrow(const struct op_call *call)
{
    int64_t lines = 1, all = shape_elements(&call->in[0]->shape);
    unsigned axes;

    if (call->op->kind != OP_REDUCTION && call->op->kind != OP_ROWWISE)
        return false;
    if (oracle_lines_have_parts(call))
        return false;
    axes = call->op->axes(call);
    for (size_t i = 0; i < call->in[0]->shape.rank; i++)
        lines *= axes >> i & 1 ? 1 : call->in[0]->shape.dims[i];
    return lines < FEW_LINES && all / lines > LONG_LINE;
}

static enum status write_node(struct oracle_writer *w, size_t node, struct error *err)
{
    const struct graph_node *place = &w->graph->nodes.items[node];
    struct oracle_kernel kernel = {
        .writer = w, .node = place, .call = graph_call(w->graph, node), .state = NO_BUFFER};
    family_fn *family = families[kernel.call.op->kind];

    kernel.rule = oracle_rule_of(kernel.call.op->name);
    kernel.is_function = oracle_place_result(w, node);
    if (!kernel.rule || !family || is_narrow(&kernel.call) || !family(&kernel))
        return error_set(err, STATUS_UNAVAILABLE, "graph[%zu]: no kernel of the oracle for this %s",
                         node, kernel.call.op->name);
    oracle_places_give(w, node);
    return STATUS_OK;
}

/* Begin a section of the source (oracle_sharing.h). */
static void begin_section(struct oracle_writer *w)
{
    vec_push(&w->sections, w->source->len);
}

/* Begin or end the second evaluation, whose values are at `places`. Returns the other's places. */
static struct oracle_place *change_evaluation(struct oracle_writer *w, struct oracle_place *places,
                                              bool is_second)
{
    struct oracle_place *before = w->places;

    w->places = places;
    w->rounds = is_second && w->second_does.rounds;
    w->errs = is_second && w->second_does.errs;
    w->moves = is_second && w->second_does.moves;
    return before;
}

/* Take a buffer for each node whose elements may be at the edge of a domain (oracle/edge). */
static void take_edges(struct oracle_writer *w)
{
    bool *possible = w->rounding ? edges_possible(w->graph) : NULL;

    if (!possible)
        return;
    w->edges = mem_alloc_zeroed(w->graph->nodes.count, sizeof(*w->edges));
    for (size_t n = 0; n < w->graph->nodes.count; n++) {
        const struct value *out = &w->graph->values.items[w->graph->nodes.items[n].out];

        w->edges[n] = possible[n] ? oracle_writer_take(w, shape_elements(&out->shape)) : NO_BUFFER;
    }
    free(possible);
}

/* Write the kernels of a node, and those of the second evaluation if it goes beside the first. */
static enum status write_both(struct oracle_writer *w, size_t node, struct oracle_place *beside,
                              struct error *err)
{
    size_t out = w->graph->nodes.items[node].out;
    enum status st;

    begin_section(w);
    st = write_node(w, node, err);
    if (st || !beside)
        return st;
    begin_section(w);
    beside = change_evaluation(w, beside, true);
    st = write_node(w, node, err);
    beside = change_evaluation(w, beside, false);
    begin_section(w);
    if (!st && second_evaluation_fits(w->graph, node))
        oracle_fit_inner(w, &w->places[out], &beside[out],
                         shape_elements(&w->graph->values.items[out].shape));
    return st;
}

static enum status write_nodes(struct oracle_writer *w, struct oracle_place *beside,
                               struct error *err)
{
    enum status st = STATUS_OK;

    for (size_t n = 0; !st && n < w->graph->nodes.count; n++)
        st = write_both(w, n, beside, err);
    return st;
}

/* Write both evaluations. The second is written beside the first if it errs, and after it if not.
 */
static enum status write_evaluations(struct oracle_writer *w, struct oracle_place *other,
                                     struct error *err)
{
    bool is_beside = other && w->second_does.errs;
    enum status st = write_nodes(w, is_beside ? other : NULL, err);

    if (st || !other || is_beside)
        return st;
    other = change_evaluation(w, other, true);
    st = write_nodes(w, NULL, err);
    change_evaluation(w, other, false);
    return st;
}

/* Write the evaluation with NaN at the edges of domains, if elements can be there. */
static enum status write_strays(struct oracle_writer *w, struct error *err)
{
    struct oracle_place *exact, *places;
    enum status st;

    if (!w->edges)
        return STATUS_OK;
    places = oracle_places_new(w);
    exact = change_evaluation(w, places, false);
    w->strays = true;
    st = write_nodes(w, NULL, err);
    for (size_t i = 0; !st && i < w->graph->values.count; i++) {
        begin_section(w);
        if (w->graph->values.items[i].role == TENSOR_OUTPUT)
            oracle_write_strayed(w, i, places[i].elements);
    }
    w->strays = false;
    change_evaluation(w, exact, false);
    free(places);
    return st;
}

static enum status write_all(struct oracle_writer *w, struct error *err)
{
    struct oracle_place *exact = w->places;
    struct oracle_place *other = w->evaluates_twice ? oracle_places_new(w) : NULL;
    enum status st = write_evaluations(w, other, err);

    for (size_t i = 0; !st && i < w->graph->values.count; i++) {
        begin_section(w);
        if (w->graph->values.items[i].role == TENSOR_OUTPUT && (!exact[i].is_result || other))
            oracle_write_result(w, i, exact, other);
    }
    free(other);
    return st ? st : write_strays(w, err);
}

/* By value of the graph: the tensor for an output's elements of the second evaluation. The caller
 * frees. */
static size_t *find_second(const struct oracle_program *program,
                           const struct oracle_program_request *request)
{
    size_t *second = mem_alloc_zeroed(request->graph->values.count + 1, sizeof(*second));

    for (size_t i = 0; i < program->compared.count; i++) {
        const struct oracle_compared *compared = &program->compared.items[i];

        if (request->graph->values.items[compared->value].dtype == DTYPE_F32)
            second[compared->value] = compared->got;
    }
    return second;
}

enum status oracle_program_write(const struct oracle_program_request *request,
                                 struct oracle_program *program, struct error *err)
{
    struct oracle_program made = {
        .dispatch.options = mem_strdup(request->build ? request->build : ""),
        .allowed = mem_alloc_zeroed(request->graph->values.count + 1, sizeof(size_t))};
    size_t *second = NULL;
    struct oracle_writer w = {.graph = request->graph,
                              .rounding = request->rounding,
                              .source = &made.source,
                              .dispatch = &made.dispatch,
                              .allowed = made.allowed,
                              .inlined_elements = request->inlined_elements > 0
                                                      ? request->inlined_elements
                                                      : INLINED_ELEMENTS};
    enum status st;

    if (!dialect_of(request->language))
        st =
            error_set(err, STATUS_UNAVAILABLE, "kforge writes no kernels in %s", request->language);
    else if (request->graph->nodes.count == 0)
        st = error_set(err, STATUS_UNAVAILABLE, "%s: the problem has no graph",
                       request->problem->name);
    else if (request->rounding && choices_in(request->graph, request->rounding))
        st = error_set(err, STATUS_UNAVAILABLE, "%s: numbers that rounding may choose otherwise",
                       request->problem->name);
    else
        st = STATUS_OK;
    add_tensors(&made, request);
    w.second = second = find_second(&made, request);
    if (w.rounding)
        w.second_does = second_evaluation_of(w.graph, w.rounding);
    w.evaluates_twice = w.second_does.rounds || w.second_does.moves;
    w.is_free = mem_alloc_zeroed(made.dispatch.buffers.count + 1, sizeof(*w.is_free));
    w.free_count = made.dispatch.buffers.count;
    w.whole = wholeness_of(w.graph);
    w.places = oracle_places_new(&w);
    if (!st) {
        take_edges(&w);
        add_prelude(&w, request->language);
        st = write_all(&w, err);
    }
    if (!st)
        oracle_share_kernels(&made.source, &w.sections, &made.dispatch,
                             request->most_kernels ? request->most_kernels : MOST_KERNELS);
    vec_release(&w.sections);
    free(w.is_free);
    free(w.edges);
    free(w.whole);
    free(w.places);
    free(second);
    if (st)
        oracle_program_release(&made);
    else
        *program = made;
    return st;
}

double oracle_program_scratch(const struct oracle_program_request *request)
{
    struct oracle_program program = {0};
    struct error none;
    double bytes = 0;

    if (oracle_program_write(request, &program, &none))
        return 0;
    for (size_t i = program.dispatch.tensor_count; i < program.dispatch.buffers.count; i++)
        bytes += (double)readback_contents(&program.dispatch.buffers.items[i]);
    oracle_program_release(&program);
    return bytes;
}
