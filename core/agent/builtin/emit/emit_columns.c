#include "core/agent/builtin/emit/emit_columns.h"

#include "core/agent/builtin/emit/emit_access.h"
#include "core/agent/builtin/emit/emit_values.h"
#include "core/agent/builtin/emit/product/product_columns.h"
#include "core/agent/builtin/plan/fusion_epilogue.h"

/*
 * A work-group merges the statistics of a few columns: work-items side by side have columns, and
 * sets of them share the tiles. The mean of a column comes first; then the squares of each tile,
 * which are about the tile's mean, are moved to the column's mean. So nothing cancels, however far
 * the columns are from zero (Chan, Golub and LeVeque, "Algorithms for Computing the Sample
 * Variance", 1983).
 */
enum { COLUMNS = 32, SETS = 8 };

static bool is_reduction(const struct emitter *e, size_t node)
{
    return fusion_columns_reduces(e->writer, e->group, node);
}

static void add_args(struct emitter *e)
{
    for (enum column_statistic i = 0; i < COLUMN_STATISTICS; i++)
        kernel_add_arg(&e->kernel,
                       &(struct kernel_arg){product_columns_buffer(e, i), DTYPE_F32, false, NULL});
    for (size_t n = 0; n < e->group->count; n++) {
        const struct graph_node *node = emit_node_at(e, e->group->nodes[n]);

        for (size_t i = 0; !is_reduction(e, e->group->nodes[n]) && i < node->in_count; i++)
            if (!emit_is_own(e, node->in[i]))
                emit_add_arg(e, node->in[i], false);
    }
    for (size_t n = 0; n < e->group->count; n++) {
        size_t out = emit_node_at(e, e->group->nodes[n])->out;

        if (e->fusion->is_stored[out])
            emit_add_arg(e, out, true);
    }
}

/* The number of columns, as C text. */
static const char *columns_of(const struct emitter *e)
{
    return e->writer->extents.of[e->group->columns_of][1];
}

/* Declare `name`, the sum of a term over all tiles. Of a tile are known its rows and its place. */
static void write_total(struct emitter *e, const char *name, const char *term)
{
    int rows = schedule_tile_rows(e->schedule);

    emit_line(e, "    float %s = 0;", name);
    emit_line(e, "    for (int tile = set; tile * %d < count && is_inside; tile += %d) {", rows,
              SETS);
    emit_line(e, "        const float rows = (float)min(%d, count - tile * %d);", rows, rows);
    emit_line(e, "        const int place = tile * %s + c;\n", columns_of(e));
    emit_line(e, "        %s += %s;\n    }", name, term);
    emit_line(e, "    sums[set][lane] = %s;\n    $barrier;\n    %s = 0;", name, name);
    emit_line(e, "    for (int i = 0; i < %d; i++)\n        %s += sums[i][lane];\n    $barrier;",
              SETS, name);
}

static void write_statistics(struct emitter *e)
{
    const char *means = product_columns_buffer(e, COLUMN_MEANS);

    emit_line(e, "    const int lane = $local_id0 %% %d, set = $local_id0 / %d;", COLUMNS, COLUMNS);
    emit_line(e, "    const int c = $group_id0 * %d + lane, count = %s;", COLUMNS,
              e->writer->extents.of[e->group->columns_of][0]);
    emit_line(e, "    const bool is_inside = c < %s;", columns_of(e));
    emit_line(e, "    $local float sums[%d][%d];", SETS, COLUMNS);
    write_total(e, "total", emit_text(e, "rows * p_%s[place]", means));
    emit_line(e, "    const float centre = total / count;");
    write_total(e, "squares",
                emit_text(e,
                          "p_%s[place] + rows * (p_%s[place] - centre) *\n                   "
                          "(p_%s[place] - centre)",
                          product_columns_buffer(e, COLUMN_SQUARES), means, means));
    emit_line(e, "    if (set > 0 || !is_inside)\n        return;");
}

/* Declare the result of a reduction by its formula. */
static void write_reduction(struct emitter *e, size_t node)
{
    const struct position position = {.row = "0", .column = "c", .width = 1};
    const char *name = emit_value_at(e, emit_node_at(e, node)->out)->name;
    struct formula_words words = {0};

    emit_rowwise_words(e, node, &position, &words);
    words.of['@'] = "";
    words.of['n'] = "(float)count";
    emit_line(e, "    const float v_%s = %s;", name,
              emit_formula(e, emit_rowwise_formula(e, node)->result, &words));
    e->is_declared[emit_node_at(e, node)->out] = true;
}

void emit_columns(struct emitter *e)
{
    const struct position position = {.row = "0", .column = "c", .width = 1, .indent = "    "};
    const struct space space = {
        .global = {emit_text(e, "ceildiv(%s, %d) * %d", columns_of(e), COLUMNS, COLUMNS * SETS)},
        .local = {emit_text(e, "%d", COLUMNS * SETS)},
        .rank = 1};

    e->kernel.name = emit_text(e, "columns_%zu", e->number);
    e->kernel.work_items = COLUMNS * SETS;
    add_args(e);
    writer_head(e->writer, &e->kernel);
    write_statistics(e);
    for (size_t n = 0; n < e->group->count; n++)
        if (is_reduction(e, e->group->nodes[n]))
            write_reduction(e, e->group->nodes[n]);
    emit_results(e, &position);
    emit_line(e, "}");
    writer_launch(e->writer, e->writer->launches, &e->kernel, &space);
}
