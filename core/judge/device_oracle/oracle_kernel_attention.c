#include "core/judge/device_oracle/oracle_kernel.h"

#include <string.h>

#include "core/judge/oracle/walk.h"
#include "core/model/op/op_attention.h"

/* The numbers that each row of scores leaves (attention.cl). */
enum { ROW_STATE = 3 };

/*
 * Append the place in an operand that is broadcast to `shape`, at the place with the row-major
 * number `number`.
 */
static void add_broadcast(struct strbuf *out, const char *number, const struct shape *shape,
                          const struct shape *operand)
{
    struct walk walk = {.shape = *shape};

    walk_add_broadcast(&walk, operand);
    oracle_strided(out, number, shape, walk.strides[0]);
}

/* Add the mask to the score at `i`, and leave out keys that come after the query. */
static void mask_score(struct oracle_kernel *k, const struct attention *a)
{
    struct shape scores = a->batch;
    struct strbuf at = {0};

    scores.dims[scores.rank++] = a->queries;
    scores.dims[scores.rank++] = a->keys;
    if (a->mask) {
        add_broadcast(&at, "i", &scores, &a->mask->shape);
        oracle_kernel_add(k,
                          a->mask->dtype == DTYPE_BOOL ? "    score += X3(%s) != 0 ? 0 : BOTTOM;\n"
                                                       : "    score += X3(%s);\n",
                          strbuf_cstr(&at));
    }
    if (a->is_causal)
        oracle_kernel_add(k, "    if (i %% %lld > i / %lld %% %lld)\n        score = BOTTOM;\n",
                          (long long)a->keys, (long long)a->keys, (long long)a->queries);
    strbuf_release(&at);
}

static void write_scores(struct oracle_kernel *k, const struct attention *a, int64_t scores)
{
    long long keys = a->keys, queries = a->queries, group = a->group;

    oracle_kernel_begin(k, scores);
    oracle_kernel_add(k,
                      "    const int from0 = i / %lld * %lld;\n"
                      "    const int from1 = (i / %lld / %lld * %lld + i %% %lld) * %lld;\n"
                      "    SCORE\n",
                      keys, (long long)a->width, keys * queries, group, keys, keys,
                      (long long)a->width);
    oracle_kernel_add(k, "    off += WEIGHT_STORED(score);\n");
    mask_score(k, a);
    oracle_kernel_add(k, "    state[i] = score;\n    state[SCORES + i] = off;\n");
    oracle_kernel_end(k);
}

static void write_step(struct oracle_kernel *k, int64_t work_items, const char *step)
{
    oracle_kernel_begin(k, work_items);
    oracle_kernel_add(k, "    %s\n", step);
    oracle_kernel_end(k);
}

static void write_result(struct oracle_kernel *k, const struct attention *a)
{
    long long width = a->out_width, shared = a->queries * a->group;

    oracle_kernel_begin(k, shape_elements(&k->call.out->shape));
    oracle_kernel_add(
        k, "    const int from2 = i / %lld / %lld * %lld + i %% %lld;\n    WEIGHTED\n    ", width,
        shared, (long long)a->keys * width, width);
    oracle_kernel_store(k, "i", "y", "v");
    oracle_kernel_add(k, "\n");
    oracle_kernel_end(k);
}

static void define(struct oracle_kernel *k, const struct attention *a, int64_t scores)
{
    oracle_kernel_add(k,
                      "#define SCORES %lldL\n#define KEYS %lld\n#define WIDTH %lld\n"
                      "#define OUT_WIDTH %lld\n#define SCALE %.17g\n"
                      "#define Q(j) X0(from0 + j)\n#define VQ(j) V0(from0 + j)\n"
                      "#define K(j) X1(from1 + j)\n#define VK(j) V1(from1 + j)\n"
                      "#define VALUE(j) X2(from2 + j * OUT_WIDTH)\n"
                      "#define V_VALUE(j) V2(from2 + j * OUT_WIDTH)\n"
                      "#define WEIGHT_STORED(x) %s\n",
                      (long long)scores, (long long)a->keys, (long long)a->width,
                      (long long)a->out_width, a->scale,
                      k->writer->rounding ? "STORED_f32(x)" : "0.0");
}

static void undefine(struct oracle_kernel *k)
{
    oracle_kernel_add(k, "#undef SCORES\n#undef KEYS\n#undef WIDTH\n#undef OUT_WIDTH\n"
                         "#undef SCALE\n#undef Q\n#undef VQ\n#undef K\n#undef VK\n#undef VALUE\n"
                         "#undef V_VALUE\n#undef WEIGHT_STORED\n");
}

static bool write_attention(struct oracle_kernel *k)
{
    struct attention a = attention_of(&k->call);
    int64_t rows = a.heads * a.queries, scores = rows * a.keys;

    if (scores > INT32_MAX)
        return false;
    k->state = oracle_writer_take(k->writer, 2 * scores + ROW_STATE * rows);
    define(k, &a, scores);
    write_scores(k, &a, scores);
    write_step(k, rows, "SHARES");
    write_step(k, scores, "WEIGHT");
    write_result(k, &a);
    undefine(k);
    oracle_writer_give(k->writer, k->state);
    return true;
}

/* A pair of elements, a and b, is rotated: see op_attention.h. */
static bool write_rope(struct oracle_kernel *k)
{
    bool interleaved = op_attribute(&k->call, "interleaved")->integers[0];
    struct shape pairs = k->call.in[0]->shape;
    size_t last = pairs.rank - 1;
    long long width = pairs.dims[last], half = width / 2;
    struct strbuf angles[2] = {{0}, {0}};

    pairs.dims[last] = half;
    for (size_t f = 0; f < 2; f++)
        add_broadcast(&angles[f], "pair", &pairs, &k->call.in[1 + f]->shape);
    oracle_kernel_add(k, "#define ROPE_WIDTH %lld\n", width);
    oracle_kernel_begin(k, shape_elements(&k->call.out->shape));
    oracle_kernel_add(k, "    const int at = i %% %lld, row = i - at, is_second = %s;\n", width,
                      interleaved ? "at % 2" : "2 * at >= ROPE_WIDTH");
    oracle_kernel_add(k,
                      "    const int place = %s, a = row + %s, b = a + %lld;\n"
                      "    const int pair = row / 2 + place, f1 = %s, f2 = %s;\n",
                      interleaved ? "at / 2" : "at - is_second * (ROPE_WIDTH / 2)",
                      interleaved ? "2 * place" : "place", interleaved ? 1 : half,
                      strbuf_cstr(&angles[0]), strbuf_cstr(&angles[1]));
    oracle_kernel_add(k, "    const double y = is_second ? TURN(b, 1) + TURN(a, 2)\n"
                         "                               : TURN(a, 1) - TURN(b, 2);\n"
                         "    const double v = is_second ? TURN_OFF(b, 1) + TURN_OFF(a, 2)\n"
                         "                               : TURN_OFF(a, 1) + TURN_OFF(b, 2);\n    ");
    oracle_kernel_store(k, "i", "y", "v");
    oracle_kernel_add(k, "\n");
    oracle_kernel_end(k);
    oracle_kernel_add(k, "#undef ROPE_WIDTH\n");
    strbuf_release(&angles[0]);
    strbuf_release(&angles[1]);
    return true;
}

bool oracle_write_attention(struct oracle_kernel *kernel)
{
    return strcmp(kernel->call.op->name, "rope") == 0 ? write_rope(kernel)
                                                      : write_attention(kernel);
}
