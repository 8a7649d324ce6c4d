#include "core/agent/builtin/emit/product/product.h"

#include "core/agent/builtin/emit/emit_space.h"
#include "core/agent/builtin/emit/emit_tile.h"
#include "core/agent/builtin/emit/emit_values.h"
#include "core/agent/builtin/emit/emit_vector.h"
#include "core/agent/builtin/emit/product/product_local.h"
#include "core/agent/builtin/emit/product/product_matrix.h"
#include "core/agent/builtin/emit/product/product_tile.h"
#include "core/agent/builtin/plan/family.h"

/*
 * A matrix product. A work-item keeps a tile of the result in registers, tile_m rows of vectors,
 * and adds one outer product to it for each step of the sum. Rows after the last one compute the
 * last row again and are not stored; columns after the last one are zeros of the panel.
 *
 * The operands come from global memory, where the second one may be packed to panels, or from local
 * memory (product_local.c). Products on matrix units have kernels of their own (product_matrix.c).
 */

static const char *extent(const struct tile *t, size_t value, size_t axis)
{
    return t->e->writer->extents.of[value][axis];
}

/* True if few tiles of rows use the second operand, so that packing it takes more than it saves. */
static bool has_few_rows(const struct tile *t)
{
    enum { FEW_TILES = 2 };
    const bool *is_fixed = t->e->writer->extents.is_fixed[t->node->in[0]];

    for (size_t axis = 0; axis < t->call.in[0]->shape.rank; axis++)
        if (!is_fixed[axis])
            return false;
    return t->product.m <= (int64_t)t->m * FEW_TILES;
}

/*
 * True if the second operand must be packed to panels: the schedule asks for it, or its columns
 * cannot be loaded as vectors.
 */
static bool needs_panels(const struct tile *t)
{
    return (t->e->schedule->of[KNOB_PACK] && !has_few_rows(t)) || t->product.b_transposed ||
           !emit_divides(t->e, group_columns(t->e->writer, t->e->group), t->n);
}

/* Declare the kernel that packs the second operand, with its head. */
static struct kernel pack_begin(const struct tile *t, const char *const shape[3])
{
    struct emitter *e = t->e;
    struct kernel kernel = {.name = emit_text(e, "pack_%zu", e->number)};

    writer_scratch(e->writer, t->panels, DTYPE_F32, shape, 3);
    kernel_add_value(&kernel, t->call.in[1], false);
    kernel_add_arg(&kernel, &(struct kernel_arg){t->panels, DTYPE_F32, true, NULL});
    writer_head(e->writer, &kernel);
    return kernel;
}

/* Pack element by element: on a GPU neighbouring work-items store to neighbouring lines. */
static void write_pack_of_elements(const struct tile *t)
{
    struct emitter *e = t->e;
    const struct value *b = t->call.in[1];
    const char *padded = emit_text(e, "align(%s, %d)", t->columns, t->n);
    const char *shape[] = {product_batch_extent(t, 1), padded, t->depth};
    struct space space = {.global = {t->depth, padded, shape[0]}, .rank = 3};
    struct kernel kernel = pack_begin(t, shape);

    emit_line(e, "    const int k = $global_id0, n = $global_id1, z = $global_id2;");
    emit_line(e, "    const int panel = z * $global_size1 / %d + n / %d;\n", t->n, t->n);
    emit_line(e,
              "    p_%s[(panel * %s + k) * %d + n %% %d] =\n"
              "        n < %s ? p_%s[z * %s * %s + %s] : 0.0f;\n}\n",
              t->panels, t->depth, t->n, t->n, t->columns, b->name, t->columns, t->depth,
              t->product.b_transposed ? emit_text(e, "n * %s + k", t->depth)
                                      : emit_text(e, "k * %s + n", t->columns));
    writer_launch(e->writer, emit_copies_of(e, b), &kernel, &space);
    kernel_release(&kernel);
}

/* Copy a line of the panel by elements, of which the operand may not have the last ones. */
static void write_line_of_elements(const struct tile *t)
{
    struct emitter *e = t->e;
    const char *element =
        t->product.b_transposed ? emit_text(e, "from[l * %s]", t->depth) : "from[l]";

    emit_line(e, "#pragma unroll\n    for (int l = 0; l < %d; l++)", t->n);
    if (emit_divides(e, group_columns(e->writer, e->group), t->n))
        emit_line(e, "        to[l] = %s;\n}\n", element);
    else
        emit_line(e, "        to[l] = n + l < %s ? %s : 0.0f;\n}\n", t->columns, element);
}

/* Copy a whole line of the panel by vectors. */
static void write_line_of_vectors(const struct tile *t)
{
    struct emitter *e = t->e;
    int width = e->schedule->of[KNOB_VEC];
    const char *from = emit_text(e, "from + l * %d", width);
    const char *copy = emit_vector_store(e, width, emit_vector_load(e, width, from),
                                         emit_text(e, "to + l * %d", width));

    emit_line(e, "    if (n + %d <= %s) {\n#pragma unroll", t->n, t->columns);
    emit_line(e, "        for (int l = 0; l < %d; l++)", t->n / width);
    emit_line(e, "            %s;\n        return;\n    }", copy);
}

/* Pack a line of a panel by each work-item: neighbours in memory, which a CPU copies faster. */
static void write_pack_of_lines(const struct tile *t)
{
    enum { STEPS = 64 }; /* of a panel by neighbouring work-items */
    struct emitter *e = t->e;
    const struct value *b = t->call.in[1];
    const char *panels = emit_text(e, "((%s + %d) / %d)", t->columns, t->n - 1, t->n);
    const char *batch = product_batch_extent(t, 1);
    const char *shape[] = {batch, emit_text(e, "align(%s, %d)", t->columns, t->n), t->depth};
    struct space space = {.global = {emit_text(e, "%d", STEPS),
                                     emit_text(e, "ceildiv(%s, %d)", t->depth, STEPS),
                                     emit_text(e, "ceildiv(%s, %d) * %s", t->columns, t->n, batch)},
                          .rank = 3};
    struct kernel kernel = pack_begin(t, shape);

    emit_line(e, "    const int k = $global_id1 * %d + $global_id0, panel = $global_id2;", STEPS);
    emit_line(e, "    const int n = panel %% %s * %d, z = panel / %s;", panels, t->n, panels);
    emit_line(e, "    if (k >= %s)\n        return;\n", t->depth);
    emit_line(e, "    $global float *to = p_%s + (panel * %s + k) * %d;", t->panels, t->depth,
              t->n);
    emit_line(e, "    $global const float *from = p_%s + z * %s * %s + %s;\n", b->name, t->columns,
              t->depth,
              t->product.b_transposed ? emit_text(e, "n * %s + k", t->depth)
                                      : emit_text(e, "k * %s + n", t->columns));
    if (!t->product.b_transposed)
        write_line_of_vectors(t);
    write_line_of_elements(t);
    writer_launch(e->writer, emit_copies_of(e, b), &kernel, &space);
    kernel_release(&kernel);
}

/*
 * Write the kernel that packs the second operand to panels, [batch][column / n][k][column % n],
 * with zeros after the last column.
 */
static void write_pack(const struct tile *t)
{
    (t->e->schedule->of[KNOB_GROUP] == 1 ? write_pack_of_lines : write_pack_of_elements)(t);
}

/* End work-items whose tile begins after the last column. */
static void write_guard(const struct tile *t)
{
    if (t->e->schedule->of[KNOB_GROUP] > 1)
        emit_line(t->e, "    if (col >= %s)\n        return;", t->columns);
}

/*
 * Declare the work-item's tile. With local memory, neighbouring work-items interleave their
 * vectors; otherwise each has a contiguous tile.
 */
static void write_start(const struct tile *t)
{
    struct emitter *e = t->e;
    int columns = product_column_dimension(e);
    const char *col = emit_text(e, "$global_id%d * %d", columns, t->n);
    const char *row = emit_text(e, "$global_id%d * %d", !columns, t->m);
    int across, down;

    if (e->schedule->of[KNOB_LOCAL])
        col = emit_text(e, "$group_id%d * %d + $local_id%d * %d", columns, t->span, columns,
                        e->schedule->of[KNOB_VEC]);
    if (t->slices > 1) {
        schedule_group_shape(e->schedule, &across, &down);
        row = emit_text(e, "($group_id%d * %d + $local_id%d %% %d) * %d", !columns, down, !columns,
                        down, t->m);
        emit_line(e, "    const int slice = $local_id%d / %d;", !columns, down);
        emit_line(e, "    const int own = $local_id%d * %d + $local_id%d %% %d;", columns, down,
                  !columns, down);
    }
    emit_line(e, "    const int col = %s, tile_row = %s;", col, row);
    if (product_has_batch(t)) {
        emit_line(e, "    const int batch = $global_id2;");
        writer_axes(e->writer, t->node->out, (1U << t->product.batch.rank) - 1, "batch", "    ");
    }
    if (!e->schedule->of[KNOB_LOCAL])
        write_guard(t);
    emit_tile_start(e);
}

/* Write the sum with operands from global memory. */
static void write_sum(const struct tile *t)
{
    struct emitter *e = t->e;
    const char *stride = t->is_packed ? emit_text(e, "%d", t->n) : t->columns;

    emit_line(e, "    $global const float *b = p_%s%s + %s;",
              t->is_packed ? t->panels : t->call.in[1]->name, product_offset(t, 1),
              t->is_packed ? emit_text(e, "col * %s", t->depth) : "col");
    emit_line(e, "    $global const float *a[%d];\n", t->m);
    emit_line(e, "#pragma unroll\n    for (int i = 0; i < %d; i++)", t->m);
    emit_line(e, "        a[i] = p_%s%s + min(tile_row + i, %s - 1)%s;\n", t->call.in[0]->name,
              product_offset(t, 0), t->rows,
              t->product.a_transposed ? "" : emit_text(e, " * %s", t->depth));
    emit_tile_unroll(e);
    emit_line(e, "    for (int k = 0; k < %s; k++) {", t->depth);
    emit_tile_step(
        e, &(struct tile_step){
               .indent = "        ",
               .a = t->product.a_transposed ? emit_text(e, "a[i][k * %s]", t->rows) : "a[i][k]",
               .b = emit_text(e, "b + k * %s", stride),
               .stride = t->stride,
               .is_aligned = true,
           });
    emit_line(e, "    }\n");
}

static void write_results(const struct tile *t)
{
    struct emitter *e = t->e;

    emit_tile_results(e, &(struct tile_rows){
                             .out = t->node->out,
                             .columns = t->columns,
                             .stride = t->stride,
                             .span = t->span,
                             .is_outside = emit_text(e, "tile_row + i >= %s", t->rows),
                             .number = product_has_batch(t)
                                           ? emit_text(e, "batch * %s + tile_row + i", t->rows)
                                           : "tile_row + i",
                             .bias = t->product.bias ? t->product.bias->name : NULL,
                         });
    emit_line(e, "}");
}

static void launch(const struct tile *t)
{
    struct emitter *e = t->e;
    int across, down, columns = product_column_dimension(e);
    struct space space = {.rank = product_has_batch(t) ? 3 : 2};
    struct axes batch = group_rows(e->writer, e->group);

    schedule_group_shape(e->schedule, &across, &down);
    space.global[columns] = emit_text(e, "align(ceildiv(%s, %d), %d)", t->columns, t->n, across);
    space.global[!columns] = emit_text(
        e, t->slices > 1 ? "align(ceildiv(%s, %d), %d) * %d" : "align(ceildiv(%s, %d), %d)",
        t->rows, t->m, down, t->slices);
    space.local[columns] = emit_text(e, "%d", across);
    space.local[!columns] = emit_text(e, "%d", down * t->slices);
    batch.end--;
    space.global[2] = emit_extent(e, batch);
    space.local[2] = "1";
    writer_launch(e->writer, e->writer->launches, &e->kernel, &space);
}

/*
 * The buffer of a param transposed before the first launch, so that neighbouring columns can be
 * copied together; NULL if that is not needed.
 */
static const char *transposed_name(const struct tile *t)
{
    const struct value *b = t->call.in[1];

    if (!t->e->writer->dialect->copies || !t->e->schedule->of[KNOB_LOCAL] ||
        !t->product.b_transposed || b->role != TENSOR_PARAM || b->shape.rank != 2 ||
        !emit_is_whole(t->e, t->e->schedule->of[KNOB_VEC]))
        return NULL;
    return emit_text(t->e, "%s_turned_%zu", b->name, t->e->number);
}

/* Transpose the param: pack it to a single panel with all columns. */
static void write_transposed(const struct tile *t)
{
    struct tile panel = *t;

    panel.n = (int)t->product.n;
    panel.panels = t->transposed;
    write_pack_of_elements(&panel);
    kernel_add_arg(&t->e->kernel, &(struct kernel_arg){t->transposed, DTYPE_F32, false, NULL});
}

static struct tile tile_of(struct emitter *e)
{
    size_t node = e->group->nodes[0];
    struct tile t = {.e = e,
                     .call = graph_call(&e->writer->graph, node),
                     .node = emit_node_at(e, node),
                     .m = e->schedule->of[KNOB_TILE_M],
                     .n = e->schedule->of[KNOB_TILE_N]};
    int across, down;
    struct axes rows = group_rows(e->writer, e->group);

    t.product = product_of(&t.call);
    t.stride = e->schedule->of[KNOB_VEC];
    t.span = t.n;
    if (e->schedule->of[KNOB_LOCAL]) {
        schedule_group_shape(e->schedule, &across, &down);
        t.stride *= across;
        t.span *= across;
    }
    if (product_has_batch(&t))
        rows.first = rows.end - 1;
    t.rows = emit_extent(e, rows);
    t.columns = emit_extent(e, group_columns(e->writer, e->group));
    t.depth =
        extent(&t, t.node->in[0], t.call.in[0]->shape.rank - (t.product.a_transposed ? 2 : 1));
    t.transposed = transposed_name(&t);
    t.slices = product_slices(&t);
    t.is_packed = !e->schedule->of[KNOB_LOCAL] && needs_panels(&t);
    t.panels = emit_text(e, "%s_panels_%zu", t.call.in[1]->name, e->number);
    return t;
}

/*
 * Take longer blocks of steps if few work-groups have the GPU to themselves: each block waits for
 * its operands and a barrier.
 */
static void fit_depth(const struct tile *t, struct schedule *schedule)
{
    enum { FEW_GROUPS = 132 };
    struct schedule to = *schedule;
    int across, down;
    int64_t rows, columns;

    schedule_group_shape(schedule, &across, &down);
    rows = (int64_t)down * schedule->of[KNOB_TILE_M];
    columns = (int64_t)across * schedule->of[KNOB_TILE_N];
    to.of[KNOB_LOCAL] *= 2;
    if (t->e->writer->dialect->copies && knob_has(KNOB_LOCAL, to.of[KNOB_LOCAL]) &&
        t->product.k > schedule->of[KNOB_LOCAL] && !schedule_check(&to, NULL) &&
        (t->product.m + rows - 1) / rows * ((t->product.n + columns - 1) / columns) *
                shape_elements(&t->product.batch) <=
            FEW_GROUPS)
        *schedule = to;
}

/*
 * The schedule for a product that has fewer rows than a work-group's tile: the tile gets as few
 * rows, and more columns for them.
 */
static struct schedule fit_rows(const struct tile *t)
{
    enum { COPIED = 4 };
    struct schedule fitted = *t->e->schedule;
    int across, down, m = t->m, n = t->n;
    int64_t rows = t->product.m, columns = t->product.n;

    schedule_group_shape(&fitted, &across, &down);
    if (!fitted.of[KNOB_LOCAL] || !writer_is_fixed(t->e->writer, t->rows))
        return fitted;
    while (m > 2 && (int64_t)down * (m - 2) >= rows && down * (m - 2) % COPIED == 0)
        m -= m % 2 ? 1 : 2;
    while (m < t->m && 2 * n * m <= t->n * t->m && (int64_t)across * n < columns)
        n *= 2;
    fitted.of[KNOB_TILE_M] = m;
    fitted.of[KNOB_TILE_N] = n;
    fit_depth(t, &fitted);
    return fitted;
}

/* Write the kernel on ordinary cores. */
static void write_product(struct emitter *e)
{
    struct tile t = tile_of(e);

    if (t.is_packed) {
        write_pack(&t);
        kernel_add_arg(&e->kernel, &(struct kernel_arg){t.panels, DTYPE_F32, false, NULL});
    }
    if (t.transposed)
        write_transposed(&t);
    emit_args(e, t.is_packed || t.transposed ? 1U << 1 : 0);
    if (e->schedule->of[KNOB_LOCAL])
        e->kernel.work_items = e->schedule->of[KNOB_GROUP] * t.slices;
    writer_head(e->writer, &e->kernel);
    write_start(&t);
    if (e->schedule->of[KNOB_LOCAL]) {
        product_local_sum(&t);
        write_guard(&t);
    } else {
        write_sum(&t);
    }
    write_results(&t);
    launch(&t);
}

void emit_product(struct emitter *e)
{
    const struct tile t = tile_of(e);
    const struct schedule *wanted = e->schedule, fitted = fit_rows(&t);

    e->kernel.name = emit_text(e, "%s_%zu", t.call.op->name, e->number);
    if (family_has_matrix(e->writer, e->schedule, t.node, &t.call)) {
        product_matrix(&t);
        return;
    }
    e->schedule = &fitted;
    write_product(e);
    e->schedule = wanted;
}
