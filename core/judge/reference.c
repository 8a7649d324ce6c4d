#include "core/judge/reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/writer.h"
#include "core/model/op_product.h"

/* A node while its kernel is written. */
struct plain {
    struct writer *writer;
    const struct graph_node *node;
    struct op_call call;
    struct kernel kernel;
};

/* The operand at `index`, in the type that the result is computed in. */
static char *operand_text(const struct plain *p, size_t operand, const char *index)
{
    const struct value *in = p->call.in[operand];
    const char *own = formula_type(in->dtype)->compute;
    const char *result = formula_type(p->call.out->dtype)->compute;
    struct strbuf text = {0};

    if (strcmp(own, result) != 0 && in->dtype != DTYPE_BOOL && p->call.out->dtype != DTYPE_BOOL)
        strbuf_addf(&text, "(%s)", result);
    writer_load(in, index, &text);
    return strbuf_take(&text);
}

/* The kernel takes the operands and the result; work-item i does part i of the work. */
static void write_head(struct plain *p)
{
    for (size_t i = 0; i < p->call.in_count; i++)
        kernel_add_value(&p->kernel, p->call.in[i], false);
    kernel_add_value(&p->kernel, p->call.out, true);
    writer_head(p->writer, &p->kernel);
    strbuf_adds(&p->writer->source, "    const int i = get_global_id(0);\n");
}

/* Launch it with a work-item for each element of `value` along `axes`. */
static void add_launch(struct plain *p, size_t value, unsigned axes)
{
    struct strbuf global = {0};

    extents_product(&p->writer->extents, value, axes, &global);
    writer_launch(p->writer, p->writer->launches, &p->kernel,
                  &(struct space){.global = {strbuf_cstr(&global)}, .rank = 1});
    strbuf_release(&global);
}

/* An operand of an elementwise operation at the place of result i. */
static char *element_operand(const struct plain *p, size_t operand)
{
    size_t in = p->node->in[operand];
    struct place place = {0};
    struct strbuf index = {0};
    char *text;

    if (writer_same_shape(p->writer, in, p->node->out)) {
        strbuf_adds(&index, "i");
    } else {
        place_axes(&place, value_axes(p->call.out), "i");
        place = writer_broadcast(p->writer, in, p->node->out, &place);
        writer_index(p->writer, in, p->call.in[operand]->shape.rank, &place, &index);
    }
    text = operand_text(p, operand, strbuf_cstr(&index));
    strbuf_release(&index);
    return text;
}

/* Whether an operand has elements for some axes of the result only. */
static bool needs_axes(const struct plain *p)
{
    for (size_t k = 0; k < p->call.in_count; k++)
        if (p->call.in[k]->shape.rank > 0 &&
            !writer_same_shape(p->writer, p->node->in[k], p->node->out))
            return true;
    return false;
}

/* A work-item computes an element. */
static bool write_elements(struct plain *p)
{
    const struct element_formula *formula = formula_element(p->call.op->name);
    unsigned axes = value_axes(p->call.out);
    char *operands[OP_MAX_INPUTS] = {0};
    struct formula_words words = {0};
    struct strbuf value = {0};

    if (!formula)
        return false;
    write_head(p);
    if (needs_axes(p))
        writer_axes(p->writer, p->node->out, axes, "i", "    ");
    formula_set_call(&words, &p->call);
    for (size_t k = 0; k < p->call.in_count; k++)
        words.of['a' + k] = operands[k] = element_operand(p, k);
    formula_expand(formula_element_text(formula, &p->call), &words, &value);
    writer_store(p->writer, p->call.out, "i", strbuf_cstr(&value), "    ");
    strbuf_release(&value);
    for (size_t k = 0; k < OP_MAX_INPUTS; k++)
        free(operands[k]);
    add_launch(p, p->node->out, axes);
    return true;
}

/* A line, and what its formula is filled in with. */
struct line {
    struct plain *plain;
    struct formula_words words;
    unsigned axes; /* of the first operand, that it runs along */
    char *count, *count_as_float, *weight, *shift;
    char *index; /* of the element at place j */
    char *x;     /* that element */
    char *kept;  /* what the last pass joins */
};

static void line_release(struct line *line)
{
    free(line->count);
    free(line->count_as_float);
    free(line->weight);
    free(line->shift);
    free(line->index);
    free(line->x);
    free(line->kept);
}

static char *expanded(const char *text, const struct formula_words *words)
{
    struct strbuf out = {0};

    formula_expand(text, words, &out);
    return strbuf_take(&out);
}

static void line_init(struct line *line, struct plain *p)
{
    struct strbuf text = {0};
    struct place place = {0};

    *line = (struct line){.plain = p, .axes = p->call.op->axes(&p->call)};
    extents_product(&p->writer->extents, p->node->in[0], line->axes, &text);
    line->count = strbuf_take(&text);
    strbuf_addf(&text, "(float)(%s)", line->count);
    line->count_as_float = strbuf_take(&text);
    place_axes(&place, value_axes(p->call.in[0]) & ~line->axes, "i");
    place_axes(&place, line->axes, "j");
    writer_index(p->writer, p->node->in[0], p->call.in[0]->shape.rank, &place, &text);
    line->index = strbuf_take(&text);
    writer_load(p->call.in[0], line->index, &text);
    line->x = strbuf_take(&text);
    line->weight = p->call.in_count > 1 ? operand_text(p, 1, "j") : mem_strdup("1.0f");
    line->shift = p->call.in_count > 2 ? operand_text(p, 2, "j") : mem_strdup("0.0f");
    formula_set_line(&line->words, &p->call);
    line->words.of['n'] = line->count_as_float;
    line->words.of['w'] = line->weight;
    line->words.of['s'] = line->shift;
}

static void write_loop_head(struct line *line)
{
    struct strbuf *source = &line->plain->writer->source;

    strbuf_addf(source, "    for (int j = 0; j < %s; j++) {\n", line->count);
    writer_axes(line->plain->writer, line->plain->node->in[0], line->axes, "j", "        ");
    strbuf_addf(source, "        const %s x = %s;\n", line->words.of['X'], line->x);
}

static void write_pass(struct line *line, const struct line_pass *pass)
{
    struct strbuf *source = &line->plain->writer->source;
    char *type = expanded(pass->type, &line->words), *start = expanded(pass->start, &line->words);

    free(line->kept);
    line->words.of['e'] = line->kept = expanded(pass->element, &line->words);
    line->words.of['a'] = pass->name;
    line->words.of['b'] = line->kept;
    strbuf_addf(source, "    %s %s = %s;\n", type, pass->name, start);
    write_loop_head(line);
    strbuf_addf(source, "        %s = ", pass->name);
    formula_expand(pass->join, &line->words, source);
    strbuf_adds(source, ";\n    }\n");
    if (pass->then) {
        strbuf_adds(source, "    ");
        formula_expand(pass->then, &line->words, source);
        strbuf_adds(source, "\n");
    }
    free(type);
    free(start);
}

static void write_line_result(struct line *line, const char *result)
{
    struct plain *p = line->plain;
    bool is_line = p->call.op->kind == OP_ROWWISE;
    char *value = expanded(result, &line->words);

    if (is_line)
        write_loop_head(line);
    writer_store(p->writer, p->call.out, is_line ? line->index : "i", value,
                 is_line ? "        " : "    ");
    if (is_line)
        strbuf_adds(&p->writer->source, "    }\n");
    free(value);
}

/* A work-item goes along one line, which gives an element or another line. */
static bool write_line(struct plain *p)
{
    const struct line_formula *formula = formula_line(p->call.op->name);
    struct line line;
    unsigned kept;

    if (!formula)
        return false;
    line_init(&line, p);
    kept = value_axes(p->call.in[0]) & ~line.axes;
    write_head(p);
    writer_axes(p->writer, p->node->in[0], kept, "i", "    ");
    for (size_t i = 0; i < FORMULA_MAX_PASSES && formula->passes[i].name; i++)
        write_pass(&line, &formula->passes[i]);
    write_line_result(&line, formula->result);
    line_release(&line);
    add_launch(p, p->node->in[0], kept);
    return true;
}

/* Operand 0 or 1 of a product at row and column of the result and at place k along the sum. */
static char *product_operand(const struct plain *p, size_t operand, bool is_turned)
{
    size_t rank = p->call.in[operand]->shape.rank, out_rank = p->call.out->shape.rank;
    size_t k_axis = rank - ((operand == 1) != is_turned && rank > 1 ? 2 : 1);
    struct place place = {0};
    struct strbuf index = {0};
    char *text;

    place_axes(&place, value_axes(p->call.out), "i");
    if (rank > 2)
        place = writer_broadcast(p->writer, p->node->in[operand], p->node->out, &place);
    for (size_t axis = rank > 1 ? rank - 2 : 0; axis < rank; axis++)
        snprintf(place.at[axis], sizeof(place.at[axis]), "i%zu", out_rank - 2 + operand);
    snprintf(place.at[k_axis], sizeof(place.at[k_axis]), "k");
    writer_index(p->writer, p->node->in[operand], rank, &place, &index);
    text = operand_text(p, operand, strbuf_cstr(&index));
    strbuf_release(&index);
    return text;
}

/* A work-item computes an element of the product: a row times a column. */
static bool write_product(struct plain *p)
{
    struct product product = product_of(&p->call);
    size_t k_axis = p->call.in[0]->shape.rank - (product.a_turned ? 2 : 1);
    char *a = product_operand(p, 0, product.a_turned), *b = product_operand(p, 1, product.b_turned);
    char place[16], *bias;

    snprintf(place, sizeof(place), "i%zu", p->call.out->shape.rank - 1);
    bias = product.bias ? operand_text(p, 2, place) : mem_strdup("0");
    write_head(p);
    writer_axes(p->writer, p->node->out, value_axes(p->call.out), "i", "    ");
    strbuf_addf(&p->writer->source,
                "    float total = %s;\n"
                "    for (int k = 0; k < %s; k++)\n"
                "        total += %s * %s;\n",
                bias, p->writer->extents.of[p->node->in[0]][k_axis], a, b);
    writer_store(p->writer, p->call.out, "i", "total", "    ");
    free(a);
    free(b);
    free(bias);
    add_launch(p, p->node->out, value_axes(p->call.out));
    return true;
}

/* Each writes the kernel of a node and its launch; false where there is no row for the operation.
 */
typedef bool family_fn(struct plain *p);

static family_fn *const families[] = {
    [OP_ELEMENTWISE] = write_elements, [OP_REDUCTION] = write_line, [OP_ROWWISE] = write_line,
    [OP_PRODUCT] = write_product,      [OP_WINDOW] = NULL,          [OP_MOVEMENT] = NULL,
};

enum status reference_write_node(struct writer *writer, size_t node, struct error *err)
{
    struct plain p = {.writer = writer,
                      .node = &writer->graph.nodes.items[node],
                      .call = graph_call(&writer->graph, node)};
    family_fn *write = families[p.call.op->kind];
    struct strbuf name = {0};
    bool is_written;

    strbuf_addf(&name, "%s_%zu", p.call.op->name, node);
    p.kernel.name = strbuf_cstr(&name);
    strbuf_adds(&writer->source, writer->source.len ? "\n" : "");
    is_written = write && write(&p);
    strbuf_adds(&writer->source, "}\n");
    kernel_release(&p.kernel);
    strbuf_release(&name);
    return is_written ? STATUS_OK
                      : error_set(err, STATUS_UNAVAILABLE, "%s: graph[%zu]: no kernel for %s yet",
                                  writer->problem->name, node, p.call.op->name);
}

enum status reference_candidate(const struct problem *problem, struct candidate *candidate,
                                struct error *err)
{
    struct writer writer = {0};
    enum status st = writer_open(&writer, problem, err);

    if (st)
        return st;
    writer_prelude(&writer);
    for (size_t i = 0; i < writer.graph.values.count; i++)
        if (writer.graph.values.items[i].role == TENSOR_INNER)
            writer_scratch_value(&writer, i);
    for (size_t i = 0; !st && i < writer.graph.nodes.count; i++)
        st = reference_write_node(&writer, i, err);
    if (!st) {
        writer_take(&writer, candidate);
        candidate->remark = mem_strdup("One plain kernel for each operation.");
    }
    writer_release(&writer);
    return st;
}
