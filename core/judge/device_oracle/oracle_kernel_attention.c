#include "core/judge/device_oracle/oracle_kernel_tiles.h"

#include <string.h>

#include "core/judge/oracle/rounding/alike.h"
#include "core/judge/oracle/walk.h"
#include "core/model/op/op_attention.h"

/* The count of numbers that are kept for each row of scores (attention.cl). */
enum { ROW_STATE = 7 };

/*
 * Append the index into an operand that is broadcast to `shape`, for the element with the row-major
 * index `number`.
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

/* The number of sums that each element of a product needs. */
static int sums_of(const struct oracle_kernel *k)
{
    return oracle_writer_spreads(k->writer) ? 3 : 1;
}

static void write_scores(struct oracle_kernel *k, const struct attention *a)
{
    const struct oracle_tiles tiles = {.matrices = a->heads,
                                       .rows = a->queries,
                                       .columns = a->keys,
                                       .depth = a->width,
                                       .sums = sums_of(k),
                                       .a_along = true,
                                       .b_along = true,
                                       .declare = "",
                                       .a = "QUERY_TERMS",
                                       .b = "KEY_TERMS"};

    oracle_tiles_begin(k, &tiles);
    oracle_kernel_add(k, "    SCORE\n    off += WEIGHT_STORED(score);\n");
    mask_score(k, a);
    oracle_kernel_add(k, "    state[i] = score;\n    state[SCORES + i] = off;\n");
    oracle_tiles_end(k);
}

static void write_step(struct oracle_kernel *k, int64_t work_items, const char *step)
{
    oracle_kernel_begin(k, work_items);
    oracle_kernel_add(k, "    %s\n", step);
    oracle_kernel_end(k);
}

static void write_result(struct oracle_kernel *k, const struct attention *a)
{
    const struct oracle_tiles tiles = {.matrices = a->heads,
                                       .rows = a->queries,
                                       .columns = a->out_width,
                                       .depth = a->keys,
                                       .sums = sums_of(k),
                                       .a_along = true,
                                       .declare = "",
                                       .a = "WEIGHT_TERMS",
                                       .b = "VALUE_TERMS"};

    oracle_tiles_begin(k, &tiles);
    oracle_kernel_add(k, "    WEIGHTED\n    ");
    oracle_kernel_store(k, "i", "y", "v");
    oracle_kernel_add(k, "\n");
    oracle_tiles_end(k);
}

/* True if variances depend on equal terms (rounding/alike.h). */
static bool has_alike(const struct oracle_kernel *k, const struct attention *a)
{
    return oracle_writer_spreads(k->writer) && a->keys >= ALIKE_LEAST_TERMS;
}

static void define(struct oracle_kernel *k, const struct attention *a, int64_t scores)
{
    oracle_kernel_add(k,
                      "#define SCORES %lldL\n#define KEYS %lld\n#define QUERIES %lld\n"
                      "#define GROUP %lld\n#define WIDTH %lld\n#define OUT_WIDTH %lld\n"
                      "#define SCALE %.17g\n#define WEIGHT_STORED(x) %s\n#define SPREADS %d\n"
                      "#define ROWS_OF_SCORES %lld\n#define ALIKES %d\n",
                      (long long)scores, (long long)a->keys, (long long)a->queries,
                      (long long)a->group, (long long)a->width, (long long)a->out_width, a->scale,
                      k->writer->rounding ? "STORED_f32(x)" : "0.0",
                      oracle_writer_spreads(k->writer), (long long)a->heads * a->queries,
                      has_alike(k, a));
}

static void undefine(struct oracle_kernel *k)
{
    oracle_kernel_add(k, "#undef SCORES\n#undef KEYS\n#undef QUERIES\n#undef GROUP\n"
                         "#undef WIDTH\n#undef OUT_WIDTH\n#undef SCALE\n"
                         "#undef WEIGHT_STORED\n#undef SPREADS\n#undef ROWS_OF_SCORES\n"
                         "#undef ALIKES\n");
}

static bool write_attention(struct oracle_kernel *k)
{
    struct attention a = attention_of(&k->call);
    int64_t rows = a.heads * a.queries, scores = rows * a.keys;
    int64_t columns = a.heads / a.group * a.out_width;

    if (scores > INT32_MAX)
        return false;
    k->state = oracle_writer_take(k->writer, 2 * scores + ROW_STATE * rows + 2 * columns);
    define(k, &a, scores);
    write_scores(k, &a);
    write_step(k, rows, "SHARES");
    write_step(k, scores, "WEIGHT");
    write_step(k, rows, "WEIGHTS");
    if (has_alike(k, &a))
        write_step(k, columns, "ALIKE_VALUES");
    write_result(k, &a);
    undefine(k);
    oracle_writer_give(k->writer, k->state);
    return true;
}

/* Write the rotation of a pair of elements, a and b (op_attention.h). */
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
