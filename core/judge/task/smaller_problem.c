#include "core/judge/task/smaller_problem.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/base/strbuf.h"
#include "core/judge/oracle/oracle.h"
#include "core/model/problem_reader.h"

/* Evaluations with more memory or operations than this take too long. */
static const double most_bytes = 0x1p25, most_flops = 2e10;

enum { LEAST_SAMPLES = 2, LEAST_HALVED = 32 };

/* The factor by which the problem at its main dimensions exceeds these limits. */
static double excess_of(const struct problem *problem)
{
    struct binding *bindings = mem_alloc_zeroed(problem->dims.count + 1, sizeof(*bindings));
    struct scope scope = problem_scope(problem, 0, bindings);
    struct graph graph = {0};
    double excess = 0;

    if (!graph_build(&graph, problem, &scope, NULL) && graph.nodes.count > 0)
        excess = fmax(oracle_bytes(&graph) / most_bytes, graph_flops(&graph) / most_flops);
    graph_release(&graph);
    free(bindings);
    return excess;
}

static bool parse(const struct json *document, const struct problem *problem,
                  struct problem *parsed)
{
    struct strbuf text = {0};
    enum status st;

    json_print(document, &text);
    st = problem_parse(parsed, strbuf_cstr(&text), text.len, problem->file, NULL);
    strbuf_release(&text);
    return st == STATUS_OK;
}

/* Replace `smaller` by the problem in `document`; false if that is invalid. */
static bool replace(struct problem *smaller, const struct json *document)
{
    struct problem parsed = {0};

    if (!parse(document, smaller, &parsed))
        return false;
    problem_release(smaller);
    *smaller = parsed;
    return true;
}

/* Halve a dimension; false if the problem is then invalid. */
static bool halve(struct problem *smaller, const struct dim *dim)
{
    struct json *document = json_dup(smaller->document);
    struct json *dims = json_put(document, "dims", json_dup(json_get(document, "dims")));
    int64_t half = dim->value / 2;
    bool is_valid;

    json_put_number(dims, dim->name, (double)half);
    is_valid = replace(smaller, document);
    json_free(document);
    return is_valid;
}

/*
 * The index of the largest dimension that may still be halved, dims.count if there is none. Bit i
 * of `fixed` excludes dimension i.
 */
static size_t largest_dim(const struct problem *problem, uint64_t fixed)
{
    size_t count = problem->dims.count, largest = count;

    for (size_t i = 0; i < count && i < 64; i++)
        if (!(fixed >> i & 1) && problem->dims.items[i].value >= LEAST_HALVED &&
            (largest == count || problem->dims.items[i].value > problem->dims.items[largest].value))
            largest = i;
    return largest;
}

static void shrink_dims(struct problem *smaller)
{
    uint64_t fixed = 0;

    while (excess_of(smaller) > 1) {
        size_t i = largest_dim(smaller, fixed);

        if (i == smaller->dims.count)
            return;
        if (!halve(smaller, &smaller->dims.items[i]))
            fixed |= UINT64_C(1) << i;
    }
}

/* The first size of a tensor if it is a plain number, else 0. */
static int64_t samples_of(const struct tensor *tensor)
{
    return (int64_t)json_number(json_at(tensor->shape, 0), 0);
}

/* Replace the first size in the declaration of a tensor. */
static void put_samples(struct json *tensors, const struct tensor *tensor, int64_t samples)
{
    struct json *declared =
        json_put(tensors, tensor->name, json_dup(json_get(tensors, tensor->name)));
    struct json *shape = json_array_new();

    json_push(shape, json_number_new((double)samples));
    for (size_t i = 1; i < json_count(tensor->shape); i++)
        json_push(shape, json_dup(json_at(tensor->shape, i)));
    json_put(declared, "shape", shape);
}

/*
 * Reduce the first size `before` of the outputs and of `input`, or of all inputs if that is NULL.
 */
static bool take_samples(struct problem *smaller, const struct tensor *input, int64_t before)
{
    int64_t samples = (int64_t)((double)before / excess_of(smaller));
    struct json *document = json_dup(smaller->document);
    struct json *tensors = json_put(document, "tensors", json_dup(json_get(document, "tensors")));
    bool is_valid;

    for (size_t i = 0; i < smaller->tensors.count; i++) {
        const struct tensor *tensor = &smaller->tensors.items[i];
        bool is_taken = tensor->role == TENSOR_OUTPUT || tensor == input ||
                        (!input && tensor->role == TENSOR_INPUT);

        if (is_taken && samples_of(tensor) == before)
            put_samples(tensors, tensor, samples < LEAST_SAMPLES ? LEAST_SAMPLES : samples);
    }
    is_valid = replace(smaller, document);
    json_free(document);
    return is_valid;
}

/* Reduce the samples: of all inputs if they share them, else of the one input that has them. */
static void shrink_samples(struct problem *smaller)
{
    for (size_t i = 0; i < smaller->tensors.count && excess_of(smaller) > 1; i++) {
        const struct tensor *tensor = &smaller->tensors.items[i];
        int64_t samples = samples_of(tensor);

        if (tensor->role == TENSOR_INPUT && samples > LEAST_SAMPLES &&
            !take_samples(smaller, NULL, samples))
            (void)take_samples(smaller, tensor, samples);
    }
}

bool smaller_problem_make(const struct problem *problem, struct problem *smaller)
{
    struct problem made = {0};
    double excess = excess_of(problem);

    if (excess <= 1 || problem->lent.size || !parse(problem->document, problem, &made))
        return false;
    shrink_dims(&made);
    shrink_samples(&made);
    if (excess_of(&made) < excess) {
        *smaller = made;
        return true;
    }
    problem_release(&made);
    return false;
}
