#include "core/agent/builtin/emit/attention/attention_tiles.h"

#include "core/agent/builtin/emit/emit_values.h"
#include "core/agent/builtin/emit/emit_vector.h"

enum {
    TEAM = 8,
    MOST_WIDTH = 4,
    PADDING = 4,           /* floats between rows, so that they begin in different banks */
    ENOUGH_GROUPS = 256,   /* work-groups that occupy a large GPU */
    MOST_BYTES = 48 << 10, /* local memory that a kernel can declare statically */
    /* of large matrices: elements of the result and queries per work-item, work-items, columns */
    MOST_ELEMENTS = 64,
    MOST_OWN = 2,
    MOST_ITEMS = 128,
    MOST_STEPS = 128
};

struct tiles {
    const struct attention_kernel *a;
    struct emitter *e;
    int width;         /* width of vectors of queries, keys and values */
    int items;         /* work-items of a work-group */
    int own;           /* queries of a team */
    int queries, keys; /* queries and keys of a tile */
    /* columns of a query and of the result; vectors of the result per work-item */
    int depth, columns, vectors;
    int steps; /* columns of a tile of queries or keys */
    int parts; /* work-groups that share the columns of the result */
    const char *type;
};

static int local_bytes(const struct tiles *t)
{
    int row = t->steps + PADDING;

    return (int)sizeof(float) * (t->queries * (row + t->keys + PADDING) +
                                 t->keys * (row + t->vectors * TEAM * t->width));
}

static void set_queries(struct tiles *t)
{
    t->queries = t->items / TEAM * t->own;
}

static int64_t groups_of(const struct tiles *t)
{
    return t->a->shape.heads * ((t->a->shape.queries + t->queries - 1) / t->queries);
}

/* Reduce the queries until there are enough work-groups and the tiles fit in local memory. */
static void fit(struct tiles *t)
{
    int warp = t->e->writer->dialect->warp;

    set_queries(t);
    while (groups_of(t) < ENOUGH_GROUPS || local_bytes(t) > MOST_BYTES) {
        if (t->own > 1)
            t->own /= 2;
        else if (t->items > 2 * warp)
            t->items /= 2;
        else if (t->keys > TEAM && local_bytes(t) > MOST_BYTES)
            t->keys /= 2;
        else
            return;
        set_queries(t);
    }
}

/*
 * Let tiles have a part of the columns, so that the kernel needs as many registers, as much local
 * memory and as long to build for matrices of any width.
 */
static void cut(struct tiles *t)
{
    t->steps = t->depth < MOST_STEPS ? t->depth : MOST_STEPS;
    t->parts = (t->vectors * t->width + MOST_ELEMENTS - 1) / MOST_ELEMENTS;
    t->vectors = (t->vectors + t->parts - 1) / t->parts;
    t->own = t->own < MOST_OWN ? t->own : MOST_OWN;
    t->items = t->items < MOST_ITEMS ? t->items : MOST_ITEMS;
    t->keys = TEAM;
}

static struct tiles tiles_of(const struct attention_kernel *a)
{
    const int *of = a->e->schedule->of;
    int warp = a->e->writer->dialect->warp;
    struct tiles t = {.a = a,
                      .e = a->e,
                      .width = of[KNOB_VEC] < MOST_WIDTH ? of[KNOB_VEC] : MOST_WIDTH,
                      .items = of[KNOB_GROUP] > warp ? of[KNOB_GROUP] : warp,
                      .own = of[KNOB_TILE_M],
                      .keys = TEAM * (of[KNOB_TILE_N] < 8 ? of[KNOB_TILE_N] : 8),
                      .depth = (int)a->shape.width,
                      .columns = (int)a->shape.out_width};
    struct tiles whole;

    while (t.depth % t.width != 0 || t.columns % t.width != 0)
        t.width /= 2;
    while (t.own & (t.own - 1))
        t.own--;
    t.vectors = (t.columns + TEAM * t.width - 1) / (TEAM * t.width);
    t.steps = t.depth;
    t.parts = 1;
    t.type = emit_vector_type(a->e, "float", t.width);
    whole = t;
    fit(&whole);
    if (local_bytes(&whole) <= MOST_BYTES)
        return whole;
    cut(&t);
    fit(&t);
    return t;
}

bool attention_has_tiles(const struct attention_kernel *a)
{
    const struct extents *extents = &a->e->writer->extents;
    struct tiles t;

    if (!a->e->writer->dialect->warp || !extents->is_fixed[a->node->in[0]][a->rank - 1])
        return false;
    t = tiles_of(a);
    return local_bytes(&t) <= MOST_BYTES;
}

/* `count` of `all` columns, from the column `first` on, an expression; NULL: from the first one. */
struct columns {
    int count, all;
    const char *first;
};

/* The columns of a tile of queries or keys. */
static struct columns step_columns(const struct tiles *t)
{
    return (struct columns){t->steps, t->depth, t->steps < t->depth ? "step" : NULL};
}

/* The columns of a tile of values. */
static struct columns value_columns(const struct tiles *t)
{
    if (t->parts == 1)
        return (struct columns){t->columns, t->columns, NULL};
    return (struct columns){t->vectors * TEAM * t->width, t->columns, "first_column"};
}

/* Copy rows of an operand to local memory, with zeros after the last row and column. */
static void write_copy(const struct tiles *t, const char *name, int rows, struct columns columns)
{
    struct emitter *e = t->e;
    int vectors = columns.count / t->width;
    const char *inside = emit_text(e, "row < %s_rows", name);
    const char *from = emit_text(e, "%s + row * %d + at", name, columns.all);

    if (columns.first) {
        inside = emit_text(e, "%s && %s + at < %d", inside, columns.first, columns.all);
        from = emit_text(e, "%s + %s", from, columns.first);
    }
    emit_line(e, "    for (int i = item; i < %d; i += %d) {", rows * vectors, t->items);
    emit_line(e, "        const int row = i / %d, at = i %% %d * %d;\n", vectors, vectors,
              t->width);
    emit_line(e, "        %s;\n    }",
              emit_vector_store_aligned(e, t->width,
                                        emit_text(e, "(%s ? %s : %s)", inside,
                                                  emit_vector_load_aligned(e, t->width, from),
                                                  emit_vector_splat(e, "0.0f", t->width)),
                                        emit_text(e, "&%s_tile[row][at]", name)));
}

static void write_start(const struct tiles *t)
{
    struct emitter *e = t->e;
    const struct attention_kernel *a = t->a;

    emit_line(e, "    $local float q_tile[%d][%d], k_tile[%d][%d];", t->queries, t->steps + PADDING,
              t->keys, t->steps + PADDING);
    emit_line(e, "    $local float v_tile[%d][%d], weights[%d][%d];", t->keys,
              t->vectors * TEAM * t->width, t->queries, t->keys + PADDING);
    emit_line(e, "    const int item = $local_id0, lane = item %% %d, own = item / %d * %d;", TEAM,
              TEAM, t->own);
    emit_line(e, "    const int first = $group_id0 * %d, head = $group_id1;", t->queries);
    if (t->parts > 1)
        emit_line(e, "    const int first_column = $group_id2 * %d;", t->vectors * TEAM * t->width);
    attention_heads(a);
    emit_line(e, "    const int q_rows = %s - first;", a->queries);
    emit_line(e, "    $global const float *const q = p_%s + (head * %s + first) * %s;",
              a->call.in[0]->name, a->queries, a->depth);
    emit_line(e, "    %s sums[%d][%d];\n    float most[%d], total[%d];\n", t->type, t->own,
              t->vectors, t->own, t->own);
    emit_line(e, "#pragma unroll\n    for (int i = 0; i < %d; i++) {", t->own);
    emit_line(e, "        most[i] = -INFINITY;\n        total[i] = 0;");
    emit_line(e, "#pragma unroll\n        for (int j = 0; j < %d; j++)", t->vectors);
    emit_line(e, "            sums[i][j] = 0;\n    }");
    if (t->steps == t->depth)
        write_copy(t, "q", t->queries, step_columns(t));
}

static void write_tiles(const struct tiles *t)
{
    struct emitter *e = t->e;
    const struct attention_kernel *a = t->a;

    emit_line(e, "    $barrier;\n    const int k_rows = %s - key, v_rows = k_rows;", a->keys);
    emit_line(e, "    $global const float *const k = p_%s + (shared * %s + key) * %s;",
              a->call.in[1]->name, a->keys, a->depth);
    emit_line(e, "    $global const float *const v = p_%s + (shared * %s + key) * %s;",
              a->call.in[2]->name, a->keys, a->columns);
    write_copy(t, "v", t->keys, value_columns(t));
    if (t->steps < t->depth)
        return;
    write_copy(t, "k", t->keys, step_columns(t));
    emit_line(e, "    $barrier;");
}

/* Compute the products of every eighth key, as vectors whose elements are added later. */
static void write_scores(const struct tiles *t)
{
    struct emitter *e = t->e;
    int keys = t->keys / TEAM;

    emit_line(e, "    %s products[%d][%d];\n", t->type, t->own, keys);
    emit_line(e, "#pragma unroll\n    for (int i = 0; i < %d; i++)", t->own);
    emit_line(e, "#pragma unroll\n        for (int j = 0; j < %d; j++)", keys);
    emit_line(e, "            products[i][j] = 0;");
    if (t->steps < t->depth) {
        emit_line(e, "    for (int step = 0; step < %d; step += %d) {", t->depth, t->steps);
        emit_line(e, "    if (step > 0)\n        $barrier;");
        write_copy(t, "q", t->queries, step_columns(t));
        write_copy(t, "k", t->keys, step_columns(t));
        emit_line(e, "    $barrier;");
    }
    emit_line(e, "#pragma unroll 4\n    for (int d = 0; d < %d; d += %d)", t->steps, t->width);
    emit_line(e, "#pragma unroll\n        for (int j = 0; j < %d; j++) {", keys);
    emit_line(
        e, "            const %s key_part = %s;", t->type,
        emit_vector_load_aligned(e, t->width, emit_text(e, "&k_tile[j * %d + lane][d]", TEAM)));
    emit_line(e, "#pragma unroll\n            for (int i = 0; i < %d; i++)", t->own);
    emit_line(e, "                products[i][j] = fma(%s, key_part, products[i][j]);\n        }",
              emit_vector_load_aligned(e, t->width, "&q_tile[own + i][d]"));
    if (t->steps < t->depth)
        emit_line(e, "    }");
}

/* Combine a number of the team's work-items by shuffles; then each has the result. */
static void write_team_reduction(const struct tiles *t, const char *name, const char *join)
{
    struct formula_words words = {0};

    words.of['x'] = name;
    words.of['i'] = "others";
    words.of['b'] = emit_formula(t->e, t->e->writer->dialect->shuffle, &words);
    words.of['a'] = name;
    emit_line(t->e, "#pragma unroll\n        for (int others = %d; others > 0; others /= 2)",
              TEAM / 2);
    emit_line(t->e, "            %s = %s;", name, emit_formula(t->e, join, &words));
}

/* The sum of a vector's elements. */
static const char *folded(const struct tiles *t, const char *vector)
{
    const char *text = t->width > 1 ? emit_vector_component(t->e, vector, 0) : vector;

    for (int i = 1; i < t->width; i++)
        text = emit_text(t->e, "%s + %s", text, emit_vector_component(t->e, vector, i));
    return emit_text(t->e, "(%s)", text);
}

/* Scale the scores of query i, and set those of keys that it must not see to -INFINITY. */
static void write_mask(const struct tiles *t)
{
    struct emitter *e = t->e;
    const struct attention_kernel *a = t->a;
    char scale[32];

    formula_number(DTYPE_F32, a->shape.scale, scale);
    emit_line(e, "        const int query = min(first + own + i, %s - 1);", a->queries);
    emit_line(e, "        const int seen = %s;",
              a->shape.is_causal ? emit_text(e, "min(%s, query + 1)", a->keys) : a->keys);
    emit_line(e, "        float scores[%d], top = -INFINITY, part = 0;", t->keys / TEAM);
    emit_line(e, "#pragma unroll\n        for (int j = 0; j < %d; j++) {", t->keys / TEAM);
    emit_line(e, "            const int at = key + j * %d + lane;", TEAM);
    emit_line(e, "            const float score = %s * %s;\n", folded(t, "products[i][j]"), scale);
    emit_line(e, "            scores[j] = at < seen ? %s : -INFINITY;",
              a->shape.mask ? emit_text(e, "(%s)", attention_masked(a, "score", "at")) : "score");
    emit_line(e, "            top = larger(top, scores[j]);\n        }");
}

/* Compute the weights of the queries, and scale the earlier sums if larger scores are found. */
static void write_softmax(const struct tiles *t)
{
    struct emitter *e = t->e;

    emit_line(e, "#pragma unroll\n    for (int i = 0; i < %d; i++) {", t->own);
    write_mask(t);
    write_team_reduction(t, "top", "larger($a, $b)");
    emit_line(e, "        const float largest = larger(most[i], top);");
    emit_line(e, "        const float base = largest == -INFINITY ? 0 : largest;");
    emit_line(e, "        const float before = exp(most[i] - base);");
    emit_line(e, "#pragma unroll\n        for (int j = 0; j < %d; j++) {", t->keys / TEAM);
    emit_line(e, "            const float weight = exp(scores[j] - base);\n");
    emit_line(e, "            part += weight;");
    emit_line(e, "            weights[own + i][j * %d + lane] = weight;\n        }", TEAM);
    write_team_reduction(t, "part", "$a + $b");
    emit_line(e, "        total[i] = total[i] * before + part;\n        most[i] = largest;");
    emit_line(e, "#pragma unroll\n        for (int j = 0; j < %d; j++)", t->vectors);
    emit_line(e, "            sums[i][j] *= before;\n    }\n    $barrier;");
}

static void write_sums(const struct tiles *t)
{
    struct emitter *e = t->e;

    emit_line(e, "#pragma unroll 8\n    for (int l = 0; l < %d; l++)", t->keys);
    emit_line(e, "#pragma unroll\n        for (int j = 0; j < %d; j++) {", t->vectors);
    emit_line(e, "            const %s value = %s;", t->type,
              emit_vector_load_aligned(
                  e, t->width, emit_text(e, "&v_tile[l][(j * %d + lane) * %d]", TEAM, t->width)));
    emit_line(e, "#pragma unroll\n            for (int i = 0; i < %d; i++)", t->own);
    emit_line(e, "                sums[i][j] = fma(%s, value, sums[i][j]);\n        }",
              emit_vector_splat(e, "weights[own + i][l]", t->width));
}

static void write_results(const struct tiles *t)
{
    struct emitter *e = t->e;
    const struct attention_kernel *a = t->a;

    emit_line(e, "#pragma unroll\n    for (int i = 0; i < %d; i++)", t->own);
    emit_line(e, "#pragma unroll\n        for (int j = 0; j < %d; j++) {", t->vectors);
    emit_line(e, "            const int c = %s(j * %d + lane) * %d;\n",
              t->parts > 1 ? "first_column + " : "", TEAM, t->width);
    emit_line(e, "            if (own + i < q_rows && c < %d)", t->columns);
    emit_line(e, "                %s;\n        }\n}",
              emit_vector_store_aligned(
                  e, t->width,
                  emit_text(e, "sums[i][j] * %s",
                            emit_vector_splat(e, "(total[i] > 0 ? 1 / total[i] : 0)", t->width)),
                  emit_text(e, "p_%s + (head * %s + first + own + i) * %d + c", a->call.out->name,
                            a->queries, t->columns)));
}

static void launch(const struct tiles *t)
{
    struct emitter *e = t->e;
    struct space space = {.rank = t->parts > 1 ? 3 : 2};

    space.global[0] = emit_text(e, "ceildiv(%s, %d) * %d", t->a->queries, t->queries, t->items);
    space.global[1] = t->a->heads;
    space.local[0] = emit_text(e, "%d", t->items);
    space.local[1] = "1";
    space.global[2] = emit_text(e, "%d", t->parts);
    space.local[2] = "1";
    writer_launch(e->writer, e->writer->launches, &e->kernel, &space);
}

void attention_tiles(const struct attention_kernel *a)
{
    const struct tiles t = tiles_of(a);
    struct emitter *e = a->e;

    emit_args(e, 0);
    e->kernel.work_items = t.items;
    writer_head(e->writer, &e->kernel);
    write_start(&t);
    emit_line(e, "\n    const int end = %s;",
              a->shape.is_causal ? emit_text(e, "min(%s, first + %d)", a->keys, t.queries)
                                 : a->keys);
    emit_line(e, "    for (int key = 0; key < end; key += %d) {", t.keys);
    write_tiles(&t);
    write_scores(&t);
    write_softmax(&t);
    write_sums(&t);
    emit_line(e, "    }\n");
    write_results(&t);
    launch(&t);
}
