#include "core/judge/torch/bridge_tensors.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/oracle/fill.h"
#include "core/model/roofline/needs.h"
#include "core/system/clock.h"
#include "core/system/parallel.h"

/*
 * Number of sets that a model makes in advance: as many as fit in SETS_BYTES, so that a kernel
 * seldom sees the same data twice.
 */
enum { MAX_SETS = 16, LEAST_SETS = 2, SETS_BYTES = 1 << 28, ALIGNMENT = 64 };

/* No more sets are made after this time, because the first verdict waits for them. */
static const int64_t sets_us = 3000000;

/* Places of tensors in the shared memory, in the form of a request. */
struct layout {
    struct json *places; /* array */
    size_t bytes;        /* sum of all places so far */
};

static size_t value_bytes(const struct value *value, enum dtype dtype)
{
    return (size_t)shape_elements(&value->shape) * dtype_bytes(dtype);
}

/* Add a place for `value` with elements of `dtype`; returns its offset. */
static size_t add_place(struct layout *layout, const struct value *value, enum dtype dtype)
{
    struct json *place = json_push(layout->places, json_object_new());
    struct json *shape = json_put(place, "shape", json_array_new());
    size_t offset = layout->bytes;

    json_put_string(place, "name", value->name);
    json_put_string(place, "dtype", dtype_name(dtype));
    json_put_number(place, "offset", (double)offset);
    for (size_t d = 0; d < value->shape.rank; d++)
        json_push(shape, json_number_new((double)value->shape.dims[d]));
    layout->bytes += (value_bytes(value, dtype) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return offset;
}

static bool is_laid_out(const struct value *value, bool outputs)
{
    bool is_given = tensor_is_given(value->role);

    return outputs ? value->role == TENSOR_OUTPUT : is_given;
}

static void read_outputs(const struct bridge_process *process, const struct graph *graph,
                         size_t offset, struct oracle_values *values)
{
    struct layout layout = {.places = json_array_new(), .bytes = offset};

    for (size_t i = 0; i < graph->values.count; i++) {
        const struct value *value = &graph->values.items[i];
        size_t bytes = value_bytes(value, DTYPE_F64);

        if (!is_laid_out(value, true))
            continue;
        block_pool_give(values->blocks, values->items[i]);
        values->items[i] = block_pool_take(values->blocks, bytes, 1);
        memcpy(values->items[i], process->shared.bytes + add_place(&layout, value, DTYPE_F64),
               bytes);
    }
    json_free(layout.places);
}

/* Write inputs and params in their own types, and make room for the outputs in double precision. */
static enum status lay_out(struct bridge_process *process, const struct graph *graph,
                           const struct oracle_values *values, struct json *request,
                           struct error *err)
{
    struct layout layout = {.places = json_put(request, "tensors", json_array_new())};
    size_t *offsets = mem_alloc_zeroed(graph->values.count + 1, sizeof(*offsets));
    enum status st;

    for (size_t i = 0; i < graph->values.count; i++)
        if (is_laid_out(&graph->values.items[i], false))
            offsets[i] = add_place(&layout, &graph->values.items[i], graph->values.items[i].dtype);
    json_put_number(request, "inputs_bytes", (double)layout.bytes);
    layout.places = json_put(request, "outputs", json_array_new());
    for (size_t i = 0; i < graph->values.count; i++)
        if (is_laid_out(&graph->values.items[i], true))
            add_place(&layout, &graph->values.items[i], DTYPE_F64);
    st = memfd_grow(&process->shared, layout.bytes, err);
    for (size_t i = 0; !st && i < graph->values.count; i++) {
        const struct value *value = &graph->values.items[i];

        if (is_laid_out(value, false))
            dtype_from_double(value->dtype, values->items[i], process->shared.bytes + offsets[i],
                              (size_t)shape_elements(&value->shape));
    }
    free(offsets);
    return st;
}

enum status bridge_tensors_evaluate(struct bridge_process *process, const struct graph *graph,
                                    struct oracle_values *values, bool *is_coarse,
                                    struct error *err)
{
    struct json *request, *answer = NULL;
    size_t outputs_at = 0;
    enum status st = bridge_process_ensure(process, err);

    if (st)
        return st;
    request = bridge_process_request(process, "expect");
    st = lay_out(process, graph, values, request, err);
    if (st) {
        json_free(request);
        return st;
    }
    outputs_at = (size_t)json_get_number(request, "inputs_bytes", 0);
    st = bridge_process_ask(process, request, &answer, err);
    if (!st) {
        if (strcmp(json_get_string(answer, "precision", ""), "f64") != 0)
            *is_coarse = true;
        read_outputs(process, graph, outputs_at, values);
    }
    json_free(answer);
    return st;
}

/*
 * Lay out all tensors in their own types, and make inputs and params from the seeds. They are the
 * same in each request, and making large ones takes seconds, so they are left out if the model
 * already has them.
 */
static enum status lay_out_made(struct bridge_process *process, const struct bridge_run *run,
                                struct json *request, size_t *offsets, struct error *err)
{
    const struct graph *graph = run->graph;
    const struct oracle_seeds *seeds = &run->seeds;
    const char *const lists[] = {"tensors", "outputs"};
    struct layout layout = {0};
    enum status st;

    for (unsigned outputs = 0; outputs < 2; outputs++) {
        layout.places = json_put(request, lists[outputs], json_array_new());
        for (size_t i = 0; i < graph->values.count; i++)
            if (is_laid_out(&graph->values.items[i], outputs) && (outputs || !process->has_taken))
                offsets[i] =
                    add_place(&layout, &graph->values.items[i], graph->values.items[i].dtype);
    }
    st = memfd_grow(&process->shared, layout.bytes, err);
    for (size_t i = 0; !st && i < graph->values.count; i++) {
        const struct value *value = &graph->values.items[i];
        uint64_t seed = value->role == TENSOR_PARAM ? seeds->params : seeds->inputs;

        if (is_laid_out(value, false) && !process->has_taken)
            fill_make(value, seed, (uint32_t)i, process->shared.bytes + offsets[i]);
    }
    return st;
}

static void copy_outputs(const struct bridge_process *process, const struct graph *graph,
                         const size_t *offsets, void **outputs)
{
    for (size_t i = 0; i < graph->values.count; i++) {
        const struct value *value = &graph->values.items[i];
        size_t bytes = value_bytes(value, value->dtype);

        if (!is_laid_out(value, true))
            continue;
        outputs[i] = mem_alloc_zeroed(bytes + 1, 1);
        memcpy(outputs[i], process->shared.bytes + offsets[i], bytes);
    }
}

enum status bridge_tensors_run(struct bridge_process *process, const struct bridge_run *run,
                               struct json *request, void **outputs, struct error *err)
{
    size_t *offsets = mem_alloc_zeroed(run->graph->values.count + 1, sizeof(*offsets));
    struct json *answer = NULL;
    enum status st = bridge_process_ensure(process, err);

    if (!st)
        st = lay_out_made(process, run, request, offsets, err);
    if (st)
        json_free(request);
    else
        st = bridge_process_ask(process, request, &answer, err);
    process->has_taken |= !st;
    if (!st && outputs)
        copy_outputs(process, run->graph, offsets, outputs);
    json_free(answer);
    free(offsets);
    return st;
}

/* The layout of one set of the tensors that only the model can make. */
struct lending {
    const struct bridge_loan *loan;
    struct layout layout;
    size_t *offsets; /* within a set, by value */
    size_t sets;
};

static bool is_lent(const struct value *value)
{
    return is_laid_out(value, false) && value->fill.kind == FILL_MODEL;
}

static struct lending lending_make(const struct bridge_loan *loan)
{
    const struct graph *graph = loan->graph;
    struct lending l = {.loan = loan,
                        .layout = {.places = json_array_new()},
                        .offsets = mem_alloc_zeroed(graph->values.count + 1, sizeof(size_t))};

    for (size_t i = 0; i < graph->values.count; i++)
        if (is_lent(&graph->values.items[i]))
            l.offsets[i] =
                add_place(&l.layout, &graph->values.items[i], graph->values.items[i].dtype);
    l.sets = l.layout.bytes ? SETS_BYTES / l.layout.bytes : 0;
    l.sets = l.sets < LEAST_SETS ? LEAST_SETS : l.sets > MAX_SETS ? MAX_SETS : l.sets;
    return l;
}

/*
 * Have the model make a set from a secret seed, and copy it to where its process cannot change it.
 */
static enum status make_set(struct bridge_process *process, const struct lending *l,
                            unsigned char *room, struct error *err)
{
    struct json *request = bridge_process_request(process, "make"), *answer = NULL;
    enum status st = memfd_grow(&process->shared, l->layout.bytes, err);

    json_put_number(request, "seed", (double)fill_secret_seed());
    if (l->loan->device && !l->loan->device->is_cpu)
        bridge_process_name_device(request, l->loan->device);
    json_put(request, "tensors", json_dup(l->layout.places));
    if (st)
        json_free(request);
    else
        st = bridge_process_ask(process, request, &answer, err);
    if (!st)
        parallel_copy(room, process->shared.bytes, l->layout.bytes);
    json_free(answer);
    return st;
}

/* Make the sets; fewer, if that takes long. */
static enum status make_sets(struct bridge_process *process, struct lending *l,
                             struct memfd *memory, struct error *err)
{
    size_t bytes = l->sets * l->layout.bytes;
    int64_t began_us = clock_now_us();
    enum status st = bridge_process_ensure(process, err);

    memfd_release(memory);
    if (!st)
        st = memfd_open(memory, err);
    if (!st)
        st = memfd_grow(memory, bytes, err);
    for (size_t set = 0; !st && set < l->sets; set++) {
        st = make_set(process, l, memory->bytes + set * l->layout.bytes, err);
        if (set + 1 >= LEAST_SETS && clock_now_us() - began_us > sets_us)
            l->sets = set + 1;
    }
    return st;
}

/* The sets of a tensor that is lent. The model's params are the same in all sets. */
static struct given given_of(const struct bridge_sets *sets, const struct lending *l, size_t index)
{
    struct value value = l->loan->graph->values.items[index];

    value.given = (struct given){
        .bytes = sets->memory.bytes + l->offsets[index],
        .stride = l->layout.bytes,
        .count = value.role == TENSOR_PARAM ? 1 : l->sets,
    };
    value.given.common = needs_count_common(&value);
    return value.given;
}

/* Lend the sets to the problem. */
static void hand_over(struct bridge_sets *sets, const struct lending *l)
{
    struct problem *problem = l->loan->problem;

    for (size_t i = 0; i < problem->tensors.count; i++)
        if (is_lent(&l->loan->graph->values.items[i]))
            problem->tensors.items[i].given = given_of(sets, l, i);
    problem->lent = (struct lent_memory){
        .bytes = sets->memory.bytes, .size = sets->memory.size, .serial = ++sets->serial};
}

enum status bridge_tensors_lend(struct bridge_process *process, const struct bridge_loan *loan,
                                struct bridge_sets *sets, struct error *err)
{
    struct lending lending = lending_make(loan);
    enum status st = STATUS_OK;

    if (lending.layout.bytes) {
        st = make_sets(process, &lending, &sets->memory, err);
        if (!st)
            hand_over(sets, &lending);
    }
    json_free(lending.layout.places);
    free(lending.offsets);
    return st;
}
