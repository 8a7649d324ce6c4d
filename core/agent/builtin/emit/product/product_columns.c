#include "core/agent/builtin/emit/product/product_columns.h"

#include "core/agent/builtin/emit/emit_values.h"
#include "core/agent/builtin/emit/emit_vector.h"

enum {
    WARPGROUP = 128,
    WARP = 32,
    WARP_ROWS = 16,
    LANES = 8 /* of a warp, that hold the same columns */
};

/* Columns of a work-item that are added up over the lanes at a time; more need more registers. */
enum { MOST_AT_ONCE = 32 };

static const char *const buffers[] = {[COLUMN_MEANS] = "means", [COLUMN_SQUARES] = "squares"};

const char *product_columns_buffer(struct emitter *e, enum column_statistic which)
{
    return emit_text(e, "%s_of_columns_%s", buffers[which],
                     emit_value_at(e, e->group->columns_of)->name);
}

void product_columns_args(const struct epilogue *r)
{
    struct emitter *e = r->e;
    const char *shape[] = {emit_text(e, "ceildiv(%s, %d)", r->m->t->rows, r->m->rows),
                           r->m->t->columns};

    for (enum column_statistic i = 0; i < COLUMN_STATISTICS; i++) {
        const struct kernel_arg arg = {product_columns_buffer(e, i), DTYPE_F32, true, NULL};

        writer_scratch(e->writer, arg.name, arg.dtype, shape, 2);
        kernel_add_arg(&e->kernel, &arg);
    }
}

/* The work-items that have the tile. */
static int work_items(const struct epilogue *r)
{
    return r->m->consumers * WARPGROUP;
}

/* Wait for all of them. */
static void write_barrier(const struct epilogue *r)
{
    emit_line(r->e, "    group_barrier(%d, 1);", work_items(r));
}

/* Columns of a work-item that are added up at a time. */
static int at_once(const struct epilogue *r)
{
    int columns = r->m->columns / QUAD_COLUMNS * PAIR;

    return columns < MOST_AT_ONCE ? columns : MOST_AT_ONCE;
}

/* True if the value depends on operands that differ from row to row. */
static bool reads_rows(const struct epilogue *r)
{
    const struct emitter *e = r->e;

    for (size_t n = 1; n < e->group->count; n++) {
        const struct graph_node *node = emit_node_at(e, e->group->nodes[n]);

        for (size_t i = 0; i < node->in_count; i++)
            if (!emit_is_own(e, node->in[i]) &&
                fusion_span(e->writer, node->in[i], e->group->space,
                            axes_bits(group_rows(e->writer, e->group))) != SPAN_ONE)
                return true;
    }
    return false;
}

/* True if all tiles have all their rows. */
static bool is_whole(const struct epilogue *r)
{
    const struct emitter *e = r->e;

    return e->writer->extents.is_fixed[e->group->columns_of][0] &&
           r->m->t->product.m % r->m->rows == 0;
}

/*
 * Begin the loops over the columns and the two rows of a work-item; declare the value in sums. Rows
 * beyond the last add nothing; columns beyond it have statistics that nobody reads.
 */
static void open_loops(const struct epilogue *r)
{
    struct emitter *e = r->e;
    int count = at_once(r), runs = count / PAIR;
    const char *at = emit_text(e, "first_col + threadIdx.x %% 4 * %d + j * %d", PAIR, QUAD_COLUMNS);

    emit_line(e, "#pragma unroll\n    for (int part = 0; part < %d; part++) {",
              r->m->columns / QUAD_COLUMNS / runs);
    emit_line(e, "        float added[%d], squares[%d];\n", count, count);
    emit_line(e,
              "#pragma unroll\n        for (int run = 0; run < %d; run++) {\n"
              "            const int j = part * %d + run;\n"
              "            %s",
              runs, runs, epilogue_column(r, at));
    emit_line(e, "            added[2 * run] = added[2 * run + 1] = 0;");
    emit_line(e, "            squares[2 * run] = squares[2 * run + 1] = 0;");
    emit_line(e, "#pragma unroll\n            for (int i = 0; i < 2; i++) {");
    epilogue_row(r, "                ");
    emit_line(e, "                const bool is_line = %s;",
              is_whole(r) ? "true" : emit_text(e, "line < %s", r->m->t->rows));
    if (reads_rows(r))
        emit_line(e, "                const int row = min(line, %s - 1);", r->m->t->rows);
    emit_row_axes(e, "                ");
    epilogue_declare(r, "4 * j + 2 * i", "                ");
}

/*
 * Declare the pair that the statistics are of: the value, or what is stored of it, because the
 * kernel that reads it subtracts their mean.
 */
static const char *declare_pair(const struct epilogue *r, const struct position *position)
{
    struct emitter *e = r->e;
    size_t value = e->group->columns_of;
    const char *name = emit_text(e, "v_%s", emit_value_at(e, value)->name);

    emit_need(e, value);
    emit_values(e, position);
    if (!e->fusion->is_rounded[value] || r->in_sums == value)
        return name;
    emit_line(e, "%svec<float, %d> stored;", position->indent, PAIR);
    emit_line(e, "%sunpack(pack(%s, %s), stored.s[0], stored.s[1]);", position->indent,
              emit_vector_component(e, name, 0), emit_vector_component(e, name, 1));
    return "stored";
}

/* Store what a warp has of `from` for the other warps. */
static void share(const struct epilogue *r, const char *to, const char *from)
{
    int own = at_once(r) / LANES;

    emit_line(r->e, "#pragma unroll\n        for (int i = 0; i < %d; i++)", own);
    emit_line(
        r->e,
        "            %s[threadIdx.x / %d][(part * %d + threadIdx.x %% %d / 4 * %d + i) / 2 * %d +\n"
        "                threadIdx.x %% 4 * %d + i %% 2] = %s[i];",
        to, WARP, at_once(r), WARP, own, QUAD_COLUMNS, PAIR, from);
}

/* Rows of the tile from row `first` on, `count` at most, as C text. */
static const char *rows_from(const struct epilogue *r, const char *first, int count)
{
    return emit_text(r->e, "(float)max(min(%s - first_row - %s, %d), 0)", r->m->t->rows, first,
                     count);
}

/* The number of a work-item's rows that there are, as C text. */
static const char *rows_of_item(const struct epilogue *r)
{
    const char *row = "first_row + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4";

    return is_whole(r) ? "2.0f"
                       : emit_text(r->e, "(float)((%s < %s) + (%s + 8 < %s))", row, r->m->t->rows,
                                   row, r->m->t->rows);
}

/* Close the loops, and give the warps' sums to the other warps. */
static void close_loops(const struct epilogue *r)
{
    struct emitter *e = r->e;

    epilogue_forget(r);
    emit_line(e, "            }\n        }\n        fold_moments(added, squares, %s);",
              rows_of_item(r));
    share(r, "warp_parts", "added");
    share(r, "warp_squares", "squares");
    emit_line(e, "    }");
    write_barrier(r);
}

/*
 * Both statistics in one pass, by merging pairs of rows, of lanes, and of warps. Before the second
 * row of a pair, the sum is the first row.
 */
static void write_moments(struct epilogue *r)
{
    struct emitter *e = r->e;
    const char *indent = "                ", *pair;
    const struct position position = epilogue_position(r, indent);

    open_loops(r);
    pair = declare_pair(r, &position);
    epilogue_keep(r, e->group->columns_of, pair, &(struct kept){"4 * j + 2 * i", indent});
    for (int i = 0; i < PAIR; i++) {
        const char *own = emit_vector_component(e, pair, i);
        const char *apart = emit_text(e, "(added[2 * run + %d] - %s)", i, own);

        emit_line(e, "%ssquares[2 * run + %d] = is_line ? i * 0.5f * %s * %s : 0;", indent, i,
                  apart, apart);
        emit_line(e, "%sadded[2 * run + %d] += is_line ? %s : 0;", indent, i, own);
    }
    close_loops(r);
    epilogue_mark(r, e->group->columns_of);
}

/* Merge the statistics of the warps, and store those of the tile. */
static void store_statistics(const struct epilogue *r)
{
    struct emitter *e = r->e;
    const char *place =
        emit_text(e, "first_row / %d * %s + first_col + i", r->m->rows, r->m->t->columns);
    const char *loop = emit_text(e, "#pragma unroll\n        for (int warp = 0; warp < %d; warp++)",
                                 work_items(r) / WARP);

    emit_line(e, "    for (int i = threadIdx.x; i < %d; i += %d) {\n        float total = 0;",
              r->m->columns, work_items(r));
    emit_line(e, "%s\n            total += warp_parts[warp][i];", loop);
    emit_line(e, "        const float mean = total / min(%d, %s - first_row);\n", r->m->rows,
              r->m->t->rows);
    emit_line(e, "        total = 0;\n%s {", loop);
    emit_line(e, "            const float lines = %s;",
              rows_from(r, emit_text(e, "warp * %d", WARP_ROWS), WARP_ROWS));
    emit_line(e, "            const float away = warp_parts[warp][i] / fmaxf(lines, 1) - mean;");
    emit_line(e, "            total += warp_squares[warp][i] + lines * away * away;\n        }");
    emit_line(e, "        if (first_row < %s && first_col + i < %s) {", r->m->t->rows,
              r->m->t->columns);
    emit_line(e, "            p_%s[%s] = mean;", product_columns_buffer(e, COLUMN_MEANS), place);
    emit_line(e, "            p_%s[%s] = total;\n        }\n    }",
              product_columns_buffer(e, COLUMN_SQUARES), place);
    if (r->m->turns > 1 || r->m->persist)
        write_barrier(r);
}

void product_columns(struct epilogue *r)
{
    int warps = work_items(r) / WARP, columns = r->m->columns;

    emit_line(r->e, "    $local float warp_parts[%d][%d], warp_squares[%d][%d];\n", warps, columns,
              warps, columns);
    write_moments(r);
    store_statistics(r);
}
