#include "core/agent/builtin/emit/product/product_epilogue.h"

#include <string.h>

#include "core/agent/builtin/emit/emit_access.h"
#include "core/agent/builtin/emit/emit_space.h"
#include "core/agent/builtin/emit/emit_values.h"
#include "core/agent/builtin/emit/emit_vector.h"
#include "core/agent/builtin/emit/product/product_columns.h"
#include "core/agent/builtin/emit/product/product_convert.h"
#include "core/agent/builtin/emit/product/product_epilogue_loops.h"
#include "core/agent/builtin/plan/fusion_epilogue.h"

/* A loop over runs of eight columns of the tile; `first` and `end` are C texts of runs. */
struct column_range {
    const char *first, *end, *indent;
};

static const char first_pair[] = "4 * j";

static const char *value_name(const struct epilogue *r, size_t value)
{
    return emit_value_at(r->e, value)->name;
}

static struct position position_of(const struct epilogue *r, const struct column_range *s)
{
    struct position position = epilogue_position(r, emit_text(r->e, "%s    ", s->indent));

    position.condition = r->divides ? NULL : "is_there";
    return position;
}

/*
 * Begin the loop over the columns, and declare the value that the registers hold. Beyond the last
 * column the loop computes what it does not store: loads behind a branch would wait for each other.
 */
static void open_columns(const struct epilogue *r, const struct column_range *s, bool needs_place)
{
    struct emitter *e = r->e;

    emit_line(e, "#pragma unroll\n%sfor (int j = %s; j < %s; j++) {", s->indent, s->first, s->end);
    if (!r->divides)
        emit_line(e,
                  "%s    const int at = col + j * %d;\n%s    %s\n"
                  "%s    const bool is_there = at < %s;\n",
                  s->indent, QUAD_COLUMNS, s->indent, epilogue_column(r, "at"), s->indent,
                  r->m->t->columns);
    else if (needs_place || epilogue_has_bias(r))
        emit_line(e, "%s    %s\n", s->indent,
                  epilogue_column(r, emit_text(e, "col + j * %d", QUAD_COLUMNS)));
    epilogue_declare(r, first_pair, emit_text(e, "%s    ", s->indent));
}

static void close_columns(const struct epilogue *r, const struct column_range *s)
{
    emit_line(r->e, "%s}", s->indent);
    epilogue_forget(r);
}

void epilogue_keep(const struct epilogue *r, size_t value, const char *name,
                   const struct kept *kept)
{
    if (value == r->in_sums ||
        !fusion_epilogue_may_replace(r->e->writer, r->e->fusion, r->e->number, value))
        return;
    for (int i = 0; i < PAIR; i++)
        emit_line(r->e, "%ssums[%s + %d] = %s;", kept->indent, kept->place, i,
                  emit_vector_component(r->e, name, i));
}

static void keep_in_sums(const struct epilogue *r, size_t value, const struct column_range *s)
{
    const struct kept kept = {first_pair, emit_text(r->e, "%s    ", s->indent)};

    epilogue_keep(r, value, emit_text(r->e, "v_%s", value_name(r, value)), &kept);
}

void epilogue_mark(struct epilogue *r, size_t value)
{
    if (fusion_epilogue_may_replace(r->e->writer, r->e->fusion, r->e->number, value))
        r->in_sums = value;
}

/* A pass of a row-wise node over the quad's columns of a row. */
struct pass {
    size_t node;
    const struct rowwise_pass *formula;
    const char *name, *type, *count; /* `count`: number of columns, as C text */
};

/* Fill in the words for one element. */
static void set_words(const struct epilogue *r, const struct pass *pass,
                      struct formula_words *words)
{
    const struct position position = {.row = "row", .column = "c", .width = 1};

    emit_rowwise_words(r->e, pass->node, &position, words);
    words->of['n'] = emit_text(r->e, "(float)%s", pass->count);
}

static const char *expanded(const struct epilogue *r, const struct pass *pass, const char *text)
{
    struct formula_words words = {0};

    set_words(r, pass, &words);
    return emit_formula(r->e, text, &words);
}

static struct pass pass_of(const struct epilogue *r, size_t node, size_t index, const char *count)
{
    struct pass pass = {
        .node = node, .formula = &emit_rowwise_formula(r->e, node)->passes[index], .count = count};

    pass.name =
        emit_text(r->e, "%s_%s", pass.formula->name, value_name(r, emit_node_at(r->e, node)->out));
    pass.type = expanded(r, &pass, pass.formula->type);
    return pass;
}

static const char *combined(const struct epilogue *r, const struct pass *pass, const char *a,
                            const char *b)
{
    const struct formula_words words = {.of = {['a'] = a, ['b'] = b}};

    return emit_formula(r->e, pass->formula->combine, &words);
}

static void open_pass(const struct epilogue *r, const struct pass *pass, const char *indent)
{
    emit_line(r->e, "%s%s %s_pair = %s;", indent, emit_vector_type(r->e, pass->type, PAIR),
              pass->name, expanded(r, pass, pass->formula->start));
}

/*
 * Begin a block in which the value is what is stored of it, because the kernel that reads it merges
 * these partial results: a softmax has a sum of 1 only if both are of the same numbers.
 */
static void open_stored(const struct epilogue *r, size_t value, const char *indent)
{
    const char *type = emit_vector_type(r->e, "float", PAIR);
    const char *name = emit_text(r->e, "v_%s", value_name(r, value));

    emit_line(r->e, "%s%s stored;", indent, type);
    emit_line(r->e, "%sunpack(pack(%s, %s), stored.s[0], stored.s[1]);", indent,
              emit_vector_component(r->e, name, 0), emit_vector_component(r->e, name, 1));
    emit_line(r->e, "%s{\n%s    const %s %s = stored;", indent, indent, type, name);
}

/* Combine the elements at the position with the pass's result; the value is declared. */
static void combine_elements(const struct epilogue *r, const struct pass *pass,
                             const struct position *position)
{
    struct formula_words words = {0};
    size_t value = emit_node_at(r->e, pass->node)->in[0];
    bool is_rounded = r->e->fusion->is_rounded[value];
    const char *pair = emit_text(r->e, "%s_pair", pass->name), *element;

    if (is_rounded)
        open_stored(r, value, position->indent);
    emit_rowwise_words(r->e, pass->node, position, &words);
    element = emit_formula(r->e, emit_vector_choices(r->e, pass->formula->element, PAIR), &words);
    if (r->is_odd)
        emit_line(r->e, "%s{\n%s    const %s before = %s;", position->indent, position->indent,
                  pass->type, emit_vector_component(r->e, pair, 1));
    emit_line(r->e, "%s%s%s = %s;", position->indent, r->divides ? "" : "if (is_there) ", pair,
              combined(r, pass, pair, element));
    if (r->is_odd)
        emit_line(r->e, "%s    if (!second) %s = before;\n%s}", position->indent,
                  emit_vector_component(r->e, pair, 1), position->indent);
    if (is_rounded)
        emit_line(r->e, "%s}", position->indent);
}

/* Combine the pairs of the quad to one result, which each of its work-items gets. */
static void close_pass(const struct epilogue *r, const struct pass *pass, const char *indent)
{
    emit_line(
        r->e, "%s%s %s = %s;", indent, pass->type, pass->name,
        emit_vector_fold(r->e, pass->formula->combine, emit_text(r->e, "%s_pair", pass->name)));
    emit_line(r->e, "#pragma unroll\n%sfor (int others = 2; others > 0; others /= 2)", indent);
    emit_line(r->e, "%s    %s = %s;", indent, pass->name,
              combined(r, pass, pass->name, emit_text(r->e, "of_quad(%s, others)", pass->name)));
}

static void write_then(const struct epilogue *r, const struct pass *pass, const char *indent)
{
    if (pass->formula->then)
        emit_line(r->e, "%s%s", indent, expanded(r, pass, pass->formula->then));
}

/* Write a pass in a loop of its own. */
static void write_pass(struct epilogue *r, const struct pass *pass, const struct column_range *s)
{
    const struct position position = position_of(r, s);
    size_t value = emit_node_at(r->e, pass->node)->in[0];

    open_pass(r, pass, s->indent);
    open_columns(r, s, value != r->in_sums || strstr(pass->formula->element, "$j"));
    emit_need(r->e, value);
    emit_values(r->e, &position);
    combine_elements(r, pass, &position);
    keep_in_sums(r, value, s);
    close_columns(r, s);
    epilogue_mark(r, value);
    close_pass(r, pass, s->indent);
}

static bool has_pass(const struct epilogue *r, size_t node, size_t index)
{
    return index < FORMULA_MAX_PASSES && emit_rowwise_formula(r->e, node)->passes[index].name;
}

static bool is_converted(const struct epilogue *r, size_t value)
{
    return emit_is_own(r->e, value) && r->e->fusion->converted_for[value] != SIZE_MAX;
}

static void need_converted(const struct epilogue *r)
{
    for (size_t v = 0; v < r->e->writer->graph.values.count; v++)
        if (is_converted(r, v))
            emit_need(r->e, v);
}

static void store_converted(const struct epilogue *r, const struct position *position)
{
    for (size_t v = 0; v < r->e->writer->graph.values.count; v++)
        if (is_converted(r, v))
            product_convert_pair(r->m, v, position);
}

/* Declare where pairs of runs for the buffer `to` are kept, or store four runs of `row`. */
static void write_runs_of(const struct epilogue *r, const char *to, const char *row, bool is_stored,
                          const char *indent)
{
    struct emitter *e = r->e;
    const char *own = emit_text(e, "%s + threadIdx.x %% 4 * %d - %d", r->divides ? "c" : "at",
                                QUAD_COLUMNS - PAIR, (RUNS - 1) * QUAD_COLUMNS);

    if (is_stored)
        emit_line(e, "%sif (j %% %d == %d)\n%s    store_runs(packed_%s, p_%s + %s * %s + %s%s);",
                  indent, RUNS, RUNS - 1, indent, to, to, row, r->m->t->columns, own,
                  r->divides ? "" : emit_text(e, ", %s < %s", own, r->m->t->columns));
    else
        emit_line(e, "%suint packed_%s[%d];", indent, to, RUNS);
}

/* The same for each rounded value, and for each that is converted for another product. */
static void write_runs(const struct epilogue *r, bool is_stored, const char *indent)
{
    struct emitter *e = r->e;

    for (size_t v = 0; e->packs_runs && v < e->writer->graph.values.count; v++) {
        if (emit_is_own(e, v) && e->fusion->is_rounded[v])
            write_runs_of(r, emit_value_at(e, v)->name, "row", is_stored, indent);
        if (is_converted(r, v) && product_convert_packs(r->m))
            write_runs_of(r, product_converted_name(e, v, e->fusion->converted_for[v]),
                          "(size_t)row", is_stored, indent);
    }
}

/* Store all results; the same loop runs the first pass of the row-wise node. */
static void write_elements(struct epilogue *r, const struct pass *first,
                           const struct column_range *s)
{
    const struct position position = position_of(r, s);
    size_t value = first ? emit_node_at(r->e, first->node)->in[0] : r->in_sums;

    write_runs(r, false, s->indent);
    open_columns(r, s, true);
    if (first)
        emit_need(r->e, value);
    need_converted(r);
    emit_results(r->e, &position);
    store_converted(r, &position);
    write_runs(r, true, position.indent);
    if (first) {
        combine_elements(r, first, &position);
        if (has_pass(r, first->node, 1))
            keep_in_sums(r, value, s);
    }
    close_columns(r, s);
    if (first && has_pass(r, first->node, 1))
        epilogue_mark(r, value);
}

/* The number of features in a group of the normalization. */
static int norm_columns(const struct epilogue *r)
{
    struct op_call call = graph_call(&r->e->writer->graph, r->norm);

    return (int)(call.out->shape.dims[1] / op_attribute(&call, "num_groups")->integers[0]);
}

/* Like write_elements(), for each group of the normalization in turn. */
static void write_normed(struct epilogue *r, const struct pass *first)
{
    struct emitter *e = r->e;
    int columns = norm_columns(r), eights = columns / QUAD_COLUMNS;
    const struct column_range s = {emit_text(e, "part * %d", eights),
                                   emit_text(e, "(part + 1) * %d", eights), "            "};

    emit_line(e, "#pragma unroll\n        for (int part = 0; part < %d; part++) {",
              r->m->columns / columns);
    for (size_t i = 0; has_pass(r, r->norm, i); i++) {
        const struct pass pass = pass_of(r, r->norm, i, emit_text(e, "%d", columns));

        write_pass(r, &pass, &s);
        write_then(r, &pass, s.indent);
    }
    write_elements(r, first, &s);
    emit_line(e, "        }");
}

/* Tiles along the columns of the result. */
static const char *tile_count(const struct epilogue *r)
{
    return emit_text(r->e, "%d", ((int)r->m->t->product.n + r->m->columns - 1) / r->m->columns);
}

/* Store a partial result; those of a row are neighbours. */
static void write_partial(const struct epilogue *r, const struct pass *pass)
{
    emit_line(r->e, "        if (threadIdx.x %% 4 == 0)");
    emit_line(r->e, "            p_%s[row * %s + first_col / %d] = %s;",
              emit_partials_arg(r->e, pass->node, pass->formula, true).name, tile_count(r),
              r->m->columns, pass->name);
}

/* Write everything for row `i` of the work-item's two rows. */
static void write_row(struct epilogue *r)
{
    struct emitter *e = r->e;
    const char *span = emit_text(e, "%d", r->m->columns);
    const char *count =
        r->divides ? span : emit_text(e, "min(%s, %s - first_col)", span, r->m->t->columns);
    const struct column_range s = {"0", emit_text(e, "%d", r->m->columns / QUAD_COLUMNS),
                                   "        "};
    const bool has_rowwise = r->rowwise != SIZE_MAX;
    struct pass pass = {0};

    if (has_rowwise) {
        pass = pass_of(r, r->rowwise, 0, count);
        open_pass(r, &pass, s.indent);
    }
    if (r->norm != SIZE_MAX)
        write_normed(r, has_rowwise ? &pass : NULL);
    else
        write_elements(r, has_rowwise ? &pass : NULL, &s);
    if (!has_rowwise)
        return;
    close_pass(r, &pass, s.indent);
    write_partial(r, &pass);
    for (size_t i = 1; has_pass(r, r->rowwise, i); i++) {
        write_then(r, &pass, s.indent);
        pass = pass_of(r, r->rowwise, i, count);
        write_pass(r, &pass, &s);
        write_partial(r, &pass);
    }
}

static struct epilogue epilogue_of(const struct matrix *m)
{
    struct emitter *e = m->t->e;

    return (struct epilogue){
        .m = m,
        .e = e,
        .in_sums = m->t->node->out,
        .norm = fusion_epilogue_norm(e->writer, e->group),
        .rowwise = e->group->writes_partials ? e->group->partials_of : SIZE_MAX,
        .divides = emit_divides(e, group_columns(e->writer, e->group), m->columns),
        .is_odd = m->t->product.n % PAIR != 0,
    };
}

void product_epilogue_args(const struct matrix *m)
{
    const struct epilogue r = epilogue_of(m);
    const size_t *converted_for = r.e->fusion->converted_for;
    const char *shape[] = {emit_extent(m->t->e, group_rows(m->t->e->writer, m->t->e->group)),
                           tile_count(&r)};

    for (size_t v = 0; v < r.e->writer->graph.values.count; v++)
        if (is_converted(&r, v))
            kernel_add_arg(&r.e->kernel,
                           &(struct kernel_arg){product_converted_name(r.e, v, converted_for[v]),
                                                m->dtype, true, NULL});
    for (size_t i = 0; r.rowwise != SIZE_MAX && has_pass(&r, r.rowwise, i); i++) {
        const struct pass pass = pass_of(&r, r.rowwise, i, "0");
        const struct kernel_arg arg = emit_partials_arg(r.e, pass.node, pass.formula, true);

        writer_scratch(r.e->writer, arg.name, arg.dtype, shape, 2);
        kernel_add_arg(&r.e->kernel, &arg);
    }
    if (r.e->group->writes_columns)
        product_columns_args(&r);
}

/*
 * Move the sums of the second row to the registers of the first. Registers cannot be indexed at run
 * time, so this lets both rows use the same code and halves the code to compile.
 */
static void write_next_row(const struct epilogue *r)
{
    emit_line(r->e,
              "#pragma unroll\n        for (int j = 0; j < %d; j++)\n            for (int l = 0; l "
              "< %d; l++)",
              r->m->columns / QUAD_COLUMNS, PAIR);
    emit_line(r->e, "                sums[4 * j + l] = sums[4 * j + %d + l];", PAIR);
}

/*
 * True if the result's columns are whole runs, and tiles and groups of the normalization whole sets
 * of runs.
 */
static bool packs_runs(const struct epilogue *r)
{
    return emit_divides(r->e, group_columns(r->e->writer, r->e->group), QUAD_COLUMNS) &&
           (r->norm == SIZE_MAX || norm_columns(r) % (RUNS * QUAD_COLUMNS) == 0);
}

/*
 * A work-item has pairs of columns in two of every 16 rows. unknown() hides from the compiler that
 * both rows have the same columns: otherwise it would keep the operands of all columns for the
 * second row, in more registers than there are.
 */
void product_epilogue(const struct matrix *m)
{
    struct epilogue r = epilogue_of(m);
    struct emitter *e = r.e;

    e->packs_runs = packs_runs(&r);
    if (e->group->writes_columns)
        product_columns(&r);
    emit_line(e, "#pragma unroll 1\n    for (int i = 0; i < 2; i++) {");
    epilogue_row(&r, "        ");
    emit_line(e, "        if (line >= %s)\n            break;", m->t->rows);
    emit_line(e, "        const int row = %sline;",
              product_has_batch(m->t) ? emit_text(e, "batch * %s + ", m->t->rows) : "");
    emit_row_axes(e, "        ");
    emit_line(e, "        const int col = unknown(first_col) + threadIdx.x %% 4 * %d;", PAIR);
    write_row(&r);
    write_next_row(&r);
    emit_line(e, "    }");
}
