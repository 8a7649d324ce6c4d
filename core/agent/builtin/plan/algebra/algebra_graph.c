#include "core/agent/builtin/plan/algebra/algebra_graph.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/base/vec.h"
#include "core/model/problem_reader.h"

static enum status parse(struct rewriting *r, const struct json *document, struct error *err)
{
    struct strbuf text = {0};
    enum status st;

    json_print(document, &text);
    st = problem_parse(&r->problem, strbuf_cstr(&text), text.len, "the rewritten problem", err);
    strbuf_release(&text);
    return st;
}

enum status rewriting_read(struct rewriting *r, const struct json *document, struct error *err)
{
    enum status st = parse(r, document, err);
    const struct json *nodes;
    struct scope scope;

    if (st)
        return st;
    r->bindings = mem_alloc_zeroed(r->problem.dims.count + 1, sizeof(*r->bindings));
    scope = problem_scope(&r->problem, 0, r->bindings);
    r->is_fixed = r->problem.dims.count == 0;
    nodes = json_get(r->problem.document, "graph");
    for (const struct json *node = json_first(nodes); node; node = json_next(node))
        vec_push(&r->nodes, json_dup(node));
    return graph_build(&r->graph, &r->problem, &scope, err);
}

void rewriting_release(struct rewriting *r)
{
    for (size_t i = 0; i < r->nodes.count; i++)
        json_free(r->nodes.items[i]);
    vec_release(&r->nodes);
    graph_release(&r->graph);
    problem_release(&r->problem);
    free(r->bindings);
    for (size_t i = 0; i < r->declared.count; i++)
        free(r->declared.items[i].name);
    vec_release(&r->declared);
    *r = (struct rewriting){.fresh = r->fresh};
}

void rewriting_declare(struct rewriting *r, const char *name, const struct shape *shape)
{
    vec_push(&r->declared, ((struct declared_shape){mem_strdup(name), *shape}));
}

static void declare(const struct rewriting *r, struct json *document)
{
    struct json *tensors = json_dup(json_get(document, "tensors"));

    for (size_t i = 0; i < r->declared.count; i++) {
        const struct declared_shape *d = &r->declared.items[i];
        struct json *tensor = json_dup(json_get(tensors, d->name));

        json_put_integers(tensor, "shape", d->shape.dims, d->shape.rank);
        json_put(tensors, d->name, tensor);
    }
    json_put(document, "tensors", tensors);
}

struct json *rewriting_document(const struct rewriting *r)
{
    struct json *document = json_dup(r->problem.document);
    struct json *nodes = json_put(document, "graph", json_array_new());

    if (r->declared.count)
        declare(r, document);

    for (size_t i = 0; i < r->nodes.count; i++)
        if (r->nodes.items[i])
            json_push(nodes, json_dup(r->nodes.items[i]));
    return document;
}

const char *node_op(const struct rewriting *r, size_t i)
{
    return json_get_string(r->nodes.items[i], "op", "");
}

static const struct json *operand_at(const struct rewriting *r, size_t i, size_t operand)
{
    return json_at(json_get(r->nodes.items[i], "in"), operand);
}

const char *node_operand(const struct rewriting *r, size_t i, size_t operand)
{
    return json_string(operand_at(r, i, operand), NULL);
}

double node_number(const struct rewriting *r, size_t i, size_t operand)
{
    return json_number(operand_at(r, i, operand), 0);
}

const char *node_out(const struct rewriting *r, size_t i)
{
    return json_get_string(r->nodes.items[i], "out", "");
}

const struct value *rewriting_value(const struct rewriting *r, const char *name)
{
    size_t at = graph_find(&r->graph, name);

    return at < r->graph.values.count ? &r->graph.values.items[at] : NULL;
}

/* The first node from `first` on, and before `end`, that computes the value; `end` if none does. */
static size_t find_maker(const struct rewriting *r, const char *name, size_t first, size_t end)
{
    size_t i = first;

    while (i < end && !(r->nodes.items[i] && strcmp(node_out(r, i), name) == 0))
        i++;
    return i;
}

/* The search begins where the graph had the node as it was read: insertions move it on. */
size_t rewriting_maker(const struct rewriting *r, const char *name)
{
    size_t value = graph_find(&r->graph, name), count = r->nodes.count, first = 0, found;

    if (value < r->graph.values.count && tensor_is_given(r->graph.values.items[value].role))
        return count;
    while (first < r->graph.nodes.count && r->graph.nodes.items[first].out != value)
        first++;
    first = first < count ? first : 0;
    found = find_maker(r, name, first, count);
    if (found < count)
        return found;
    found = find_maker(r, name, 0, first);
    return found < first ? found : count;
}

/* The number of operands of a node that are this value. */
static size_t uses_of(const struct json *node, const char *name)
{
    size_t uses = 0;

    for (const struct json *in = json_first(json_get(node, "in")); in; in = json_next(in))
        uses += strcmp(json_string(in, ""), name) == 0;
    return uses;
}

size_t rewriting_uses(const struct rewriting *r, const char *name)
{
    const struct value *value = rewriting_value(r, name);
    size_t uses = value && value->role == TENSOR_OUTPUT;

    for (size_t i = 0; i < r->nodes.count; i++)
        uses += uses_of(r->nodes.items[i], name);
    return uses;
}

void node_set_operand(struct rewriting *r, size_t i, size_t operand, struct json *value)
{
    struct json *in = json_array_new();

    for (size_t k = 0; k < json_count(json_get(r->nodes.items[i], "in")); k++)
        json_push(in, k == operand ? value : json_dup(operand_at(r, i, k)));
    json_put(r->nodes.items[i], "in", in);
}

void rewriting_replace(struct rewriting *r, const char *from, const char *to)
{
    /* copies, because the nodes that are replaced own the arguments */
    char *name = mem_strdup(to), *old = mem_strdup(from);

    for (size_t i = 0; i < r->nodes.count; i++)
        for (size_t k = 0; uses_of(r->nodes.items[i], old) > 0; k++)
            if (strcmp(json_string(operand_at(r, i, k), ""), old) == 0)
                node_set_operand(r, i, k, json_string_new(name));
    free(name);
    free(old);
}

void node_set_out(struct rewriting *r, size_t i, const char *name)
{
    char *copy = mem_strdup(name);

    json_put_string(r->nodes.items[i], "out", copy);
    free(copy);
}

void rewriting_drop(struct rewriting *r, size_t i)
{
    json_free(r->nodes.items[i]);
    r->nodes.items[i] = NULL;
}

/* Append a name that the problem does not have. */
static void add_fresh_name(struct rewriting *r, struct strbuf *name)
{
    do {
        strbuf_release(name);
        strbuf_addf(name, "w%zu", ++r->fresh);
    } while (rewriting_value(r, strbuf_cstr(name)));
}

const char *rewriting_insert(struct rewriting *r, size_t at, const struct new_node *new,
                             struct json **made)
{
    struct json *node = json_object_new(), *in = json_array_new();
    struct strbuf name = {0};

    add_fresh_name(r, &name);
    json_put_string(node, "op", new->op);
    json_push(in, json_string_new(new->in[0]));
    if (new->in[1])
        json_push(in, json_string_new(new->in[1]));
    json_put(node, "in", in);
    json_put_string(node, "out", strbuf_cstr(&name));
    strbuf_release(&name);
    vec_push(&r->nodes, node);
    for (size_t i = r->nodes.count - 1; i > at; i--)
        r->nodes.items[i] = r->nodes.items[i - 1];
    r->nodes.items[at] = node;
    *made = node;
    return json_get_string(node, "out", "");
}

static void describe_value(const struct json *value, struct strbuf *out)
{
    const char *text = json_string(value, NULL);

    if (text)
        strbuf_adds(out, text);
    else
        json_print(value, out);
}

void node_describe(const struct rewriting *r, size_t i, struct strbuf *out)
{
    const struct json *node = r->nodes.items[i];
    const char *between = "";

    strbuf_addf(out, "%s%s = %s(", out->len ? "; " : "", node_out(r, i), node_op(r, i));
    for (const struct json *at = json_first(json_get(node, "in")); at; at = json_next(at)) {
        strbuf_adds(out, between);
        describe_value(at, out);
        between = ", ";
    }
    for (const struct json *at = json_first(node); at; at = json_next(at)) {
        const char *key = json_key(at);

        if (strcmp(key, "op") == 0 || strcmp(key, "in") == 0 || strcmp(key, "out") == 0)
            continue;
        strbuf_addf(out, ", %s ", key);
        describe_value(at, out);
    }
    strbuf_adds(out, ")");
}
