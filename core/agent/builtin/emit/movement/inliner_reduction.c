#include <string.h>

#include "core/agent/builtin/emit/emit_space.h"
#include "core/agent/builtin/emit/emit_vector.h"
#include "core/agent/builtin/emit/movement/inliner.h"
#include "core/base/text.h"

/* Reductions inline: loops over the reduced axes. */

/*
 * The coordinates of the operand of a reduction; its reduced axes are the loop variables
 * `k<axis>_<number>`.
 */
static struct vector_coordinates reduced(struct inliner *inliner, const struct op_call *call,
                                         const struct vector_coordinates *at, size_t number)
{
    unsigned axes = call->op->axes(call);
    bool keeps = call->out->shape.rank == call->in[0]->shape.rank;
    struct vector_coordinates in = {.axis = NO_AXIS, .is_aligned = at->is_aligned};
    size_t from = 0;

    for (size_t axis = 0; axis < call->in[0]->shape.rank; axis++) {
        bool is_reduced = axes >> axis & 1;
        size_t out = keeps ? axis : from;

        coordinates_set(&in.coords, axis,
                        is_reduced ? emit_text(inliner->e, "k%zu_%zu", axis, number)
                                   : at->coords.at[out]);
        if (!is_reduced && out == at->axis)
            in.axis = axis;
        from += !is_reduced;
    }
    return in;
}

/* The last of the axes. */
static size_t last_axis(unsigned axes)
{
    size_t last = 0;

    for (size_t axis = 0; axis < SHAPE_MAX_RANK; axis++)
        if (axes >> axis & 1)
            last = axis;
    return last;
}

/*
 * True if the pass is a sum along several axes. Each line along the last one then gets a sum of its
 * own: the rounding errors of one long sum of similar numbers do not cancel.
 */
static bool has_parts(const struct rowwise_pass *pass, unsigned axes)
{
    return strcmp(pass->start, "0") == 0 && strcmp(pass->combine, "$a + $b") == 0 &&
           axes != 1U << last_axis(axes);
}

/* Write a loop for each axis; returns the number of the element within the reduced ones. */
static const char *open_loops(struct inliner *inliner, size_t x, unsigned axes,
                              const struct vector_coordinates *in, const char *part)
{
    const struct writer *w = inliner->e->writer;
    int sets = inliner->spread.sets ? inliner->spread.sets : 1;
    const char *flat = "0";

    for (size_t axis = 0; axis < emit_value_at(inliner->e, x)->shape.rank; axis++)
        if (axes >> axis & 1) {
            const char *k = in->coords.at[axis];

            if (part && axis == last_axis(axes))
                emit_line(inliner->e, "%s{\n%s%s", inliner->indent, inliner->indent, part);
            emit_line(inliner->e, "%sfor (int %s = %s; %s < %s; %s += %d)", inliner->indent, k,
                      sets > 1 ? "set" : "0", k, w->extents.of[x][axis], k, sets);
            sets = 1;
            flat = emit_text(inliner->e, "(%s * %s + %s)", flat, w->extents.of[x][axis], k);
        }
    emit_line(inliner->e, "%s{", inliner->indent);
    return flat;
}

/* Put a variable of all sets of work-items side by side; returns the name of the array. */
static const char *share(struct inliner *inliner, const char *name, const char *type)
{
    const struct spread *spread = &inliner->spread;
    const char *shared = emit_text(inliner->e, "shared_%s", name);

    emit_line(inliner->e, "%s$local %s %s[%d][%d];", inliner->indent, type, shared, spread->sets,
              spread->step);
    emit_line(inliner->e, "%s%s[set][place] = %s;", inliner->indent, shared, name);
    return shared;
}

/* Combine the results of all sets of work-items that share a pass. */
static void combine_sets(struct inliner *inliner, const struct rowwise_pass *pass, const char *name,
                         const char *type)
{
    struct emitter *e = inliner->e;
    struct formula_words words = {0};
    const char *shared = share(inliner, name, type), *indent = inliner->indent;

    words.of['a'] = name;
    words.of['b'] = emit_text(e, "%s[i][place]", shared);
    emit_line(e, "%s$barrier;\n%s%s = %s[0][place];", indent, indent, name, shared);
    emit_line(e, "%sfor (int i = 1; i < %d; i++)\n%s    %s = %s;", indent, inliner->spread.sets,
              indent, name, emit_formula(e, pass->combine, &words));
}

/* An integer that is not 0 where a value comes before the best one so far. NaN is best. */
static const char *better_text(struct emitter *e, const char *value, const char *order,
                               const char *best)
{
    return emit_text(e, "(%s %s %s) | ((%s != %s) & (%s == %s))", value, order, best, value, value,
                     best, best);
}

/* Keep the best element of all sets of work-items, and of equal ones the first place. */
static void combine_places(struct inliner *inliner, const char *best, const char *place,
                           const struct formula_words *words, const char *order)
{
    struct emitter *e = inliner->e;
    const char *indent = inliner->indent, *values = share(inliner, best, words->of['X']);
    const char *type = emit_vector_type(e, "int", inliner->width);
    const char *places = share(inliner, place, type);

    emit_line(e, "%s$barrier;\n%s%s = %s[0][place];\n%s%s = %s[0][place];", indent, indent, best,
              values, indent, place, places);
    emit_line(e, "%sfor (int i = 1; i < %d; i++) {", indent, inliner->spread.sets);
    emit_line(e, "%s    const %s value = %s[i][place];", indent, words->of['X'], values);
    emit_line(e, "%s    const %s better = %s;", indent, type, better_text(e, "value", order, best));
    emit_line(e, "%s    %s = choose((value == %s) | (value != value), min(%s, %s[i][place]), %s);",
              indent, place, best, place, places, place);
    emit_line(e, "%s    %s = choose(better, %s[i][place], %s);", indent, place, places, place);
    emit_line(e, "%s    %s = choose(better, value, %s);\n%s}", indent, best, best, indent);
}

/* One pass over the reduced elements. */
static void write_pass(struct inliner *inliner, size_t node, const struct rowwise_pass *pass,
                       struct formula_words *words, const struct vector_coordinates *in)
{
    size_t x = emit_node_at(inliner->e, node)->in[0];
    struct op_call call = graph_call(&inliner->e->writer->graph, node);
    unsigned axes = call.op->axes(&call);
    struct inliner_scope scope = inliner_open(inliner);
    const char *name = emit_text(inliner->e, "%s%s", pass->name, words->of['@']);
    const char *type = emit_formula(inliner->e, pass->type, words);
    const char *part =
        has_parts(pass, axes) ? emit_text(inliner->e, "part%s", words->of['@']) : NULL;
    const char *start = emit_formula(inliner->e, pass->start, words);
    int sets = inliner->spread.sets;

    if (pass->type[0] == '$')
        start = emit_vector_initial(inliner->e, "float", start, inliner->width);
    emit_line(inliner->e, "%s%s %s = %s;", scope.indent, type, name, start);
    inliner->indent = scope.indent;
    words->of['j'] =
        open_loops(inliner, x, axes, in,
                   part ? emit_text(inliner->e, "%s %s = %s;", type, part, start) : NULL);
    inliner->indent = emit_text(inliner->e, "%s    ", scope.indent);
    inliner->spread.sets = 0;
    words->of['x'] = inliner_value(inliner, x, in);
    words->of['b'] = emit_formula(
        inliner->e, emit_vector_choices(inliner->e, pass->element, inliner->width), words);
    words->of['a'] = part ? part : name;
    emit_line(inliner->e, "%s%s = %s;\n%s}", inliner->indent, words->of['a'],
              emit_formula(inliner->e, pass->combine, words), scope.indent);
    if (part)
        emit_line(inliner->e, "%s%s = %s + %s;\n%s}", scope.indent, name, name, part, scope.indent);
    inliner_close(inliner, &scope);
    inliner->spread.sets = sets;
    if (sets)
        combine_sets(inliner, pass, name, type);
    if (pass->then)
        emit_line(inliner->e, "%s%s", inliner->indent, emit_formula(inliner->e, pass->then, words));
}

/* argmax and argmin in one loop: keep the first of the best elements, and its place. */
static void write_place(struct inliner *inliner, size_t node, const struct rowwise_formula *formula,
                        struct formula_words *words, const struct vector_coordinates *in)
{
    size_t x = emit_node_at(inliner->e, node)->in[0];
    struct op_call call = graph_call(&inliner->e->writer->graph, node);
    struct inliner_scope scope = inliner_open(inliner);
    const char *best = emit_text(inliner->e, "%s%s", formula->passes[0].name, words->of['@']);
    const char *place = emit_text(inliner->e, "%s%s", formula->passes[1].name, words->of['@']);
    const char *order = strcmp(formula->op, "argmax") == 0 ? ">" : "<", *number, *value, *better;
    const char *type = emit_vector_type(inliner->e, "int", inliner->width);
    int sets = inliner->spread.sets;

    emit_line(inliner->e, "%s%s %s = %s;", scope.indent, words->of['X'], best,
              emit_formula(inliner->e, formula->passes[0].start, words));
    emit_line(inliner->e, "%s%s %s = INT_MAX;", scope.indent, type, place);
    inliner->indent = scope.indent;
    number = open_loops(inliner, x, call.op->axes(&call), in, NULL);
    inliner->indent = emit_text(inliner->e, "%s    ", scope.indent);
    inliner->spread.sets = 0;
    value = inliner_value(inliner, x, in);
    better = better_text(inliner->e, value, order, best);
    if (inliner->width > 1) {
        emit_line(inliner->e, "%sconst %s better = (%s == %s(INT_MAX)) | %s;", inliner->indent,
                  type, place, type, better);
        emit_line(inliner->e,
                  "%s%s = choose(better, %s, %s);\n%s%s = choose(better, %s(%s), %s);\n%s}",
                  inliner->indent, best, value, best, inliner->indent, place, type, number, place,
                  scope.indent);
    } else {
        emit_line(inliner->e, "%sif ((%s == INT_MAX) | %s) {", inliner->indent, place, better);
        emit_line(inliner->e, "%s    %s = %s;\n%s    %s = %s;\n%s}\n%s}", inliner->indent, best,
                  value, inliner->indent, place, number, inliner->indent, scope.indent);
    }
    inliner_close(inliner, &scope);
    inliner->spread.sets = sets;
    if (sets)
        combine_places(inliner, best, place, words, order);
}

/* A pass over a short axis without a loop: the elements stay known for what follows. */
static void write_stack(struct inliner *inliner, size_t node, const struct rowwise_pass *pass,
                        struct formula_words *words, const struct vector_coordinates *in)
{
    struct emitter *e = inliner->e;
    size_t x = emit_node_at(e, node)->in[0];
    const char *name = emit_text(e, "%s%s", pass->name, words->of['@']);
    struct vector_coordinates at = *in;

    emit_line(e, "%s%s %s = %s;", inliner->indent, emit_formula(e, pass->type, words), name,
              emit_formula(e, pass->start, words));
    for (int64_t k = 0; k < emit_value_at(e, x)->shape.dims[inliner->stack]; k++) {
        words->of['j'] = emit_text(e, "%lld", (long long)k);
        coordinates_set(&at.coords, inliner->stack, words->of['j']);
        words->of['x'] = inliner_value(inliner, x, &at);
        words->of['b'] =
            emit_formula(e, emit_vector_choices(e, pass->element, inliner->width), words);
        words->of['a'] = name;
        emit_line(e, "%s%s = %s;", inliner->indent, name, emit_formula(e, pass->combine, words));
    }
    if (pass->then)
        emit_line(e, "%s%s", inliner->indent, emit_formula(e, pass->then, words));
}

const char *inliner_reduction(struct inliner *inliner, size_t node,
                              const struct vector_coordinates *at)
{
    struct op_call call = graph_call(&inliner->e->writer->graph, node);
    const struct rowwise_formula *formula = formula_rowwise(call.op->name);
    size_t x = emit_node_at(inliner->e, node)->in[0], number = inliner->names++;
    struct vector_coordinates in = reduced(inliner, &call, at, number);
    bool is_place = (inliner->width == 1 || inliner->spread.at) && text_begins(formula->op, "arg");
    bool is_stack =
        inliner->stack != NO_AXIS && call.op->axes(&call) == 1U << inliner->stack && !is_place;
    struct formula_words words = {0};

    formula_set_rowwise(&words, &call);
    words.of['@'] = emit_text(inliner->e, "_%zu", number);
    words.of['n'] =
        emit_text(inliner->e, "(float)(%s)", emit_sizes(inliner->e, x, call.op->axes(&call)));
    words.of['T'] = inliner_type(inliner, emit_node_at(inliner->e, node)->out);
    words.of['X'] = inliner_type(inliner, x);
    if (is_place)
        write_place(inliner, node, formula, &words, &in);
    for (size_t i = 0; !is_place && i < FORMULA_MAX_PASSES && formula->passes[i].name; i++)
        (is_stack ? write_stack : write_pass)(inliner, node, &formula->passes[i], &words, &in);
    return emit_formula(inliner->e,
                        emit_vector_choices(inliner->e, formula->result, inliner->width), &words);
}
