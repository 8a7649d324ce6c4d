#include "core/codegen/plain.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/codegen/plain_kernel.h"
#include "core/codegen/shared_kernels.h"
#include "core/codegen/wide_kernels.h"

const char *plain_text(struct plain *p, const char *fmt, ...)
{
    struct strbuf text = {0};
    const char *kept;
    va_list args;

    va_start(args, fmt);
    strbuf_vaddf(&text, fmt, args);
    va_end(args);
    kept = arena_copy(&p->texts, strbuf_cstr(&text), text.len);
    strbuf_release(&text);
    return kept;
}

/* Move the text to the arena and empty the buffer. */
static const char *keep(struct plain *p, struct strbuf *text)
{
    const char *kept = arena_copy(&p->texts, strbuf_cstr(text), text->len);

    strbuf_release(text);
    return kept;
}

void plain_add(struct plain *p, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    strbuf_vaddf(&p->writer->source, fmt, args);
    va_end(args);
}

const char *plain_size(const struct plain *p, size_t value, size_t axis)
{
    return p->writer->extents.of[value][axis];
}

const char *plain_sizes_from(struct plain *p, size_t value, size_t first)
{
    unsigned axes = value_axes(&p->writer->graph.values.items[value]);
    struct strbuf text = {0};

    extents_product(&p->writer->extents, value, axes & ~((1U << first) - 1), &text);
    return strchr(strbuf_cstr(&text), '*') ? plain_text(p, "(%s)", keep(p, &text)) : keep(p, &text);
}

const char *plain_number(struct plain *p, const char *attribute, size_t index)
{
    struct strbuf text = {0};

    writer_number(p->writer, p->node, attribute, index, &text);
    return keep(p, &text);
}

const char *plain_load(struct plain *p, size_t operand, const char *index)
{
    struct strbuf text = {0};

    writer_load(p->call.in[operand], index, &text);
    return keep(p, &text);
}

const char *plain_operand(struct plain *p, size_t operand, const char *index)
{
    enum dtype in = p->call.in[operand]->dtype, out = p->call.out->dtype;
    const char *own = formula_type(in)->compute, *result = formula_type(out)->compute;
    const char *text = plain_load(p, operand, index);

    if (strcmp(own, result) == 0 || in == DTYPE_BOOL || out == DTYPE_BOOL)
        return text;
    return plain_text(p, "(%s)%s", result, text);
}

const char *plain_index(struct plain *p, size_t value, const struct coordinates *coords)
{
    size_t rank = p->writer->graph.values.items[value].shape.rank;
    struct strbuf index = {0};

    writer_index(p->writer, value, rank, coords, &index);
    return keep(p, &index);
}

const char *plain_operand_at(struct plain *p, size_t operand, const struct coordinates *coords)
{
    return plain_operand(p, operand, plain_index(p, p->node->in[operand], coords));
}

struct coordinates plain_coordinates(const struct plain *p)
{
    struct coordinates coords = {0};

    coordinates_axes(&coords, value_axes(p->call.out), "i");
    return coords;
}

static void begin(struct plain *p)
{
    for (size_t i = 0; i < p->call.in_count; i++)
        kernel_add_value(&p->kernel, p->call.in[i], false);
    kernel_add_value(&p->kernel, p->call.out, true);
    writer_head(p->writer, &p->kernel);
}

void plain_head(struct plain *p)
{
    begin(p);
    plain_add(p, "    const int i = get_global_id(0);\n");
}

void plain_add_words(struct plain *p, const char *text)
{
    dialect_translate(p->writer->dialect, text, &p->writer->source);
}

void plain_head_of_groups(struct plain *p)
{
    begin(p);
    plain_add_words(p, "    const int i = $group_id0, lane = $local_id0;\n");
}

void plain_head_of_elements(struct plain *p)
{
    plain_head(p);
    writer_axes(p->writer, p->node->out, value_axes(p->call.out), "i", "    ");
}

void plain_store(struct plain *p, const char *index, const char *text, const char *indent)
{
    writer_store(p->writer, p->call.out, index, text, indent);
}

void plain_launch(struct plain *p, const char *global)
{
    writer_launch(p->writer, p->writer->launches, &p->kernel,
                  &(struct space){.global = {global}, .rank = 1});
}

void plain_launch_groups(struct plain *p, const char *groups)
{
    const char *local = plain_text(p, "%d", PLAIN_GROUP);
    const char *global = plain_text(p, "%s * %s", groups, local);

    writer_launch(p->writer, p->writer->launches, &p->kernel,
                  &(struct space){.global = {global}, .local = {local}, .rank = 1});
}

void plain_launch_over(struct plain *p, size_t value, unsigned axes)
{
    struct strbuf global = {0};

    extents_product(&p->writer->extents, value, axes, &global);
    plain_launch(p, keep(p, &global));
}

/* An operand of an elementwise operation for element i of the result. */
static const char *element_operand(struct plain *p, size_t operand)
{
    size_t in = p->node->in[operand];
    struct coordinates coords = plain_coordinates(p);

    if (writer_same_shape(p->writer, in, p->node->out))
        return plain_operand(p, operand, "i");
    coords = writer_broadcast(p->writer, in, p->node->out, &coords);
    return plain_operand_at(p, operand, &coords);
}

/* True if an operand is broadcast, so that its index needs the coordinates. */
static bool needs_axes(const struct plain *p)
{
    for (size_t k = 0; k < p->call.in_count; k++)
        if (p->call.in[k]->shape.rank > 0 &&
            !writer_same_shape(p->writer, p->node->in[k], p->node->out))
            return true;
    return false;
}

/* A work-item computes one element. */
static bool write_elements(struct plain *p)
{
    const struct element_formula *formula = formula_element(p->call.op->name);
    unsigned axes = value_axes(p->call.out);
    struct formula_words words = {0};
    struct strbuf value = {0};

    if (!formula)
        return false;
    plain_head(p);
    if (needs_axes(p))
        writer_axes(p->writer, p->node->out, axes, "i", "    ");
    formula_set_call(&words, &p->call);
    for (size_t k = 0; k < p->call.in_count; k++)
        words.of['a' + k] = element_operand(p, k);
    formula_expand(formula_element_text(formula, &p->call), &words, &value);
    plain_store(p, "i", strbuf_cstr(&value), "    ");
    strbuf_release(&value);
    plain_launch_over(p, p->node->out, axes);
    return true;
}

typedef bool family_fn(struct plain *p);

static family_fn *const families[] = {
    [OP_ELEMENTWISE] = write_elements, [OP_REDUCTION] = plain_rowwise,
    [OP_ROWWISE] = plain_rowwise,      [OP_CHANNELWISE] = plain_channels,
    [OP_PRODUCT] = plain_product,      [OP_CONVOLUTION] = plain_convolution,
    [OP_ATTENTION] = plain_attention,  [OP_WINDOW] = plain_pooling,
    [OP_MOVEMENT] = plain_movement,    [OP_RECURRENCE] = plain_recurrence,
    [OP_SCATTER] = plain_scatter,
};

enum status plain_write_node(struct writer *writer, size_t node, struct error *err)
{
    struct plain p = {.writer = writer,
                      .node = &writer->graph.nodes.items[node],
                      .call = graph_call(&writer->graph, node)};
    struct strbuf name = {0};
    bool is_written;

    strbuf_addf(&name, "%s_%zu", p.call.op->name, node);
    p.kernel.name = strbuf_cstr(&name);
    strbuf_adds(&writer->source, writer->source.len ? "\n" : "");
    is_written = families[p.call.op->kind](&p);
    strbuf_adds(&writer->source, "}\n");
    kernel_release(&p.kernel);
    arena_release(&p.texts);
    strbuf_release(&name);
    return is_written ? STATUS_OK
                      : error_set(err, STATUS_UNAVAILABLE,
                                  "%s: graph[%zu]: kforge has no plain kernel for this %s",
                                  writer->problem->name, node, p.call.op->name);
}

/* Put the prelude before the kernels. */
static void add_prelude(struct writer *writer)
{
    struct strbuf kernels = writer->source;

    writer->source = (struct strbuf){0};
    writer_prelude(writer, strbuf_cstr(&kernels));
    strbuf_adds(&writer->source, writer->source.len ? "\n" : "");
    strbuf_adds(&writer->source, strbuf_cstr(&kernels));
    strbuf_release(&kernels);
}

enum status plain_candidate(const struct problem *problem, const struct plain_target *target,
                            struct candidate *candidate, struct error *err)
{
    struct writer writer = {0};
    enum status st = writer_open(&writer, problem, target->language, err);

    if (st)
        return st;
    writer.is_gpu = target->is_gpu || writer.dialect->warp > 0;
    for (size_t i = 0; i < writer.graph.values.count; i++)
        if (writer.graph.values.items[i].role == TENSOR_INNER)
            writer_scratch_value(&writer, i, writer.graph.values.items[i].dtype);
    for (size_t i = 0; !st && i < writer.graph.nodes.count; i++)
        st = plain_write_node(&writer, i, err);
    if (!st) {
        add_prelude(&writer);
        wide_kernels(&writer);
        shared_kernels_merge(&writer);
        writer_take(&writer, candidate);
        candidate->remark = mem_strdup("One plain kernel for each operation.");
    }
    writer_release(&writer);
    return st;
}
