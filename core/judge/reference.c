#include "core/judge/reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/extents.h"
#include "core/judge/formula.h"
#include "core/model/op_product.h"

struct writer {
    const struct problem *problem;
    const struct graph *graph;
    const struct extents *extents;
    struct strbuf source;
    struct json *launches;
    size_t node; /* the one being written */
    struct op_call call;
};

/* What numbers the axes of an element: C text for each axis, "" where there is none. */
struct place {
    char at[SHAPE_MAX_RANK][64];
};

static const struct graph_node *node_of(const struct writer *w)
{
    return &w->graph->nodes.items[w->node];
}

static bool is_constant(const struct value *value)
{
    return value->role == TENSOR_CONSTANT;
}

/* Whether the operand comes a second time. */
static bool is_repeated(const struct writer *w, size_t operand)
{
    const struct graph_node *node = node_of(w);

    for (size_t i = 0; i < operand; i++)
        if (node->in[i] == node->in[operand])
            return true;
    return false;
}

static unsigned all_axes(const struct value *value)
{
    return (1U << value->shape.rank) - 1;
}

/* Declare `<name><axis>` for the axes in `axes`, from a number that counts them row-major. */
static void write_axes(struct writer *w, size_t value, unsigned axes, const char *number,
                       const char *indent)
{
    struct strbuf inner = {0};
    unsigned left = axes;

    for (size_t axis = 0; left; axis++) {
        if (!(left >> axis & 1))
            continue;
        left &= ~(1U << axis);
        strbuf_addf(&w->source, "%sconst int %s%zu = %s", indent, number, axis, number);
        if (left) {
            strbuf_release(&inner);
            extents_product(w->extents, value, left, &inner);
            strbuf_addf(&w->source, strchr(strbuf_cstr(&inner), '*') ? " / (%s)" : " / %s",
                        strbuf_cstr(&inner));
        }
        if (axes & ((1U << axis) - 1))
            strbuf_addf(&w->source, " %% %s", w->extents->of[value][axis]);
        strbuf_adds(&w->source, ";\n");
    }
    strbuf_release(&inner);
}

static void place_axes(struct place *place, unsigned axes, const char *number)
{
    for (size_t axis = 0; axis < SHAPE_MAX_RANK; axis++)
        if (axes >> axis & 1)
            snprintf(place->at[axis], sizeof(place->at[axis]), "%s%zu", number, axis);
}

/* The index of an element of `value`; `place` is aligned with its last axis at axis rank - 1. */
static void write_index(const struct writer *w, size_t value, const struct place *place,
                        struct strbuf *out)
{
    size_t rank = w->graph->values.items[value].shape.rank;

    for (size_t axis = 2; axis < rank; axis++)
        strbuf_adds(out, "(");
    for (size_t axis = 0; axis < rank; axis++) {
        if (axis > 0)
            strbuf_addf(out, " * %s + ", w->extents->of[value][axis]);
        strbuf_addf(out, "%s%s", place->at[axis], axis > 0 && axis + 1 < rank ? ")" : "");
    }
    if (rank == 0)
        strbuf_adds(out, "0");
}

/* The place in an operand that is broadcast to the result. */
static struct place broadcast(const struct writer *w, size_t operand, const struct place *place)
{
    const struct graph_node *node = node_of(w);
    const struct value *in = w->call.in[operand];
    size_t shift = w->call.out->shape.rank - in->shape.rank;
    struct place moved = {0};

    for (size_t axis = 0; axis < in->shape.rank; axis++) {
        const char *size = w->extents->of[node->in[operand]][axis];
        const char *full = w->extents->of[node->out][axis + shift], *at = place->at[axis + shift];

        if (strcmp(size, "1") == 0)
            at = "0";
        snprintf(moved.at[axis], sizeof(moved.at[axis]),
                 at[0] == '0' || strcmp(size, full) == 0 ? "%s" : "%s * (%s != 1)", at, size);
    }
    return moved;
}

static void write_load(const struct writer *w, size_t operand, const char *index,
                       struct strbuf *out)
{
    const struct value *value = w->call.in[operand];
    struct strbuf pointer = {0};
    struct formula_words words = {0};
    char number[32];

    if (is_constant(value)) {
        formula_number(value->dtype, value->fill.a, number);
        strbuf_adds(out, number);
        return;
    }
    strbuf_addf(&pointer, "p_%s", value->name);
    words.of['p'] = strbuf_cstr(&pointer);
    words.of['i'] = index;
    formula_expand(formula_type(value->dtype)->load, &words, out);
    strbuf_release(&pointer);
}

/* The operand at `index`, in the type that the result is computed in. */
static char *operand_text(const struct writer *w, size_t operand, const char *index)
{
    const char *own = formula_type(w->call.in[operand]->dtype)->compute;
    const char *result = formula_type(w->call.out->dtype)->compute;
    struct strbuf text = {0};

    if (strcmp(own, result) != 0 && w->call.in[operand]->dtype != DTYPE_BOOL &&
        w->call.out->dtype != DTYPE_BOOL)
        strbuf_addf(&text, "(%s)", result);
    write_load(w, operand, index, &text);
    return strbuf_take(&text);
}

static void write_store(struct writer *w, const char *index, const char *value, const char *indent)
{
    struct strbuf pointer = {0};
    struct formula_words words = {0};

    strbuf_addf(&pointer, "p_%s", w->call.out->name);
    words.of['p'] = strbuf_cstr(&pointer);
    words.of['i'] = index;
    words.of['v'] = value;
    strbuf_adds(&w->source, indent);
    formula_expand(formula_type(w->call.out->dtype)->store, &words, &w->source);
    strbuf_adds(&w->source, ";\n");
    strbuf_release(&pointer);
}

static void write_head(struct writer *w)
{
    strbuf_addf(&w->source, "kernel void %s_%zu(", w->call.op->name, w->node);
    for (size_t i = 0; i < w->call.in_count; i++)
        if (!is_constant(w->call.in[i]) && !is_repeated(w, i))
            strbuf_addf(&w->source, "global const %s *p_%s, ",
                        formula_type(w->call.in[i]->dtype)->storage, w->call.in[i]->name);
    strbuf_addf(&w->source, "global %s *p_%s", formula_type(w->call.out->dtype)->storage,
                w->call.out->name);
    for (size_t i = 0; i < w->problem->dims.count; i++)
        strbuf_addf(&w->source, ", const int %s", w->problem->dims.items[i].name);
    strbuf_adds(&w->source, ")\n{\n    const int i = get_global_id(0);\n");
}

/* Launch the node's kernel with a work-item for each index of `axes` of `value`. */
static void add_launch(struct writer *w, size_t value, unsigned axes)
{
    struct json *launch = json_push(w->launches, json_object_new());
    struct strbuf text = {0};

    strbuf_addf(&text, "%s_%zu", w->call.op->name, w->node);
    json_put_string(launch, "kernel", strbuf_cstr(&text));
    strbuf_release(&text);
    extents_product(w->extents, value, axes, &text);
    json_push(json_put(launch, "global", json_array_new()), json_string_new(strbuf_cstr(&text)));
    strbuf_release(&text);

    struct json *args = json_put(launch, "args", json_array_new());

    for (size_t i = 0; i < w->call.in_count; i++)
        if (!is_constant(w->call.in[i]) && !is_repeated(w, i))
            json_push(args, json_string_new(w->call.in[i]->name));
    json_push(args, json_string_new(w->call.out->name));
    for (size_t i = 0; i < w->problem->dims.count; i++)
        json_push(args, json_string_new(w->problem->dims.items[i].name));
}

static bool has_shape_of_result(const struct writer *w, size_t operand)
{
    const struct graph_node *node = node_of(w);

    if (w->call.in[operand]->shape.rank != w->call.out->shape.rank)
        return false;
    for (size_t axis = 0; axis < w->call.out->shape.rank; axis++)
        if (strcmp(w->extents->of[node->in[operand]][axis], w->extents->of[node->out][axis]) != 0)
            return false;
    return true;
}

/* An operand of an elementwise operation at the place of result i. */
static char *element_operand(const struct writer *w, size_t operand)
{
    struct place place = {0};
    struct strbuf index = {0};
    char *text;

    if (has_shape_of_result(w, operand)) {
        strbuf_adds(&index, "i");
    } else {
        place_axes(&place, all_axes(w->call.out), "i");
        place = broadcast(w, operand, &place);
        write_index(w, node_of(w)->in[operand], &place, &index);
    }
    text = operand_text(w, operand, strbuf_cstr(&index));
    strbuf_release(&index);
    return text;
}

/* Whether an operand has elements for some axes of the result only. */
static bool needs_axes(const struct writer *w)
{
    for (size_t k = 0; k < w->call.in_count; k++)
        if (w->call.in[k]->shape.rank > 0 && !has_shape_of_result(w, k))
            return true;
    return false;
}

/* A work-item computes an element. */
static bool write_elements(struct writer *w)
{
    const struct element_formula *formula = formula_element(w->call.op->name);
    size_t out = node_of(w)->out;
    char *operands[OP_MAX_INPUTS] = {0};
    struct formula_words words = {0};
    struct strbuf value = {0};

    if (!formula)
        return false;
    write_head(w);
    if (needs_axes(w))
        write_axes(w, out, all_axes(w->call.out), "i", "    ");
    formula_set_call(&words, &w->call);
    for (size_t k = 0; k < w->call.in_count; k++)
        words.of['a' + k] = operands[k] = element_operand(w, k);
    formula_expand(formula_element_text(formula, &w->call), &words, &value);
    write_store(w, "i", strbuf_cstr(&value), "    ");
    strbuf_adds(&w->source, "}\n");
    strbuf_release(&value);
    for (size_t k = 0; k < OP_MAX_INPUTS; k++)
        free(operands[k]);
    add_launch(w, out, all_axes(w->call.out));
    return true;
}

/* What a line kernel's formula is filled in with. */
struct line_text {
    struct formula_words words;
    char *x, *count, *weight, *bias;
    unsigned axes; /* of the first operand, that a line runs along */
    struct strbuf index;
};

static void line_text_release(struct line_text *line)
{
    free(line->x);
    free(line->count);
    free(line->weight);
    free(line->bias);
    strbuf_release(&line->index);
}

static void set_line_words(struct writer *w, struct line_text *line)
{
    const struct type_formula *type = formula_type(w->call.in[0]->dtype);
    struct strbuf count = {0};

    strbuf_addf(&count, "(float)(");
    extents_product(w->extents, node_of(w)->in[0], line->axes, &count);
    strbuf_adds(&count, ")");
    line->count = strbuf_take(&count);
    formula_set_call(&line->words, &w->call);
    line->words.of['X'] = type->compute;
    line->words.of['L'] = type->lowest;
    line->words.of['H'] = type->highest;
    line->words.of['n'] = line->count;
    line->words.of['x'] = "x";
    line->weight = w->call.in_count > 1 ? operand_text(w, 1, "j") : mem_strdup("1.0f");
    line->bias = w->call.in_count > 2 ? operand_text(w, 2, "j") : mem_strdup("0.0f");
    line->words.of['w'] = line->weight;
    line->words.of['b'] = line->bias;
}

static void write_loop_head(struct writer *w, const struct line_text *line)
{
    struct strbuf count = {0};
    size_t in = node_of(w)->in[0];

    extents_product(w->extents, in, line->axes, &count);
    strbuf_addf(&w->source, "    for (int j = 0; j < %s; j++) {\n", strbuf_cstr(&count));
    write_axes(w, in, line->axes, "j", "        ");
    strbuf_addf(&w->source, "        const %s x = %s;\n",
                formula_type(w->call.in[0]->dtype)->compute, line->x);
    strbuf_release(&count);
}

static void write_pass(struct writer *w, const struct line_text *line, const char *before,
                       const char *step)
{
    strbuf_adds(&w->source, "    ");
    formula_expand(before, &line->words, &w->source);
    strbuf_adds(&w->source, "\n");
    if (!step)
        return;
    write_loop_head(w, line);
    strbuf_adds(&w->source, "        ");
    formula_expand(step, &line->words, &w->source);
    strbuf_adds(&w->source, "\n    }\n");
}

static void write_line_result(struct writer *w, const struct line_text *line, const char *result)
{
    bool is_line = w->call.op->kind == OP_ROWWISE;
    struct strbuf value = {0};

    formula_expand(result, &line->words, &value);
    if (is_line)
        write_loop_head(w, line);
    write_store(w, is_line ? strbuf_cstr(&line->index) : "i", strbuf_cstr(&value),
                is_line ? "        " : "    ");
    strbuf_adds(&w->source, is_line ? "    }\n}\n" : "}\n");
    strbuf_release(&value);
}

/* A work-item goes along one line, which gives an element or another line. */
static bool write_line(struct writer *w)
{
    const struct line_formula *formula = formula_line(w->call.op->name);
    struct line_text line = {.axes = w->call.op->axes(&w->call)};
    size_t in = node_of(w)->in[0];
    unsigned kept = all_axes(w->call.in[0]) & ~line.axes;
    struct place place = {0};

    if (!formula)
        return false;
    write_head(w);
    write_axes(w, in, kept, "i", "    ");
    place_axes(&place, kept, "i");
    place_axes(&place, line.axes, "j");
    write_index(w, in, &place, &line.index);
    line.x = operand_text(w, 0, strbuf_cstr(&line.index));
    set_line_words(w, &line);
    for (size_t p = 0; p < FORMULA_MAX_PASSES && formula->passes[p].before; p++)
        write_pass(w, &line, formula->passes[p].before, formula->passes[p].step);
    write_line_result(w, &line, formula->result);
    line_text_release(&line);
    add_launch(w, in, kept);
    return true;
}

/* Operand 0 or 1 of a product at row and column of the result and at place k along the sum. */
static char *product_operand(const struct writer *w, size_t operand, bool is_turned)
{
    size_t rank = w->call.in[operand]->shape.rank, out_rank = w->call.out->shape.rank;
    struct place place = {0};
    struct strbuf index = {0};
    bool k_first = (operand == 1) != is_turned;
    char *text;

    place_axes(&place, all_axes(w->call.out), "i");
    if (rank > 2)
        place = broadcast(w, operand, &place);
    snprintf(place.at[rank - 1], sizeof(place.at[0]), "k");
    if (rank > 1)
        snprintf(place.at[rank - 2], sizeof(place.at[0]), "i%zu", out_rank - 2 + operand);
    if (k_first) {
        struct place turned = place;

        memcpy(place.at[rank - 1], turned.at[rank - 2], sizeof(place.at[0]));
        memcpy(place.at[rank - 2], turned.at[rank - 1], sizeof(place.at[0]));
    }
    write_index(w, node_of(w)->in[operand], &place, &index);
    text = operand_text(w, operand, strbuf_cstr(&index));
    strbuf_release(&index);
    return text;
}

/* A work-item computes an element of the product: a row times a column. */
static bool write_product(struct writer *w)
{
    struct product product = product_of(&w->call);
    size_t out = node_of(w)->out, in = node_of(w)->in[0];
    size_t k_axis = w->call.in[0]->shape.rank - (product.a_turned ? 2 : 1);
    char *a = product_operand(w, 0, product.a_turned), *b = product_operand(w, 1, product.b_turned);
    char bias_index[32], *bias;

    snprintf(bias_index, sizeof(bias_index), "i%zu", w->call.out->shape.rank - 1);
    bias = product.bias ? operand_text(w, 2, bias_index) : mem_strdup("0");
    write_head(w);
    write_axes(w, out, all_axes(w->call.out), "i", "    ");
    strbuf_addf(&w->source,
                "    float total = %s;\n"
                "    for (int k = 0; k < %s; k++)\n"
                "        total += %s * %s;\n",
                bias, w->extents->of[in][k_axis], a, b);
    write_store(w, "i", "total", "    ");
    strbuf_adds(&w->source, "}\n");
    free(a);
    free(b);
    free(bias);
    add_launch(w, out, all_axes(w->call.out));
    return true;
}

/* Each writes the kernel of a node and its launch; false where there is no row for the operation.
 */
typedef bool family_fn(struct writer *w);

static family_fn *const families[] = {
    [OP_ELEMENTWISE] = write_elements, [OP_REDUCTION] = write_line, [OP_ROWWISE] = write_line,
    [OP_PRODUCT] = write_product,      [OP_WINDOW] = NULL,          [OP_MOVEMENT] = NULL,
};

static enum status write_nodes(struct writer *w, struct error *err)
{
    for (w->node = 0; w->node < w->graph->nodes.count; w->node++) {
        w->call = graph_call(w->graph, w->node);
        if (w->node)
            strbuf_adds(&w->source, "\n");
        if (!families[w->call.op->kind] || !families[w->call.op->kind](w))
            return error_set(err, STATUS_UNAVAILABLE, "%s: graph[%zu]: no kernel for %s yet",
                             w->problem->name, w->node, w->call.op->name);
    }
    return STATUS_OK;
}

static void write_prelude(struct writer *w)
{
    for (size_t i = 0; i < w->graph->values.count; i++) {
        const char *prelude = formula_type_prelude(w->graph->values.items[i].dtype);

        if (*prelude && w->source.len == 0)
            strbuf_adds(&w->source, prelude);
    }
}

/* Inner values are scratch. */
static void add_scratch(struct writer *w, struct json *plan)
{
    struct json *scratch = json_put(plan, "scratch", json_object_new());

    for (size_t i = 0; i < w->graph->values.count; i++) {
        const struct value *value = &w->graph->values.items[i];

        if (value->role != TENSOR_INNER)
            continue;

        struct json *buffer = json_put(scratch, value->name, json_object_new());
        struct json *shape;

        json_put_string(buffer, "dtype", dtype_name(value->dtype));
        shape = json_put(buffer, "shape", json_array_new());
        for (size_t axis = 0; axis < value->shape.rank; axis++)
            json_push(shape, json_string_new(w->extents->of[i][axis]));
    }
}

static void take_candidate(struct writer *w, struct json *plan, struct candidate *candidate)
{
    struct strbuf text = {0};

    json_print_pretty(plan, &text);
    *candidate = (struct candidate){
        .language = mem_strdup("opencl"),
        .source = strbuf_take(&w->source),
        .plan = strbuf_take(&text),
        .remark = mem_strdup("One plain kernel for each operation."),
    };
}

static enum status write_candidate(struct writer *w, struct candidate *candidate, struct error *err)
{
    struct json *plan = json_object_new();
    enum status st;

    add_scratch(w, plan);
    w->launches = json_put(plan, "launches", json_array_new());
    write_prelude(w);
    st = write_nodes(w, err);
    if (!st)
        take_candidate(w, plan, candidate);
    strbuf_release(&w->source);
    json_free(plan);
    return st;
}

enum status reference_candidate(const struct problem *problem, struct candidate *candidate,
                                struct error *err)
{
    struct binding *bindings = mem_alloc_zeroed(problem->dims.count + 1, sizeof(*bindings));
    struct scope scope = problem_scope(problem, 0, bindings);
    struct graph graph = {0};
    struct extents extents = {0};
    struct writer writer = {.problem = problem, .graph = &graph, .extents = &extents};
    enum status st = graph_build(&graph, problem, &scope, err);

    if (!st && graph.nodes.count == 0)
        st = error_set(err, STATUS_UNAVAILABLE, "%s: the graph is not known", problem->name);
    if (!st)
        st = extents_find(problem, &graph, &extents, err);
    if (!st)
        st = write_candidate(&writer, candidate, err);
    extents_release(&extents);
    graph_release(&graph);
    free(bindings);
    return st;
}
