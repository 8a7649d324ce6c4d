#include "core/agent/builtin/emit/emit_values.h"

#include <string.h>

#include "core/agent/builtin/emit/emit_access.h"
#include "core/agent/builtin/emit/emit_element.h"
#include "core/agent/builtin/emit/emit_space.h"
#include "core/agent/builtin/emit/emit_vector.h"
#include "core/agent/builtin/plan/family.h"
#include "core/agent/builtin/plan/fusion_epilogue.h"

void emit_add_arg(struct emitter *e, size_t value, bool is_written)
{
    struct value stored = *emit_value_at(e, value);

    stored.dtype = fusion_storage(e->writer, e->schedule, e->fusion, value);
    kernel_add_value(&e->kernel, &stored, is_written);
}

void emit_args(struct emitter *e, unsigned replaced)
{
    for (size_t n = 0; n < e->group->count; n++) {
        const struct graph_node *node = emit_node_at(e, e->group->nodes[n]);

        for (size_t i = 0; i < node->in_count; i++)
            if (!emit_is_own(e, node->in[i]) && !(n == 0 && replaced >> i & 1))
                emit_add_arg(e, node->in[i], false);
    }
    for (size_t n = 0; n < e->group->count; n++) {
        size_t out = emit_node_at(e, e->group->nodes[n])->out;

        if (e->fusion->is_stored[out])
            emit_add_arg(e, out, true);
    }
}

/* The variable of a value, as a vector if the position is one. */
static const char *variable_text(struct emitter *e, size_t value, const struct position *position)
{
    bool is_scalar = emit_is_own(e, value) ? e->fusion->is_row[value]
                                           : e->is_declared[value] && value != e->held;
    const char *name = emit_text(e, "v_%s", emit_value_at(e, value)->name);

    return is_scalar ? emit_vector_splat(e, name, position->width) : name;
}

/*
 * True if the node divides elements by a number that all elements of their row share. The device's
 * approximate division has no branch.
 */
static bool shares_divisor(const struct emitter *e, size_t node)
{
    const struct graph_node *n = emit_node_at(e, node);
    bool is_constant;

    if (strcmp(n->op->name, "div") != 0 || !e->writer->dialect->has_divisors ||
        e->schedule->of[KNOB_FAST] == FAST_DEVICE || e->fusion->is_row[n->out] ||
        !dtype_is_float(emit_value_at(e, n->in[0])->dtype) ||
        !dtype_is_float(emit_value_at(e, n->in[1])->dtype))
        return false;
    is_constant = emit_value_at(e, n->in[1])->role == TENSOR_CONSTANT;
    return is_constant || (e->group->family == FAMILY_ROWWISE && emit_is_own(e, n->in[1]) &&
                           e->fusion->is_row[n->in[1]]);
}

/* Declare what elements are divided by, if any are divided by the value. */
static void declare_divisor(struct emitter *e, size_t value)
{
    const char *name = emit_value_at(e, value)->name;

    for (size_t n = 0; n < e->group->count; n++)
        if (emit_node_at(e, e->group->nodes[n])->in_count == 2 &&
            emit_node_at(e, e->group->nodes[n])->in[1] == value &&
            shares_divisor(e, e->group->nodes[n])) {
            emit_line(e, "    const shared_divisor by_%s(v_%s);", name, name);
            return;
        }
}

static const char *shared_divisor_text(struct emitter *e, size_t value)
{
    const struct value *divisor = emit_value_at(e, value);
    char number[32];

    if (divisor->role != TENSOR_CONSTANT)
        return emit_text(e, "by_%s", divisor->name);
    formula_number(divisor->dtype, divisor->fill.a, number);
    return emit_text(e, "shared_divisor(%s)", number);
}

/*
 * An operand of an expression in the type of the result: a variable, or a literal for a constant.
 */
static const char *operand_text(struct emitter *e, size_t node, size_t operand,
                                const struct position *position)
{
    size_t in = emit_node_at(e, node)->in[operand];
    const struct value *value = emit_value_at(e, in),
                       *out = emit_value_at(e, emit_node_at(e, node)->out);
    const char *own = formula_type(value->dtype)->compute;
    const char *result = formula_type(out->dtype)->compute;
    char number[32];

    if (operand == 1 && shares_divisor(e, node))
        return shared_divisor_text(e, in);
    if (value->role == TENSOR_CONSTANT) {
        formula_number(value->dtype, value->fill.a, number);
        return emit_vector_splat(e, emit_text(e, "%s", number), position->width);
    }
    if (strcmp(own, result) != 0 && value->dtype != DTYPE_BOOL && out->dtype != DTYPE_BOOL)
        return emit_text(e, "(%s)v_%s", result, value->name);
    return variable_text(e, in, position);
}

void emit_need(struct emitter *e, size_t value)
{
    e->is_needed[value] = true;
    for (size_t n = e->group->count; n-- > 0;) {
        const struct graph_node *node = emit_node_at(e, e->group->nodes[n]);
        bool has_element_in_memory = e->has_element_in_memory[node->out];

        if (!e->is_needed[node->out] || e->is_declared[node->out] || e->is_in_memory[node->out])
            continue;
        for (size_t i = 0; i < node->in_count; i++)
            if (i > 0 || !has_element_in_memory)
                e->is_needed[node->in[i]] = true;
    }
}

bool emit_is_loaded(const struct emitter *e, size_t value)
{
    return e->is_needed[value] && !e->is_declared[value] &&
           (e->is_in_memory[value] || !emit_is_own(e, value)) &&
           emit_value_at(e, value)->role != TENSOR_CONSTANT;
}

static void declare(struct emitter *e, size_t value, const char *text,
                    const struct position *position)
{
    emit_line(
        e, "%sconst %s v_%s = %s;", position->indent,
        emit_vector_type(e, formula_type(emit_value_at(e, value)->dtype)->compute, position->width),
        emit_value_at(e, value)->name, text);
}

const struct rowwise_formula *emit_rowwise_formula(const struct emitter *e, size_t node)
{
    return family_rowwise_formula(emit_node_at(e, node)->op);
}

void emit_rowwise_words(struct emitter *e, size_t node, const struct position *position,
                        struct formula_words *words)
{
    struct op_call call = graph_call(&e->writer->graph, node);
    size_t out = emit_node_at(e, node)->out;

    formula_set_rowwise(words, &call);
    words->of['@'] = emit_text(e, "_%s", call.out->name);
    words->of['n'] = emit_text(e, "(float)%s", emit_extent(e, group_columns(e->writer, e->group)));
    words->of['j'] = emit_vector_indices(e, position->width, position->column);
    words->of['x'] = variable_text(e, emit_node_at(e, node)->in[0], position);
    words->of['w'] = call.in_count > 1 ? operand_text(e, node, 1, position) : "1.0f";
    words->of['s'] = call.in_count > 2 ? operand_text(e, node, 2, position) : "0.0f";
    words->of['T'] = emit_vector_type(e, words->of['T'], position->width);
    words->of['X'] = emit_vector_type(e, words->of['X'], position->width);
    if (e->has_element_in_memory[out])
        words->of['e'] = emit_load(e, out, position);
}

struct kernel_arg emit_partials_arg(struct emitter *e, size_t node, const struct rowwise_pass *pass,
                                    bool is_written)
{
    const char *out = emit_value_at(e, emit_node_at(e, node)->out)->name;

    return (struct kernel_arg){.name = emit_text(e, "%s_parts_%s", pass->name, out),
                               .dtype = strcmp(pass->type, "int") == 0 ? DTYPE_I32 : DTYPE_F32,
                               .is_written = is_written};
}

static const char *element_text(struct emitter *e, size_t node, const struct position *position)
{
    struct op_call call = graph_call(&e->writer->graph, node);
    struct formula_words words = {0};

    formula_set_call(&words, &call);
    words.of['T'] = emit_vector_type(e, words.of['T'], position->width);
    words.of['d'] = "1.0f";
    words.of['e'] = "0.0f";
    for (size_t i = 0; i < call.in_count; i++)
        words.of['a' + i] = operand_text(e, node, i, position);
    return emit_element(e, &call, &words, position->width);
}

/* The last pass; the result's formula may use its element. */
static const struct rowwise_pass *last_pass(const struct rowwise_formula *formula)
{
    size_t last = 0;

    while (last + 1 < FORMULA_MAX_PASSES && formula->passes[last + 1].name)
        last++;
    return &formula->passes[last];
}

static const char *rowwise_text(struct emitter *e, size_t node, const struct position *position)
{
    const struct rowwise_formula *formula = emit_rowwise_formula(e, node);
    struct formula_words words = {0};

    emit_rowwise_words(e, node, position, &words);
    if (!words.of['e'])
        words.of['e'] = emit_formula(e, last_pass(formula)->element, &words);
    return emit_formula(e, formula->result, &words);
}

void emit_values(struct emitter *e, const struct position *position)
{
    for (size_t v = 0; v < e->writer->graph.values.count; v++)
        if (emit_is_loaded(e, v))
            declare(e, v, emit_load(e, v, position), position);
    for (size_t n = 0; n < e->group->count; n++) {
        size_t node = e->group->nodes[n], out = emit_node_at(e, node)->out;

        if (!e->is_needed[out] || e->is_declared[out] || e->is_in_memory[out])
            continue;
        declare(e, out,
                emit_element_rounded(e, node,
                                     emit_is_elementwise(e, node)
                                         ? element_text(e, node, position)
                                         : rowwise_text(e, node, position)),
                position);
    }
    memset(e->is_needed, 0, e->writer->graph.values.count * sizeof(*e->is_needed));
}

/* True if the value has elements that must be stored at the end. */
static bool is_result(const struct emitter *e, size_t value)
{
    return emit_is_own(e, value) && e->fusion->is_stored[value] && !e->fusion->is_row[value] &&
           !e->is_in_memory[value];
}

void emit_results(struct emitter *e, const struct position *position)
{
    for (size_t v = 0; v < e->writer->graph.values.count; v++)
        if (is_result(e, v))
            emit_need(e, v);
    emit_values(e, position);
    for (size_t v = 0; v < e->writer->graph.values.count; v++)
        if (is_result(e, v))
            emit_store(e, v, emit_text(e, "v_%s", emit_value_at(e, v)->name), position);
}

static const struct position row_position = {
    .row = "row", .column = "0", .width = 1, .indent = "    "};

void emit_row_value(struct emitter *e, size_t node, const char *text, const char *condition)
{
    size_t out = emit_node_at(e, node)->out;
    struct position position = row_position;

    declare(e, out, emit_element_rounded(e, node, text), &position);
    e->is_declared[out] = true;
    declare_divisor(e, out);
    if (!e->fusion->is_stored[out])
        return;
    if (condition)
        emit_line(e, "    if (%s)", condition);
    position.indent = condition ? "        " : "    ";
    emit_store(e, out, emit_text(e, "v_%s", emit_value_at(e, out)->name), &position);
}

void emit_row_element(struct emitter *e, size_t node, const char *condition)
{
    const struct graph_node *n = emit_node_at(e, node);

    for (size_t i = 0; i < n->in_count; i++)
        e->is_needed[n->in[i]] = true;
    for (size_t v = 0; v < e->writer->graph.values.count; v++)
        if (emit_is_loaded(e, v)) {
            struct strbuf load = {0};

            writer_load(emit_value_at(e, v), emit_value_at(e, v)->shape.rank ? "row" : "0", &load);
            declare(e, v, strbuf_cstr(&load), &row_position);
            strbuf_release(&load);
            e->is_declared[v] = true;
        }
    memset(e->is_needed, 0, e->writer->graph.values.count * sizeof(*e->is_needed));
    emit_row_value(e, node, element_text(e, node, &row_position), condition);
}
