#include "core/agent/builtin/emit/attention/attention.h"

#include "core/agent/builtin/emit/attention/attention_kernel.h"
#include "core/agent/builtin/emit/attention/attention_tiles.h"
#include "core/agent/builtin/emit/emit_space.h"
#include "core/agent/builtin/emit/emit_values.h"
#include "core/agent/builtin/emit/emit_vector.h"

/*
 * A work-item computes tile_m queries of one head. It processes tile_n keys at a time with an
 * online softmax: when a larger score is found, the results so far are scaled (Milakov and
 * Gimelshein, "Online normalizer calculation for softmax", 2018).
 *
 * A preceding kernel transposes the keys to panels of tile_n, so that each step of a score's sum
 * multiplies one vector of keys with one number of each query.
 *
 * In languages with shuffles the work-items of a group share tiles of keys and values instead
 * (attention_tiles.c).
 */

/* Each work-item has much work, so small work-groups are enough to use all cores. */
enum { MOST_TOGETHER = 32 };

static const char *matrices(const struct attention_kernel *a, size_t value)
{
    return emit_text(a->e, "(%s)", emit_sizes(a->e, value, (1U << (a->rank - 2)) - 1));
}

/*
 * Write the kernel that transposes the keys to [matrix][key / n][component][key % n], with zeros
 * after the last key.
 */
static void write_panels(const struct attention_kernel *a)
{
    struct emitter *e = a->e;
    const char *padded = emit_text(e, "align(%s, %d)", a->keys, a->n);
    const char *shape[] = {a->shared, padded, a->depth};
    struct space space = {.global = {padded, a->depth, a->shared}, .rank = 3};
    struct kernel kernel = {.name = emit_text(e, "turn_%zu", e->number)};

    writer_scratch(e->writer, a->panels, DTYPE_F32, shape, 3);
    kernel_add_value(&kernel, a->call.in[1], false);
    kernel_add_arg(&kernel, &(struct kernel_arg){a->panels, DTYPE_F32, true, NULL});
    writer_head(e->writer, &kernel);
    emit_line(e, "    const int key = $global_id0, d = $global_id1, z = $global_id2;");
    emit_line(e, "    const int panel = z * $global_size0 / %d + key / %d;\n", a->n, a->n);
    emit_line(e,
              "    p_%s[(panel * %s + d) * %d + key %% %d] =\n"
              "        key < %s ? p_%s[(z * %s + key) * %s + d] : 0.0f;\n}\n",
              a->panels, a->depth, a->n, a->n, a->keys, a->call.in[1]->name, a->keys, a->depth);
    writer_launch(e->writer, e->writer->launches, &kernel, &space);
    kernel_release(&kernel);
}

/* Reduce the vector `name` to one number, the variable `to`. */
static void write_fold(const struct attention_kernel *a, const char *indent, const char *name,
                       const char *to, const char *join)
{
    const char *wide = name;

    for (int width = a->width / 2; width >= 1; width /= 2) {
        const char *half = width > 1 ? emit_text(a->e, "%s_%d", to, width) : to;

        emit_line(a->e, "%sconst %s %s = %s;", indent, emit_vector_type(a->e, "float", width), half,
                  emit_vector_fold(a->e, join, wide));
        wide = half;
    }
    if (a->width == 1)
        emit_line(a->e, "%sconst float %s = %s;", indent, to, name);
}

static const char *vector_type(const struct attention_kernel *a)
{
    return emit_vector_type(a->e, "float", a->width);
}

/* Vectors of a row of the result. */
static int result_vectors(const struct attention_kernel *a)
{
    return (int)a->shape.out_width / a->width;
}

static void write_start(const struct attention_kernel *a)
{
    struct emitter *e = a->e;

    emit_line(e, "    const int first = $global_id0 * %d, head = $global_id1;", a->m);
    attention_heads(a);
    if (e->schedule->of[KNOB_GROUP] > 1)
        emit_line(e, "    if (first >= %s)\n        return;", a->queries);
    emit_line(e,
              "    $global const float *keys = p_%s + shared * ((%s + %d) / %d * %d) * %s;\n"
              "    $global const float *values = p_%s + shared * %s * %s;\n"
              "    $global const float *q[%d];\n"
              "    %s sums[%d][%d];\n"
              "    float most[%d], total[%d], weights[%d][%d];\n",
              a->panels, a->keys, a->n - 1, a->n, a->n, a->depth, a->call.in[2]->name, a->keys,
              a->columns, a->m, vector_type(a), a->m, result_vectors(a), a->m, a->m, a->m, a->n);
    emit_line(e, "#pragma unroll\n    for (int i = 0; i < %d; i++) {", a->m);
    emit_line(e, "        q[i] = p_%s + (head * %s + min(first + i, %s - 1)) * %s;",
              a->call.in[0]->name, a->queries, a->queries, a->depth);
    emit_line(e, "        most[i] = -INFINITY;\n        total[i] = 0;");
    emit_line(
        e,
        "#pragma unroll\n        for (int j = 0; j < %d; j++)\n            sums[i][j] = %s;\n "
        "   }\n",
        result_vectors(a), emit_vector_initial(e, "float", "0", a->width));
}

static void write_scores(const struct attention_kernel *a)
{
    struct emitter *e = a->e;
    int vectors = a->n / a->width;

    emit_line(e, "        %s scores[%d][%d];\n", vector_type(a), a->m, vectors);
    emit_line(e, "#pragma unroll\n        for (int i = 0; i < %d; i++)", a->m);
    emit_line(e, "#pragma unroll\n            for (int j = 0; j < %d; j++)", vectors);
    emit_line(e, "                scores[i][j] = %s;",
              emit_vector_initial(e, "float", "0", a->width));
    emit_line(e, "        for (int d = 0; d < %s; d++) {", a->depth);
    emit_line(e, "#pragma unroll\n            for (int j = 0; j < %d; j++) {", vectors);
    emit_line(e, "                const %s k = %s;", vector_type(a),
              emit_vector_load(
                  e, a->width,
                  emit_text(e, "keys + (key * %s + d * %d) + j * %d", a->depth, a->n, a->width)));
    emit_line(e, "#pragma unroll\n                for (int i = 0; i < %d; i++)", a->m);
    emit_line(e, "                    scores[i][j] = fma(%s, k, scores[i][j]);",
              emit_vector_splat(e, "q[i][d]", a->width));
    emit_line(e, "            }\n        }");
}

/* Scale the scores of query i, and set those of keys that it must not see to -INFINITY. */
static void write_mask(const struct attention_kernel *a)
{
    struct emitter *e = a->e;
    int vectors = a->n / a->width;
    char scale[32];

    formula_number(DTYPE_F32, a->shape.scale, scale);
    emit_line(e, "            const int query = min(first + i, %s - 1);", a->queries);
    emit_line(e, "            const int seen = %s - key;",
              a->shape.is_causal ? emit_text(e, "min(%s, query + 1)", a->keys) : a->keys);
    emit_line(e, "#pragma unroll\n            for (int j = 0; j < %d; j++)", vectors);
    emit_line(e, "                scores[i][j] *= %s;", scale);
    emit_line(e, "            if (%sseen < %d) {", a->shape.mask ? "true || " : "", a->n);
    emit_line(e, "#pragma unroll\n                for (int j = 0; j < %d; j++)", vectors);
    emit_line(e, "                    %s;",
              emit_vector_store(e, a->width, "scores[i][j]",
                                emit_text(e, "weights[i] + j * %d", a->width)));
    emit_line(e, "                for (int l = 0; l < %d; l++)", a->n);
    emit_line(e, "                    weights[i][l] = l < seen ? %s : -INFINITY;",
              a->shape.mask
                  ? emit_text(e, "(%s)", attention_masked(a, "weights[i][l]", "(key + l)"))
                  : "weights[i][l]");
    emit_line(e, "#pragma unroll\n                for (int j = 0; j < %d; j++)", vectors);
    emit_line(e, "                    scores[i][j] = %s;\n            }",
              emit_vector_load(e, a->width, emit_text(e, "weights[i] + j * %d", a->width)));
}

/* Compute the weights of query i, and scale the earlier sums if a larger score is found. */
static void write_softmax(const struct attention_kernel *a)
{
    struct emitter *e = a->e;
    int vectors = a->n / a->width;
    const char *type = vector_type(a);

    emit_line(e, "            %s tops = scores[i][0], parts = %s;", type,
              emit_vector_initial(e, "float", "0", a->width));
    emit_line(e, "#pragma unroll\n            for (int j = 1; j < %d; j++)", vectors);
    emit_line(e, "                tops = larger(tops, scores[i][j]);");
    write_fold(a, "            ", "tops", "top", "larger($a, $b)");
    emit_line(e, "            const float largest = larger(most[i], top);");
    emit_line(e, "            const float base = largest == -INFINITY ? 0 : largest;");
    emit_line(e, "            const float before = exp(most[i] - base);");
    emit_line(e, "#pragma unroll\n            for (int j = 0; j < %d; j++) {", vectors);
    emit_line(e, "                const %s weight = exp(scores[i][j] - base);\n", type);
    emit_line(
        e, "                parts += weight;\n                %s;\n            }",
        emit_vector_store(e, a->width, "weight", emit_text(e, "weights[i] + j * %d", a->width)));
    write_fold(a, "            ", "parts", "part", "$a + $b");
    emit_line(e,
              "            total[i] = total[i] * before + part;\n            most[i] = largest;");
    emit_line(e, "#pragma unroll\n            for (int j = 0; j < %d; j++)", result_vectors(a));
    emit_line(e, "                sums[i][j] *= before;");
}

static void write_sums(const struct attention_kernel *a)
{
    struct emitter *e = a->e;

    emit_line(e, "        const int count = min(%d, end - key);", a->n);
    emit_line(e, "        for (int l = 0; l < count; l++) {");
    emit_line(e, "#pragma unroll\n            for (int j = 0; j < %d; j++) {", result_vectors(a));
    emit_line(
        e, "                const %s v = %s;", vector_type(a),
        emit_vector_load(e, a->width,
                         emit_text(e, "values + (key + l) * %s + j * %d", a->columns, a->width)));
    emit_line(e, "#pragma unroll\n                for (int i = 0; i < %d; i++)", a->m);
    emit_line(e, "                    sums[i][j] = fma(%s, v, sums[i][j]);",
              emit_vector_splat(e, "weights[i][l]", a->width));
    emit_line(e, "            }\n        }");
}

static void write_body(const struct attention_kernel *a)
{
    struct emitter *e = a->e;

    emit_line(e, "    const int end = %s;",
              a->shape.is_causal
                  ? emit_text(e, "min(%s, min(first + %d, %s))", a->keys, a->m, a->queries)
                  : a->keys);
    emit_line(e, "    for (int key = 0; key < end; key += %d) {", a->n);
    write_scores(a);
    emit_line(e, "#pragma unroll\n        for (int i = 0; i < %d; i++) {", a->m);
    write_mask(a);
    write_softmax(a);
    emit_line(e, "        }");
    write_sums(a);
    emit_line(e, "    }\n");
    emit_line(e, "#pragma unroll\n    for (int i = 0; i < %d; i++)", a->m);
    emit_line(e, "#pragma unroll\n        for (int j = 0; j < %d; j++)", result_vectors(a));
    emit_line(e, "            if (first + i < %s)", a->queries);
    emit_line(e, "                %s;\n}",
              emit_vector_store(e, a->width, "sums[i][j] * (total[i] > 0 ? 1 / total[i] : 0)",
                                emit_text(e, "p_%s + (head * %s + first + i) * %s + j * %d",
                                          a->call.out->name, a->queries, a->columns, a->width)));
}

static void launch(const struct attention_kernel *a)
{
    struct emitter *e = a->e;
    int group = e->schedule->of[KNOB_GROUP] ? e->schedule->of[KNOB_GROUP] : 1;
    struct space space = {.rank = 2};

    if (group > MOST_TOGETHER)
        group = MOST_TOGETHER;

    space.global[0] = emit_text(e, "align(ceildiv(%s, %d), %d)", a->queries, a->m, group);
    space.global[1] = a->heads;
    space.local[0] = emit_text(e, "%d", group);
    space.local[1] = "1";
    writer_launch(e->writer, e->writer->launches, &e->kernel, &space);
}

static struct attention_kernel kernel_of(struct emitter *e)
{
    size_t node = e->group->nodes[0];
    struct attention_kernel a = {.e = e,
                                 .call = graph_call(&e->writer->graph, node),
                                 .node = emit_node_at(e, node),
                                 .m = e->schedule->of[KNOB_TILE_M],
                                 .n = e->schedule->of[KNOB_TILE_N],
                                 .width = e->schedule->of[KNOB_VEC]};

    a.shape = attention_of(&a.call);
    a.rank = a.call.out->shape.rank;
    while (a.shape.out_width % a.width != 0)
        a.width /= 2;
    a.queries = attention_size(&a, a.node->in[0], a.rank - 2);
    a.keys = attention_size(&a, a.node->in[1], a.rank - 2);
    a.depth = attention_size(&a, a.node->in[0], a.rank - 1);
    a.columns = attention_size(&a, a.node->out, a.rank - 1);
    a.heads = matrices(&a, a.node->in[0]);
    a.shared = matrices(&a, a.node->in[1]);
    a.panels = emit_text(e, "%s_panels_%zu", a.call.in[1]->name, e->number);
    return a;
}

void emit_attention(struct emitter *e)
{
    struct attention_kernel a = kernel_of(e);

    e->kernel.name = emit_text(e, "attention_%zu", e->number);
    if (attention_has_tiles(&a)) {
        attention_tiles(&a);
        return;
    }
    write_panels(&a);
    kernel_add_arg(&e->kernel, &(struct kernel_arg){a.panels, DTYPE_F32, false, NULL});
    emit_args(e, 1U << 1);
    writer_head(e->writer, &e->kernel);
    write_start(&a);
    write_body(&a);
    launch(&a);
}
