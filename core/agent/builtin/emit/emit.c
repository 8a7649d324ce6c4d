#include "core/agent/builtin/emit/emit.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/agent/builtin/plan/family.h"
#include "core/base/mem.h"
#include "core/codegen/plain.h"

const char *emit_text(struct emitter *e, const char *fmt, ...)
{
    struct strbuf text = {0};
    const char *copy;
    va_list args;

    va_start(args, fmt);
    strbuf_vaddf(&text, fmt, args);
    va_end(args);
    copy = arena_copy(&e->arena, strbuf_cstr(&text), text.len);
    strbuf_release(&text);
    return copy;
}

void emit_line(struct emitter *e, const char *fmt, ...)
{
    struct strbuf line = {0};
    va_list args;

    va_start(args, fmt);
    strbuf_vaddf(&line, fmt, args);
    va_end(args);
    dialect_translate(e->writer->dialect, strbuf_cstr(&line), &e->writer->source);
    strbuf_adds(&e->writer->source, "\n");
    strbuf_release(&line);
}

const char *emit_formula(struct emitter *e, const char *text, const struct formula_words *words)
{
    struct strbuf out = {0};
    const char *copy;

    formula_expand(text, words, &out);
    copy = arena_copy(&e->arena, strbuf_cstr(&out), out.len);
    strbuf_release(&out);
    return copy;
}

static const struct value *value_at(const struct emitter *e, size_t value)
{
    return &e->writer->graph.values.items[value];
}

static const struct graph_node *node_at(const struct emitter *e, size_t node)
{
    return &e->writer->graph.nodes.items[node];
}

/* A float between operations stays as it is in registers, as for the expected values: only a cast
 * rounds it. */
const char *emit_rounded(struct emitter *e, size_t node, const char *text)
{
    enum dtype dtype = value_at(e, node_at(e, node)->out)->dtype;
    const char *rule = formula_type(dtype)->round;
    struct formula_words words = {0};

    words.of['v'] = text;
    if (!rule || (dtype_is_float(dtype) && strcmp(node_at(e, node)->op->name, "cast") != 0))
        return text;
    return emit_formula(e, rule, &words);
}

bool emit_is_element(const struct emitter *e, size_t node)
{
    struct op_call call = graph_call(&e->writer->graph, node);

    return family_is_element(e->writer, node_at(e, node), &call);
}

struct axes emit_channel_axes(const struct emitter *e)
{
    struct axes axes = group_columns(e->writer, e->group);

    axes.first++;
    return axes;
}

/* A vector does not reach into the next channel, unless channels are its elements. */
static int channel_width(const struct emitter *e)
{
    int width = e->schedule->of[KNOB_VEC];

    while (e->group->column_axes > 1 && !emit_divides(e, emit_channel_axes(e), width))
        width /= 2;
    return width;
}

int emit_width(const struct emitter *e)
{
    for (size_t n = 0; n < e->group->count; n++) {
        struct op_call call = graph_call(&e->writer->graph, e->group->nodes[n]);

        bool is_row = e->fusion->is_row[node_at(e, e->group->nodes[n])->out];

        for (size_t i = 0; i < call.in_count; i++)
            if (call.in[i]->dtype != DTYPE_F32 &&
                !(is_row && emit_is_element(e, e->group->nodes[n])))
                return 1;
        if (call.out->dtype != DTYPE_F32 && !is_row)
            return 1;
    }
    return e->group->parts ? channel_width(e) : e->schedule->of[KNOB_VEC];
}

const char *emit_extent(struct emitter *e, struct axes axes)
{
    struct strbuf text = {0};
    const char *copy;

    extents_product(&e->writer->extents, e->group->space, axes_bits(axes), &text);
    copy = emit_text(e, strchr(strbuf_cstr(&text), '*') ? "(%s)" : "%s", strbuf_cstr(&text));
    strbuf_release(&text);
    if (e->group->parts && axes.end == group_rows(e->writer, e->group).end)
        return emit_text(e, "(%s * %s)", copy, e->group->parts);
    if (e->group->parts && axes.first == group_columns(e->writer, e->group).first)
        return emit_text(e, "(%s / %s)", copy, e->group->parts);
    return copy;
}

bool emit_divides(const struct emitter *e, struct axes axes, int divisor)
{
    int64_t product = 1;

    for (size_t axis = axes.first; axis < axes.end; axis++) {
        if (!e->writer->extents.is_fixed[e->group->space][axis])
            return divisor == 1;
        product *= value_at(e, e->group->space)->shape.dims[axis];
    }
    if (e->group->parts && axes.first == group_columns(e->writer, e->group).first)
        product /= e->group->part_count;
    return product % divisor == 0;
}

bool emit_is_whole(const struct emitter *e, int width)
{
    return group_rows(e->writer, e->group).end == 0 ||
           emit_divides(e, group_columns(e->writer, e->group), width);
}

void emit_args(struct emitter *e, unsigned replaced)
{
    for (size_t n = 0; n < e->group->count; n++) {
        const struct graph_node *node = node_at(e, e->group->nodes[n]);

        for (size_t i = 0; i < node->in_count; i++)
            if (!emit_is_own(e, node->in[i]) && !(n == 0 && replaced >> i & 1))
                kernel_add_value(&e->kernel, value_at(e, node->in[i]), false);
    }
    for (size_t n = 0; n < e->group->count; n++) {
        size_t out = node_at(e, e->group->nodes[n])->out;

        if (e->fusion->is_stored[out])
            kernel_add_value(&e->kernel, value_at(e, out), true);
    }
}

/* A value's variable; where that is a scalar for the whole row, as a vector. */
static const char *variable_text(struct emitter *e, size_t value, const struct spot *spot)
{
    bool is_scalar =
        emit_is_own(e, value) ? e->fusion->is_row[value] : e->is_given[value] && value != e->held;
    const char *name = emit_text(e, "v_%s", value_at(e, value)->name);

    return is_scalar ? emit_splat(e, name, spot->width) : name;
}

/* An operand inside an expression, in the type of the result: a variable, or a constant. */
static const char *operand_text(struct emitter *e, size_t node, size_t operand,
                                const struct spot *spot)
{
    size_t in = node_at(e, node)->in[operand];
    const struct value *value = value_at(e, in), *out = value_at(e, node_at(e, node)->out);
    const char *own = formula_type(value->dtype)->compute;
    const char *result = formula_type(out->dtype)->compute;
    char number[32];

    if (value->role == TENSOR_CONSTANT) {
        formula_number(value->dtype, value->fill.a, number);
        return emit_splat(e, emit_text(e, "%s", number), spot->width);
    }
    if (strcmp(own, result) != 0 && value->dtype != DTYPE_BOOL && out->dtype != DTYPE_BOOL)
        return emit_text(e, "(%s)v_%s", result, value->name);
    return variable_text(e, in, spot);
}

void emit_need(struct emitter *e, size_t value)
{
    e->is_needed[value] = true;
    for (size_t n = e->group->count; n-- > 0;) {
        const struct graph_node *node = node_at(e, e->group->nodes[n]);
        bool has_element = e->has_element[node->out];

        if (!e->is_needed[node->out] || e->is_given[node->out] || e->is_kept[node->out])
            continue;
        for (size_t i = 0; i < node->in_count; i++)
            if (i > 0 || !has_element)
                e->is_needed[node->in[i]] = true;
    }
}

bool emit_is_loaded(const struct emitter *e, size_t value)
{
    return e->is_needed[value] && !e->is_given[value] &&
           (e->is_kept[value] || !emit_is_own(e, value)) &&
           value_at(e, value)->role != TENSOR_CONSTANT;
}

static void declare(struct emitter *e, size_t value, const char *text, const struct spot *spot)
{
    emit_line(e, "%sconst %s v_%s = %s;", spot->indent,
              emit_type(e, formula_type(value_at(e, value)->dtype)->compute, spot->width),
              value_at(e, value)->name, text);
}

const struct line_formula *emit_line_formula(const struct emitter *e, size_t node)
{
    const struct op *op = node_at(e, node)->op;

    return formula_line(op->kind == OP_CHANNELWISE ? "layer_norm" : op->name);
}

void emit_line_words(struct emitter *e, size_t node, const struct spot *spot,
                     struct formula_words *words)
{
    struct op_call call = graph_call(&e->writer->graph, node);
    size_t out = node_at(e, node)->out;

    formula_set_line(words, &call);
    words->of['@'] = emit_text(e, "_%s", call.out->name);
    words->of['n'] = emit_text(e, "(float)%s", emit_extent(e, group_columns(e->writer, e->group)));
    words->of['j'] = emit_places_from(e, spot->width, spot->column);
    words->of['x'] = variable_text(e, node_at(e, node)->in[0], spot);
    words->of['w'] = call.in_count > 1 ? operand_text(e, node, 1, spot) : "1.0f";
    words->of['s'] = call.in_count > 2 ? operand_text(e, node, 2, spot) : "0.0f";
    words->of['T'] = emit_type(e, words->of['T'], spot->width);
    words->of['X'] = emit_type(e, words->of['X'], spot->width);
    if (e->has_element[out])
        words->of['e'] = emit_load(e, out, spot);
}

struct kernel_arg emit_part_arg(struct emitter *e, size_t node, const struct line_pass *pass,
                                bool is_written)
{
    const char *out = value_at(e, node_at(e, node)->out)->name;

    return (struct kernel_arg){.name = emit_text(e, "%s_parts_%s", pass->name, out),
                               .dtype = strcmp(pass->type, "int") == 0 ? DTYPE_I32 : DTYPE_F32,
                               .is_written = is_written};
}

static const char *element_text(struct emitter *e, size_t node, const struct spot *spot)
{
    struct op_call call = graph_call(&e->writer->graph, node);
    struct formula_words words = {0};

    formula_set_call(&words, &call);
    words.of['T'] = emit_type(e, words.of['T'], spot->width);
    words.of['d'] = "1.0f";
    words.of['e'] = "0.0f";
    for (size_t i = 0; i < call.in_count; i++)
        words.of['a' + i] = operand_text(e, node, i, spot);
    return emit_element(e, &call, &words, spot->width);
}

/* The last pass, whose element a result may use. */
static const struct line_pass *last_pass(const struct line_formula *formula)
{
    size_t last = 0;

    while (last + 1 < FORMULA_MAX_PASSES && formula->passes[last + 1].name)
        last++;
    return &formula->passes[last];
}

static const char *line_text(struct emitter *e, size_t node, const struct spot *spot)
{
    const struct line_formula *formula = emit_line_formula(e, node);
    struct formula_words words = {0};

    emit_line_words(e, node, spot, &words);
    if (!words.of['e'])
        words.of['e'] = emit_formula(e, last_pass(formula)->element, &words);
    return emit_formula(e, formula->result, &words);
}

void emit_values(struct emitter *e, const struct spot *spot)
{
    for (size_t v = 0; v < e->writer->graph.values.count; v++)
        if (emit_is_loaded(e, v))
            declare(e, v, emit_load(e, v, spot), spot);
    for (size_t n = 0; n < e->group->count; n++) {
        size_t node = e->group->nodes[n], out = node_at(e, node)->out;

        if (!e->is_needed[out] || e->is_given[out] || e->is_kept[out])
            continue;
        declare(e, out,
                emit_rounded(e, node,
                             emit_is_element(e, node) ? element_text(e, node, spot)
                                                      : line_text(e, node, spot)),
                spot);
    }
    memset(e->is_needed, 0, e->writer->graph.values.count * sizeof(*e->is_needed));
}

/* Whether the value is an element to be stored at the end. */
static bool is_result(const struct emitter *e, size_t value)
{
    return emit_is_own(e, value) && e->fusion->is_stored[value] && !e->fusion->is_row[value] &&
           !e->is_kept[value];
}

void emit_results(struct emitter *e, const struct spot *spot)
{
    for (size_t v = 0; v < e->writer->graph.values.count; v++)
        if (is_result(e, v))
            emit_need(e, v);
    emit_values(e, spot);
    for (size_t v = 0; v < e->writer->graph.values.count; v++)
        if (is_result(e, v))
            emit_store(e, v, emit_text(e, "v_%s", value_at(e, v)->name), spot);
}

static const struct spot row_spot = {.row = "row", .column = "0", .width = 1, .indent = "    "};

void emit_row_value(struct emitter *e, size_t node, const char *text, const char *condition)
{
    size_t out = node_at(e, node)->out;
    struct spot spot = row_spot;

    declare(e, out, emit_rounded(e, node, text), &spot);
    e->is_given[out] = true;
    if (!e->fusion->is_stored[out])
        return;
    if (condition)
        emit_line(e, "    if (%s)", condition);
    spot.indent = condition ? "        " : "    ";
    emit_store(e, out, emit_text(e, "v_%s", value_at(e, out)->name), &spot);
}

void emit_row_element(struct emitter *e, size_t node, const char *condition)
{
    const struct graph_node *n = node_at(e, node);

    for (size_t i = 0; i < n->in_count; i++)
        e->is_needed[n->in[i]] = true;
    for (size_t v = 0; v < e->writer->graph.values.count; v++)
        if (emit_is_loaded(e, v)) {
            struct strbuf load = {0};

            writer_load(value_at(e, v), value_at(e, v)->shape.rank ? "row" : "0", &load);
            declare(e, v, strbuf_cstr(&load), &row_spot);
            strbuf_release(&load);
            e->is_given[v] = true;
        }
    memset(e->is_needed, 0, e->writer->graph.values.count * sizeof(*e->is_needed));
    emit_row_value(e, node, element_text(e, node, &row_spot), condition);
}

static bool *flags_new(const struct writer *writer)
{
    return mem_alloc_zeroed(writer->graph.values.count + 1, sizeof(bool));
}

static void (*const families[])(struct emitter *e) = {
    [FAMILY_ELEMENTS] = emit_elements,
    [FAMILY_ROWS] = emit_rows,
    [FAMILY_PRODUCT] = emit_product,
    [FAMILY_PLACES] = emit_places,
    [FAMILY_CONVOLUTION] = emit_convolution,
    [FAMILY_ATTENTION] = emit_attention,
    [FAMILY_SCAN] = emit_scan,
    [FAMILY_TURN] = emit_turn,
    [FAMILY_POOL] = emit_pool,
};

/* A pool joins lines for one work-item alone; neighbours that share them need no lines. */
static bool is_plain(enum family family, const struct schedule *schedule)
{
    return family == FAMILY_PLAIN || (family == FAMILY_POOL && schedule->of[KNOB_GROUP] > 1);
}

enum status emit_group(struct writer *writer, const struct fusion *fusion, size_t number,
                       const struct schedule *schedule, struct error *err)
{
    const struct group *group = &fusion->groups.items[number];
    struct emitter e = {
        .writer = writer,
        .fusion = fusion,
        .group = group,
        .number = number,
        .schedule = schedule,
        .held = SIZE_MAX,
    };

    if (is_plain(group->family, schedule))
        return plain_write_node(writer, group->nodes[0], err);
    e.is_needed = flags_new(writer);
    e.is_given = flags_new(writer);
    e.is_early = flags_new(writer);
    e.is_kept = flags_new(writer);
    e.has_element = flags_new(writer);
    families[group->family](&e);
    free(e.is_needed);
    free(e.is_given);
    free(e.is_early);
    free(e.is_kept);
    free(e.has_element);
    kernel_release(&e.kernel);
    arena_release(&e.arena);
    return STATUS_OK;
}
