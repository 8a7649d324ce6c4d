#include "core/agent/builtin/emit/rowwise/rowwise_registers.h"

#include <string.h>

#include "core/agent/builtin/emit/emit_access.h"
#include "core/agent/builtin/emit/emit_element.h"
#include "core/agent/builtin/emit/emit_values.h"
#include "core/agent/builtin/emit/emit_vector.h"

static const struct graph_node *group_node(const struct rowwise *r, size_t number)
{
    return &r->e->writer->graph.nodes.items[r->e->group->nodes[number]];
}

static const char *value_name(const struct rowwise *r, size_t value)
{
    return emit_value_at(r->e, value)->name;
}

/* The node of the group that computes the value; group->count for none. */
static size_t find_source(const struct rowwise *r, size_t value)
{
    size_t n = 0;

    while (n < r->e->group->count && group_node(r, n)->out != value)
        n++;
    return n;
}

static size_t count_readers(const struct rowwise *r, size_t value)
{
    size_t readers = 0;

    for (size_t n = 0; n < r->e->group->count; n++) {
        bool reads = false;

        for (size_t i = 0; i < group_node(r, n)->in_count; i++)
            reads |= group_node(r, n)->in[i] == value;
        readers += reads;
    }
    return readers;
}

/*
 * The only operand that is no constant and has an element for each column; SIZE_MAX if there is
 * none or there are several.
 */
static size_t only_operand(const struct rowwise *r, const struct graph_node *node)
{
    size_t found = SIZE_MAX;

    for (size_t i = 0; i < node->in_count; i++) {
        size_t in = node->in[i];

        if (r->e->writer->graph.values.items[in].role == TENSOR_CONSTANT)
            continue;
        if (found != SIZE_MAX && found != in)
            return SIZE_MAX;
        found = in;
    }
    return found != SIZE_MAX && r->e->fusion->is_row[found] ? SIZE_MAX : found;
}

/*
 * The operand that the value is computed from, if nothing else reads the value; else the value
 * itself.
 */
static size_t step_back(const struct rowwise *r, size_t value)
{
    size_t source = find_source(r, value), operand;

    if (source == r->e->group->count || r->e->fusion->is_stored[value] ||
        count_readers(r, value) != 1 || !emit_is_elementwise(r->e, r->e->group->nodes[source]))
        return value;
    operand = only_operand(r, group_node(r, source));
    return operand == SIZE_MAX ? value : operand;
}

/* The first row-wise node of the group. */
static size_t first_rowwise(const struct rowwise *r)
{
    size_t first = 0;

    while (emit_is_elementwise(r->e, r->e->group->nodes[first]))
        first++;
    return first;
}

/*
 * The value to keep. For a reduction with one pass it is the value before the elementwise
 * operations: a sum of squares, for example, has no further use for the squares.
 */
static size_t value_held(const struct rowwise *r)
{
    size_t first = first_rowwise(r), value = group_node(r, first)->in[0], before;

    if (!r->e->fusion->is_row[group_node(r, first)->out] ||
        emit_rowwise_formula(r->e, r->e->group->nodes[first])->passes[1].name)
        return value;
    do {
        before = value;
        value = step_back(r, before);
    } while (value != before);
    return value;
}

/*
 * Floats of registers for a lane: half of its share of the register file, and few enough for other
 * rows to be resident.
 */
static int most_floats(int lanes)
{
    enum { REGISTERS = 65536, MOST = 64 };
    int half = REGISTERS / lanes / 2;

    return half < MOST ? half : MOST;
}

/* Preload the needed values that come from memory, as long as registers are left. */
static void add_preloaded(const struct rowwise *r, int *left)
{
    struct emitter *e = r->e;
    int floats = r->hold * r->width;

    for (size_t v = 0; v < e->writer->graph.values.count; v++)
        if (emit_is_loaded(e, v) && emit_is_along(e, v) && !e->is_preloaded[v] && *left >= floats) {
            e->is_preloaded[v] = true;
            *left -= floats;
        }
    memset(e->is_needed, 0, e->writer->graph.values.count * sizeof(bool));
}

/* Preload the operands of the first pass, and then those of the results. */
static void find_preloaded(const struct rowwise *r, size_t read)
{
    struct emitter *e = r->e;
    size_t count = e->writer->graph.values.count;
    bool *given = arena_alloc(&e->arena, count, sizeof(bool));
    int left = most_floats(r->lanes);

    emit_need(e, read);
    add_preloaded(r, &left);
    if (r->is_partial)
        return;
    memcpy(given, e->is_declared, count * sizeof(bool));
    for (size_t v = 0; v < count; v++)
        e->is_declared[v] |= v == r->held || (emit_is_own(e, v) && e->fusion->is_row[v]);
    for (size_t v = 0; v < count; v++)
        if (emit_is_own(e, v) && e->fusion->is_stored[v] && !e->fusion->is_row[v])
            emit_need(e, v);
    add_preloaded(r, &left);
    memcpy(e->is_declared, given, count * sizeof(bool));
}

/* Slices of long rows have results only in the second kernel, which has no passes. */
static bool has_passes(const struct rowwise *r)
{
    return !r->e->group->reads_partials && (r->is_partial || !r->e->group->slices);
}

void rowwise_choose_held(struct rowwise *r, int64_t columns)
{
    struct emitter *e = r->e;
    int64_t step = (int64_t)r->lanes * r->width;
    int floats = e->schedule->of[KNOB_HOLD] * e->schedule->of[KNOB_VEC];

    r->held = value_held(r);
    if (r->lanes == 1 || !has_passes(r))
        return;
    if (floats && r->lanes == ROWWISE_MOST_LANES && floats < most_floats(r->lanes))
        floats = most_floats(r->lanes);
    r->hold = floats / r->width; /* the same number of elements with narrower vectors */
    if (columns && columns < r->hold * step)
        r->hold = (int)((columns + step - 1) / step);
    if (r->hold)
        find_preloaded(r, group_node(r, first_rowwise(r))->in[0]);
}

/* The type in which a vector of the value is computed. */
static const char *type_of(const struct rowwise *r, size_t value)
{
    enum dtype dtype = r->e->writer->graph.values.items[value].dtype;

    return emit_vector_type(r->e, formula_type(dtype)->compute, r->width);
}

static void open_registers(const struct rowwise *r)
{
    emit_line(r->e, "#pragma unroll\n    for (int i = 0; i < %d; i++) {", r->hold);
    emit_line(r->e, "        const int col = %s(i * %d + lane) * %d;\n",
              r->first ? emit_text(r->e, "%s + ", r->first) : "", r->lanes, r->width);
    emit_line(r->e, "        if (col + %d > %s)\n            continue;", r->width, r->whole_end);
}

/*
 * Load everything in one loop: with a branch between loads, each would wait for the previous one.
 */
static void load_preloaded(const struct rowwise *r)
{
    const struct position position = rowwise_vector_position(r);

    open_registers(r);
    for (size_t v = 0; v < r->e->writer->graph.values.count; v++)
        if (r->e->is_preloaded[v])
            emit_line(r->e, "        early_%s[i] = %s;", value_name(r, v),
                      emit_load(r->e, v, &position));
    emit_line(r->e, "    }");
}

void rowwise_declare_held(const struct rowwise *r)
{
    bool has_early = false;

    if (!r->hold)
        return;
    emit_line(r->e, "    %s held[%d];", type_of(r, r->held), r->hold);
    for (size_t v = 0; v < r->e->writer->graph.values.count; v++) {
        if (r->e->is_preloaded[v])
            emit_line(r->e, "    %s early_%s[%d];", type_of(r, v), value_name(r, v), r->hold);
        has_early |= r->e->is_preloaded[v];
    }
    if (has_early)
        load_preloaded(r);
}

void rowwise_open_held(const struct rowwise *r)
{
    open_registers(r);
    if (!r->is_filled)
        return;
    emit_line(r->e, "        const %s v_%s = held[i];", type_of(r, r->held),
              value_name(r, r->held));
    r->e->is_declared[r->held] = true;
}

void rowwise_close_held(const struct rowwise *r)
{
    if (!r->is_filled)
        emit_line(r->e, "        held[i] = v_%s;", value_name(r, r->held));
    r->e->is_declared[r->held] = false;
    emit_line(r->e, "    }");
}
