#include "core/judge/task/smaller_problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/base/strbuf.h"
#include "core/judge/oracle/oracle.h"
#include "core/judge/oracle/oracle_memory.h"
#include "core/model/problem_reader.h"

/* Evaluations with more memory or operations than this take too long. */
static const double most_bytes = 0x1p25, most_flops = 5e8;

enum { LEAST_SAMPLES = 2, LEAST_HALVED = 32, LEAST_EXTENT = 16, LEAST_KEPT = 4, FIRST_EXTENT = 2 };

/* The factor by which the problem at its main dimensions exceeds these limits. */
static double excess_of(const struct problem *problem)
{
    struct binding *bindings = mem_alloc_zeroed(problem->dims.count + 1, sizeof(*bindings));
    struct scope scope = problem_scope(problem, 0, bindings);
    struct graph graph = {0};
    double excess = 0;

    if (!graph_build(&graph, problem, &scope, NULL) && graph.nodes.count > 0)
        excess = fmax(oracle_bytes(&graph) / most_bytes, oracle_flops(&graph) / most_flops);
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

/*
 * Declare a tensor anew, as the last of a document's tensors; the caller may change the
 * declaration. The order of tensors stays if each is declared anew.
 */
static struct json *declare(struct json *tensors, const char *name)
{
    return json_put(tensors, name, json_dup(json_get(tensors, name)));
}

/* Declare the outputs with the shapes in a graph of the same tensors. */
static bool take_outputs(struct problem *smaller, struct json *document, const struct graph *graph)
{
    struct json *tensors = json_put(document, "tensors", json_dup(json_get(document, "tensors")));

    for (size_t i = 0; i < smaller->tensors.count; i++) {
        const struct value *value = &graph->values.items[i];
        struct json *declared = declare(tensors, value->name);

        if (value->role == TENSOR_OUTPUT)
            json_put_integers(declared, "shape", value->shape.dims, value->shape.rank);
    }
    return replace(smaller, document);
}

/*
 * True if each axis of each value that is shorter than in `whole` has at least LEAST_KEPT elements.
 * With fewer, pooling changes nothing, and a norm of two elements returns 1 and -1.
 */
static bool keeps_axes(const struct graph *graph, const struct graph *whole)
{
    for (size_t i = 0; i < graph->values.count && i < whole->values.count; i++) {
        const struct shape *shape = &graph->values.items[i].shape,
                           *before = &whole->values.items[i].shape;

        for (size_t axis = 0; axis < shape->rank && axis < before->rank; axis++)
            if (shape->dims[axis] < before->dims[axis] && shape->dims[axis] < LEAST_KEPT)
                return false;
    }
    return true;
}

/*
 * Replace `smaller` by the problem in `document`, whose outputs get the shapes that the graph
 * computes; false if that is invalid, or if it does not keep the axes of `whole`, which may be
 * NULL. Frees the document.
 */
static bool replace_inferred(struct problem *smaller, struct json *document,
                             const struct graph *whole)
{
    struct binding *bindings = mem_alloc_zeroed(smaller->dims.count + 1, sizeof(*bindings));
    struct scope scope = problem_scope(smaller, 0, bindings);
    struct problem changed = *smaller;
    struct graph graph = {0};
    bool is_valid;

    changed.document = document;
    is_valid = !graph_infer(&graph, &changed, &scope, NULL) &&
               (!whole || keeps_axes(&graph, whole)) && take_outputs(smaller, document, &graph);
    graph_release(&graph);
    json_free(document);
    free(bindings);
    return is_valid;
}

/* The sizes of shapes in which fewer samples are looked for. */
enum reach { REACH_FIRST, REACH_ALL };

struct resampling {
    int64_t before, after; /* samples */
    enum reach reach;
};

/* A size with fewer samples, if it counts the samples or parts of them. */
static int64_t resample_size(const struct resampling *r, size_t axis, int64_t size)
{
    bool is_reached = axis == 0 || r->reach == REACH_ALL;

    return is_reached && size > 0 && size % r->before == 0 ? size / r->before * r->after : size;
}

/* The same for all sizes of a shape; the caller frees it. Sizes that are no numbers stay. */
static struct json *resample_shape(const struct resampling *r, const struct json *shape)
{
    struct json *resampled = json_array_new();

    for (size_t axis = 0; axis < json_count(shape); axis++) {
        const struct json *size = json_at(shape, axis);
        int64_t extent = (int64_t)json_number(size, 0);

        json_push(resampled, json_type(size) == JSON_NUMBER
                                 ? json_number_new((double)resample_size(r, axis, extent))
                                 : json_dup(size));
    }
    return resampled;
}

/* The graph with fewer samples in the shapes that its operations name; the caller frees it. */
static struct json *resample_graph(const struct resampling *r, const struct json *graph)
{
    static const char *const shapes[][2] = {{"reshape", "shape"}, {"expand", "size"}};
    struct json *nodes = json_array_new();

    for (const struct json *node = json_first(graph); node; node = json_next(node)) {
        struct json *copy = json_push(nodes, json_dup(node));

        for (size_t i = 0; i < COUNT(shapes); i++)
            if (strcmp(json_string(json_get(node, "op"), ""), shapes[i][0]) == 0)
                json_put(copy, shapes[i][1], resample_shape(r, json_get(node, shapes[i][1])));
    }
    return nodes;
}

/* A document with fewer samples in the graph and in `input`, or in all inputs if that is NULL. */
static struct json *resample(const struct problem *smaller, const struct tensor *input,
                             const struct resampling *r)
{
    struct json *document = json_dup(smaller->document);
    struct json *tensors = json_put(document, "tensors", json_dup(json_get(document, "tensors")));

    for (size_t i = 0; i < smaller->tensors.count; i++) {
        const struct tensor *tensor = &smaller->tensors.items[i];
        bool has_samples = samples_of(tensor) == r->before || r->reach == REACH_ALL;
        struct json *declared = declare(tensors, tensor->name);

        if (has_samples && (tensor == input || (!input && tensor->role == TENSOR_INPUT)))
            json_put(declared, "shape", resample_shape(r, tensor->shape));
    }
    json_put(document, "graph", resample_graph(r, json_get(smaller->document, "graph")));
    return document;
}

/* Reduce the samples `before` of `input`, or of all inputs if that is NULL. */
static bool take_samples(struct problem *smaller, const struct tensor *input, int64_t before,
                         enum reach reach)
{
    int64_t samples = (int64_t)((double)before / excess_of(smaller));
    const struct resampling r = {before, samples < LEAST_SAMPLES ? LEAST_SAMPLES : samples, reach};

    return replace_inferred(smaller, resample(smaller, input, &r), NULL);
}

/* True if all outputs have these samples or parts of them, or are numbers. */
static bool outputs_have(const struct problem *problem, int64_t samples)
{
    for (size_t i = 0; i < problem->tensors.count; i++)
        if (problem->tensors.items[i].role == TENSOR_OUTPUT &&
            samples_of(&problem->tensors.items[i]) % samples != 0)
            return false;
    return true;
}

/*
 * Reduce the samples: of all inputs if they share them, else of the one input that has them, else
 * wherever a size counts them.
 */
static void shrink_samples(struct problem *smaller)
{
    for (size_t i = 0; i < smaller->tensors.count && excess_of(smaller) > 1; i++) {
        const struct tensor *tensor = &smaller->tensors.items[i];
        int64_t samples = samples_of(tensor);

        if (tensor->role == TENSOR_INPUT && samples > LEAST_SAMPLES &&
            outputs_have(smaller, samples) && !take_samples(smaller, NULL, samples, REACH_FIRST) &&
            !take_samples(smaller, tensor, samples, REACH_FIRST))
            (void)take_samples(smaller, NULL, samples, REACH_ALL);
    }
}

/* The size of an axis of a tensor if it is a plain number, else 0. */
static int64_t extent_of(const struct tensor *tensor, size_t axis)
{
    return (int64_t)json_number(json_at(tensor->shape, axis), 0);
}

/*
 * True if the axis of an input can be halved: it comes after samples and channels, so the number of
 * terms of most sums stays the same, and the contents of a tensor from a model stay whole.
 */
static bool is_extent(const struct tensor *tensor, size_t axis)
{
    return tensor->role == TENSOR_INPUT && !tensor_is_from_model(tensor) && axis >= FIRST_EXTENT &&
           extent_of(tensor, axis) >= LEAST_EXTENT;
}

/* Find the longest such axis; false if there is none. Bit i of `fixed` excludes axis i. */
static bool longest_axis(const struct problem *problem, unsigned fixed, size_t *axis)
{
    int64_t longest = 0;

    for (size_t i = 0; i < problem->tensors.count; i++) {
        const struct tensor *tensor = &problem->tensors.items[i];

        for (size_t a = 0; a < json_count(tensor->shape); a++) {
            if (fixed >> a & 1 || !is_extent(tensor, a) || extent_of(tensor, a) <= longest)
                continue;
            longest = extent_of(tensor, a);
            *axis = a;
        }
    }
    return longest > 0;
}

/* A shape with one size halved; the caller frees it. */
static struct json *halve_shape(const struct tensor *tensor, size_t axis)
{
    struct json *shape = json_array_new();
    int64_t half = extent_of(tensor, axis) / 2;

    for (size_t a = 0; a < json_count(tensor->shape); a++)
        json_push(shape,
                  a == axis ? json_number_new((double)half) : json_dup(json_at(tensor->shape, a)));
    return shape;
}

/* A document in which the inputs that have the axis with this size have it halved. */
static struct json *halve_inputs(const struct problem *smaller, size_t axis, int64_t extent)
{
    struct json *document = json_dup(smaller->document);
    struct json *tensors = json_put(document, "tensors", json_dup(json_get(document, "tensors")));

    for (size_t i = 0; i < smaller->tensors.count; i++) {
        const struct tensor *tensor = &smaller->tensors.items[i];
        struct json *declared = declare(tensors, tensor->name);

        if (is_extent(tensor, axis) && extent_of(tensor, axis) == extent)
            json_put(declared, "shape", halve_shape(tensor, axis));
    }
    return document;
}

static int64_t longest_extent(const struct problem *problem, size_t axis)
{
    int64_t longest = 0;

    for (size_t i = 0; i < problem->tensors.count; i++) {
        const struct tensor *tensor = &problem->tensors.items[i];

        if (is_extent(tensor, axis) && extent_of(tensor, axis) > longest)
            longest = extent_of(tensor, axis);
    }
    return longest;
}

/* Halve the axes that windows move over, the longest first, as long as those of `whole` are kept.
 */
static void halve_extents(struct problem *smaller, const struct graph *whole)
{
    unsigned fixed = 0;
    size_t axis = 0;

    while (excess_of(smaller) > 1 && longest_axis(smaller, fixed, &axis)) {
        struct json *halved = halve_inputs(smaller, axis, longest_extent(smaller, axis));

        if (!replace_inferred(smaller, halved, whole))
            fixed |= 1U << axis;
    }
}

static void shrink_extents(struct problem *smaller)
{
    struct binding *bindings = mem_alloc_zeroed(smaller->dims.count + 1, sizeof(*bindings));
    struct scope scope = problem_scope(smaller, 0, bindings);
    struct graph whole = {0};

    if (!graph_infer(&whole, smaller, &scope, NULL))
        halve_extents(smaller, &whole);
    graph_release(&whole);
    free(bindings);
}

/* True if the sizes of two tensors are the same declarations, except for the first ones. */
static bool have_same_lines(const struct tensor *a, const struct tensor *b)
{
    bool are_same = json_count(a->shape) == json_count(b->shape);

    for (size_t axis = 1; are_same && axis < json_count(a->shape); axis++) {
        const struct json *size = json_at(a->shape, axis), *other = json_at(b->shape, axis);

        are_same = json_number(size, 0) == json_number(other, 0) &&
                   strcmp(json_string(size, ""), json_string(other, "")) == 0;
    }
    return are_same;
}

/*
 * Lend the contents that a model made to the smaller problem, whose tensors are their beginnings.
 * False if they are not.
 */
static bool lend(const struct problem *problem, struct problem *smaller)
{
    bool dims_differ = false;

    for (size_t i = 0; i < problem->dims.count; i++)
        dims_differ |= problem->dims.items[i].value != smaller->dims.items[i].value;
    for (size_t i = 0; i < smaller->tensors.count; i++) {
        struct tensor *tensor = &smaller->tensors.items[i];
        const struct tensor *whole = problem_tensor(problem, tensor->name);

        if (!tensor_is_from_model(tensor))
            continue;
        if (dims_differ || !whole || !have_same_lines(tensor, whole))
            return false;
        tensor->given = whole->given;
    }
    smaller->lent = problem->lent;
    return true;
}

bool smaller_problem_make(const struct problem *problem, struct problem *smaller)
{
    struct problem made = {0};
    double excess = excess_of(problem);

    if (excess <= 1 || !parse(problem->document, problem, &made))
        return false;
    shrink_dims(&made);
    shrink_samples(&made);
    shrink_extents(&made);
    if (excess_of(&made) < excess && lend(problem, &made)) {
        *smaller = made;
        return true;
    }
    problem_release(&made);
    return false;
}
