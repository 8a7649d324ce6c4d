#include "core/model/graph.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"
#include "core/model/op/op_table.h"

/* The state of a value while the graph is built. */
struct mark {
    bool is_known; /* a given tensor, a constant or the result of an earlier node */
    bool is_used;
};

struct builder {
    struct graph *graph;
    const struct problem *problem;
    const struct scope *scope;
    struct error *err;
    bool infers; /* outputs get the computed shapes, whatever their declarations are */
    struct {
        struct mark *items;
        size_t count, capacity;
    } marks;      /* one for each value */
    double flops; /* operations of the nodes added so far */
};

/* Fowler, Noll, Vo: the hash FNV-1a. */
static size_t hash(const char *name)
{
    uint64_t number = 14695981039346656037U;

    while (*name)
        number = (number ^ (unsigned char)*name++) * 1099511628211U;
    return (size_t)(number ^ number >> 32);
}

/* The slot of the name: that of the value so called, or the free one where it belongs. */
static size_t *slot_of(const struct graph *graph, const char *name)
{
    size_t last = graph->names.capacity - 1, at = hash(name) & last;

    while (graph->names.slots[at] &&
           strcmp(graph->values.items[graph->names.slots[at] - 1].name, name) != 0)
        at = (at + 1) & last;
    return &graph->names.slots[at];
}

/* Make room for one more name, so that at most half of the slots are taken. */
static void grow_names(struct graph *graph)
{
    enum { FIRST_SLOTS = 64 };
    size_t count = graph->names.capacity, *slots = graph->names.slots;

    if (2 * (graph->names.count + 1) <= count)
        return;
    graph->names.capacity = count ? 2 * count : FIRST_SLOTS;
    graph->names.slots = mem_alloc_zeroed(graph->names.capacity, sizeof(*slots));
    for (size_t i = 0; i < count; i++)
        if (slots[i])
            *slot_of(graph, graph->values.items[slots[i] - 1].name) = slots[i];
    free(slots);
}

static size_t add_value(struct builder *b, const struct value *value, bool is_known)
{
    struct graph *graph = b->graph;

    vec_push(&graph->values, *value);
    vec_push(&b->marks, (struct mark){.is_known = is_known});
    if (value->role != TENSOR_CONSTANT) {
        grow_names(graph);
        *slot_of(graph, value->name) = graph->values.count;
        graph->names.count++;
    }
    return graph->values.count - 1;
}

static enum status add_tensors(struct builder *b, const struct json_ref *root)
{
    struct json_ref tensors = json_ref_member(root, "tensors");
    struct json_ref at = json_ref_first(&tensors);
    struct value value;
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < b->problem->tensors.count; i++, at = json_ref_next(&at)) {
        st = tensor_resolve(&b->problem->tensors.items[i], &at, b->scope, &value, b->err);
        if (!st)
            add_value(b, &value, value.role != TENSOR_OUTPUT);
    }
    return st;
}

static enum status no_tensor(const struct builder *b, const struct json_ref *at, const char *name)
{
    struct strbuf known = {0};

    for (size_t i = 0; i < b->graph->values.count; i++)
        if (b->marks.items[i].is_known && *b->graph->values.items[i].name)
            strbuf_add_item(&known, b->graph->values.items[i].name);
    json_ref_error(at, b->err, "no tensor \"%s\" before here: expected one of %s", name,
                   strbuf_cstr(&known));
    strbuf_release(&known);
    return STATUS_INVALID;
}

static enum status find_operand(struct builder *b, const struct json_ref *at, size_t *index)
{
    const char *name = NULL;
    enum status st = json_read_string(at, &name, b->err);

    if (st)
        return st;
    *index = graph_find(b->graph, name);
    if (*index == b->graph->values.count)
        return no_tensor(b, at, name);
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): there is a mark for each value */
    if (!b->marks.items[*index].is_known)
        return json_ref_error(at, b->err, "\"%s\" is not computed before here", name);
    b->marks.items[*index].is_used = true;
    return STATUS_OK;
}

/* Add a constant. Its type follows later from the other operands. */
static enum status add_constant(struct builder *b, const struct json_ref *at, size_t *index)
{
    struct value value = {.name = "", .role = TENSOR_CONSTANT, .fill = {.kind = FILL_CONSTANT}};
    enum status st = json_read_number(at, &value.fill.a, b->err);

    if (st)
        return st;
    *index = add_value(b, &value, true);
    b->marks.items[*index].is_used = true;
    return STATUS_OK;
}

static enum status type_constants(struct builder *b, const struct json_ref *in,
                                  const struct graph_node *node)
{
    struct value *values = b->graph->values.items;
    const struct value *first = NULL;
    enum dtype dtype = DTYPE_BOOL;

    for (size_t i = 0; i < node->in_count; i++) {
        const struct value *value = &values[node->in[i]];

        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): operands are values of the graph */
        if (value->role == TENSOR_CONSTANT)
            continue;
        first = first ? first : value;
        dtype = dtype_promote(dtype, value->dtype);
    }
    if (!first)
        return json_ref_error(in, b->err, "expected a tensor among the operands");
    for (size_t i = 0; i < node->in_count; i++) {
        struct value *value = &values[node->in[i]];
        struct json_ref at = json_ref_element(in, i);

        if (value->role != TENSOR_CONSTANT)
            continue;
        value->dtype = dtype;
        if (!dtype_holds(dtype, value->fill.a))
            return json_ref_error(&at, b->err, "%s cannot represent %g: cast \"%s\"",
                                  dtype_name(dtype), value->fill.a, first->name);
    }
    return STATUS_OK;
}

static enum status read_operands(struct builder *b, const struct json_ref *at,
                                 struct graph_node *node)
{
    struct json_ref in = json_ref_member(at, "in");
    size_t count = json_count(in.value);
    const struct op *op = node->op;
    enum status st = STATUS_OK;

    if (count < op->min_inputs || count > op->max_inputs)
        return json_ref_error(&in, b->err, "%s takes the operands %s, found %zu of them", op->name,
                              op->operands, count);
    for (struct json_ref e = json_ref_first(&in); !st && e.value; e = json_ref_next(&e)) {
        size_t *index = &node->in[node->in_count++];

        st = json_type(e.value) == JSON_NUMBER ? add_constant(b, &e, index)
                                               : find_operand(b, &e, index);
    }
    return st ? st : type_constants(b, &in, node);
}

/*
 * Add the result of a node. It is a new inner value or a declared output, whose type and shape must
 * match.
 */
static enum status add_result(struct builder *b, const struct json_ref *at,
                              const struct value *result, size_t *index)
{
    struct json_ref out = json_ref_member(at, "out");
    char declared[SHAPE_TEXT_SIZE], found[SHAPE_TEXT_SIZE];

    *index = graph_find(b->graph, result->name);
    if (*index == b->graph->values.count) {
        add_value(b, result, true);
        return STATUS_OK;
    }

    struct value *output = &b->graph->values.items[*index];

    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): as above */
    if (b->marks.items[*index].is_known)
        return json_ref_error(&out, b->err, "there is a \"%s\" already", result->name);
    if (b->infers)
        output->shape = result->shape;
    if (output->dtype != result->dtype || !shape_equals(&output->shape, &result->shape))
        return json_ref_error(&out, b->err, "\"%s\" is declared as %s %s, computed is %s %s",
                              result->name, dtype_name(output->dtype),
                              shape_text(&output->shape, declared), dtype_name(result->dtype),
                              shape_text(&result->shape, found));
    b->marks.items[*index].is_known = true;
    return STATUS_OK;
}

static struct op_call make_call(const struct graph *graph, const struct graph_node *node)
{
    struct op_call call = {
        .op = node->op, .in_count = node->in_count, .attributes = node->attributes};

    for (size_t i = 0; i < node->in_count; i++)
        call.in[i] = &graph->values.items[node->in[i]];
    return call;
}

/* True if an int counts the places along each axis, and those along all axes from `plane` on. */
static bool has_int_sizes(const struct shape *shape, size_t plane)
{
    int64_t places = 1;

    for (size_t axis = 0; axis < shape->rank; axis++) {
        places *= axis < plane ? 1 : shape->dims[axis];
        if (shape->dims[axis] > INT32_MAX || places > INT32_MAX)
            return false;
    }
    return true;
}

/* Matrices have sizes that BLAS takes as ints; convolutions are products with whole planes. */
static bool has_matrices_of_int_sizes(const struct op_call *call, const struct shape *result)
{
    size_t plane = call->op->kind == OP_CONVOLUTION ? 2 : SHAPE_MAX_RANK;

    if (call->op->kind != OP_PRODUCT && call->op->kind != OP_CONVOLUTION &&
        call->op->kind != OP_RECURRENCE && call->op->kind != OP_ATTENTION)
        return true;
    for (size_t i = 0; i < call->in_count; i++)
        if (!has_int_sizes(&call->in[i]->shape, plane))
            return false;
    return has_int_sizes(result, plane);
}

static enum status infer_result(struct builder *b, const struct json_ref *at,
                                const struct graph_node *node, struct value *result)
{
    struct op_call call = make_call(b->graph, node);
    char text[SHAPE_TEXT_SIZE];
    enum status st = node->op->infer(&call, at, result, b->err);

    if (!st && !shape_is_valid(&result->shape))
        st = json_ref_error(at, b->err, "the result %s is more than %lld elements",
                            shape_text(&result->shape, text), (long long)SHAPE_MAX_ELEMENTS);
    if (!st && !has_matrices_of_int_sizes(&call, &result->shape))
        st = json_ref_error(at, b->err, "%s of a matrix with a side of more than %d",
                            node->op->name, INT32_MAX);
    return st;
}

/* Add the cost of the last node, and fail beyond the limit. */
static enum status add_cost(struct builder *b, const struct json_ref *at)
{
    struct op_call call = graph_call(b->graph, b->graph->nodes.count - 1);
    double flops = op_flops(&call);

    b->flops += flops;
    if (b->flops <= GRAPH_MAX_FLOPS)
        return STATUS_OK;
    return json_ref_error(at, b->err,
                          "%s takes %.3g operations, the graph up to here %.3g, expected at most "
                          "%.3g: make its dimensions smaller",
                          call.op->name, flops, b->flops, GRAPH_MAX_FLOPS);
}

static enum status add_node(struct builder *b, const struct json_ref *at, const struct node *node)
{
    struct json_ref op_at = json_ref_member(at, "op");
    struct graph_node made = {.op = op_find(node->op)};
    struct value result = {.name = node->out, .role = TENSOR_INNER};
    enum status st;

    if (!made.op)
        return json_ref_error(
            &op_at, b->err,
            "no operation \"%s\": they are named as PyTorch's functions, such as matmul, mul, gelu",
            node->op);
    if ((st = attributes_read(at, made.op->attributes, b->scope, made.attributes, b->err)) ||
        (st = read_operands(b, at, &made)) || (st = infer_result(b, at, &made, &result)) ||
        (st = add_result(b, at, &result, &made.out)))
        return st;
    vec_push(&b->graph->nodes, made);
    return add_cost(b, at);
}

static enum status add_nodes(struct builder *b, const struct json_ref *root)
{
    struct json_ref nodes = json_ref_member(root, "graph");
    struct json_ref at = json_ref_first(&nodes);
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < b->problem->nodes.count; i++, at = json_ref_next(&at))
        st = add_node(b, &at, &b->problem->nodes.items[i]);
    return st;
}

static enum status refuse_mark(const struct builder *b, const struct json_ref *root, size_t index)
{
    const struct value *value = &b->graph->values.items[index];
    struct json_ref tensors = json_ref_member(root, "tensors");
    struct json_ref nodes = json_ref_member(root, "graph");
    struct json_ref at = json_ref_member(&tensors, value->name);

    if (!b->marks.items[index].is_known)
        return json_ref_error(&at, b->err, "no operation computes this output");
    if (value->role == TENSOR_INNER)
        return json_ref_error(&nodes, b->err, "nothing uses \"%s\"", value->name);
    return json_ref_error(&at, b->err, "no operation uses this tensor");
}

/* Every declared tensor must take part: nodes compute the outputs and use all other tensors. */
static enum status check_marks(const struct builder *b, const struct json_ref *root)
{
    for (size_t i = 0; i < b->marks.count; i++)
        if (!b->marks.items[i].is_known ||
            (!b->marks.items[i].is_used && b->graph->values.items[i].role != TENSOR_OUTPUT))
            return refuse_mark(b, root, i);
    return STATUS_OK;
}

/* Build the builder's graph. It is empty after an error. */
static enum status build(struct builder *b)
{
    struct json_ref root = json_ref_root(b->problem->document, b->problem->file);
    enum status st = add_tensors(b, &root);

    if (!st)
        st = add_nodes(b, &root);
    if (!st && b->graph->nodes.count > 0)
        st = check_marks(b, &root);
    vec_release(&b->marks);
    if (st)
        graph_release(b->graph);
    return st;
}

enum status graph_build(struct graph *graph, const struct problem *problem,
                        const struct scope *scope, struct error *err)
{
    struct graph made = {0};
    enum status st =
        build(&(struct builder){.graph = &made, .problem = problem, .scope = scope, .err = err});

    if (!st)
        *graph = made;
    return st;
}

enum status graph_infer(struct graph *graph, const struct problem *problem,
                        const struct scope *scope, struct error *err)
{
    struct graph made = {0};
    enum status st = build(&(struct builder){
        .graph = &made, .problem = problem, .scope = scope, .err = err, .infers = true});

    if (!st)
        *graph = made;
    return st;
}

void graph_release(struct graph *graph)
{
    vec_release(&graph->values);
    vec_release(&graph->nodes);
    free(graph->names.slots);
    graph->names.slots = NULL;
    graph->names.count = graph->names.capacity = 0;
}

struct op_call graph_call(const struct graph *graph, size_t node)
{
    struct op_call call = make_call(graph, &graph->nodes.items[node]);

    call.out = &graph->values.items[graph->nodes.items[node].out];
    return call;
}

bool graph_makes_steps(const struct graph *graph, size_t node)
{
    const struct graph_node *own = &graph->nodes.items[node];

    return !dtype_is_float(graph->values.items[own->out].dtype) ||
           strcmp(own->op->name, "sign") == 0;
}

size_t graph_find(const struct graph *graph, const char *name)
{
    size_t found = graph->names.capacity ? *slot_of(graph, name) : 0;

    return found ? found - 1 : graph->values.count;
}

bool graph_has_op(const struct graph *graph, const char *const *names)
{
    for (size_t n = 0; n < graph->nodes.count; n++)
        if (op_begins_with_one_of(graph->nodes.items[n].op, names))
            return true;
    return false;
}

double graph_flops(const struct graph *graph)
{
    double flops = 0;

    for (size_t i = 0; i < graph->nodes.count; i++) {
        struct op_call call = graph_call(graph, i);

        flops += op_flops(&call);
    }
    return flops;
}

/* The elements of a value that all nodes read together, each counted at most once. */
static double elements_read(const struct graph *graph, size_t value)
{
    double all = (double)shape_elements(&graph->values.items[value].shape), read = 0;

    if (graph->nodes.count == 0)
        return all;
    for (size_t n = 0; n < graph->nodes.count; n++) {
        struct op_call call = graph_call(graph, n);

        for (size_t i = 0; i < call.in_count; i++)
            if (graph->nodes.items[n].in[i] == value)
                read += op_reads(&call, i);
    }
    return read < all ? read : all;
}

double graph_value_bytes(const struct graph *graph, size_t value)
{
    const struct value *at = &graph->values.items[value];
    double elements = 0;

    if (at->role == TENSOR_OUTPUT)
        elements = (double)shape_elements(&at->shape);
    else if (tensor_is_given(at->role))
        elements = elements_read(graph, value);
    return elements * (double)dtype_bytes(at->dtype);
}

double graph_bytes(const struct graph *graph)
{
    double bytes = 0;

    for (size_t i = 0; i < graph->values.count; i++)
        bytes += graph_value_bytes(graph, i);
    return bytes;
}
