#include "core/judge/device_oracle/oracle_kernel.h"

#include <string.h>

#include "core/base/array.h"
#include "core/judge/oracle/rounding/dependence.h"
#include "core/judge/oracle/walk.h"
#include "core/model/op/op_channelwise.h"

/* The count of numbers that are kept for each row (lines.cl). */
enum { STATE = 4 };

/* The longest row that is put in order by comparing each element with all others. */
enum { MOST_COMPARED = 1 << 14 };

/*
 * The lines of a call, as expressions: the first element of line `line`, and the distance of
 * element `j` from it.
 */
struct lines {
    int64_t count, n;
    struct strbuf start, distance;
};

static struct lines lines_of(const struct op_call *call)
{
    const struct shape *shape = &call->in[0]->shape;
    unsigned axes = call->op->axes(call);
    struct shape numbers = {0}, along = {0};
    ptrdiff_t strides[SHAPE_MAX_RANK], outer[SHAPE_MAX_RANK] = {0}, inner[SHAPE_MAX_RANK] = {0};
    struct lines lines = {0};

    shape_strides(shape, strides);
    for (size_t i = 0; i < shape->rank; i++) {
        struct shape *to = axes >> i & 1 ? &along : &numbers;

        (axes >> i & 1 ? inner : outer)[to->rank] = strides[i];
        to->dims[to->rank++] = shape->dims[i];
    }
    lines.count = shape_elements(&numbers);
    lines.n = shape_elements(&along);
    oracle_strided(&lines.start, "line", &numbers, outer);
    oracle_strided(&lines.distance, "(j)", &along, inner);
    return lines;
}

static void lines_release(struct lines *lines)
{
    strbuf_release(&lines->start);
    strbuf_release(&lines->distance);
}

static struct rounding_terms later_of(const struct oracle_kernel *k)
{
    const struct graph *graph = k->writer->graph;

    return k->writer->rounding
               ? dependence_later_product(graph, (size_t)(k->node - graph->nodes.items),
                                          k->writer->rounding)
               : (struct rounding_terms){0};
}

static void define(struct oracle_kernel *k, const struct lines *lines)
{
    const struct attribute *eps = op_attribute(&k->call, "eps");
    const struct attribute *correction = op_attribute(&k->call, "correction");
    struct rounding_terms later = later_of(k);

    oracle_kernel_add(k,
                      "#define N %lld\n#define X(j) X0(start + %s)\n#define V(j) V0(start + %s)\n"
                      "#define IS_MIXED %d\n#define IS_INTEGER %d\n#define EPS %.17g\n"
                      "#define CORRECTION %lld\n#define MOVES %d\n#define ERRS %d\n"
                      "#define LATER_INHERITED %.17g\n#define LATER_OWN %.17g\n"
                      "#define NORMALIZED ((double)N)\n",
                      (long long)lines->n, strbuf_cstr(&lines->distance),
                      strbuf_cstr(&lines->distance),
                      k->writer->rounding && k->writer->rounding->is_mixed,
                      !dtype_is_float(k->call.out->dtype), eps ? eps->number : 0,
                      correction ? (long long)correction->integers[0] : 0, oracle_kernel_moves(k),
                      k->writer->errs && k->rule->errs_itself, later.inherited, later.own);
}

static void undefine(struct oracle_kernel *k)
{
    oracle_kernel_add(k, "#undef N\n#undef X\n#undef V\n#undef IS_MIXED\n#undef IS_INTEGER\n"
                         "#undef EPS\n#undef CORRECTION\n#undef MOVES\n#undef ERRS\n"
                         "#undef LATER_INHERITED\n#undef LATER_OWN\n"
                         "#undef NORMALIZED\n");
}

static void add_start(struct oracle_kernel *k, const char *line, const struct lines *lines)
{
    oracle_kernel_add(k, "    const INDEX line = %s, start = %s;\n", line,
                      strbuf_cstr(&lines->start));
}

/* The result of a reduction or a scan as an expression, with the error that a line shares. */
static const char *statistic_of(const struct oracle_kernel *k)
{
    return oracle_kernel_moves(k) ? "(y + MOVED(sqrt(v)))" : "y";
}

static void write_reduction(struct oracle_kernel *k, const struct lines *lines)
{
    oracle_kernel_begin(k, lines->count);
    add_start(k, "i", lines);
    oracle_kernel_add(k, "    double y = 0, v = 0;\n    {\n        LINE_%s\n    }\n    ",
                      k->call.op->name);
    oracle_kernel_store(k, "i", statistic_of(k), "v");
    oracle_kernel_add(k, "\n");
    oracle_kernel_end(k);
}

/*
 * Few long lines are divided among work-items, into at most MOST_PARTS parts of at least LEAST_PART
 * elements each.
 */
enum { LONG_LINE = 1 << 16, MOST_LINES = 1 << 14, LEAST_PART = 4096, MOST_PARTS = 1 << 15 };
enum { MOST_WORK_ITEMS = 1 << 20 };

/*
 * A part writes PART_NUMBERS numbers of its operation, then SUM_NUMBERS for each of its sums
 * (parts.cl).
 */
enum { PART_NUMBERS = 5, SUM_NUMBERS = 8 };

/*
 * The steps for each part of a line; each step is a kernel, and WHOLE_op merges the parts
 * (parts.cl).
 */
struct divided {
    const char *op;
    int sums;
    const char *steps[5];
};

/*
 * Products are not divided: a product over a part can exceed the range of a double although every
 * product from the line's beginning stays within it.
 */
static const struct divided divided_ops[] = {
    {"sum", 1, {"PART_SUMS(x, SPREAD_sum)", "PART_DRIFT(x) PART_TURN(x)"}},
    {"mean", 2, {"PART_SUMS(x, SPREAD_sum)", "PART_DRIFTS(x, 1.0 / N)"}},
    {"cumsum", 1, {"PART_SUMS(x, SPREAD_cumsum)", "PART_DRIFT(x)", "WHOLE_cumsum"}},
    {"softmax",
     2,
     {"PART_MOST", "SHIFT_softmax PART_SUMS(SHIFTED, SPREAD_softmax)",
      "SHIFT_softmax PART_DRIFTS(SHIFTED, 1 / TOTAL_OF_PARTS)"}},
    {"log_softmax",
     2,
     {"PART_MOST", "PART_TOTAL", "SHIFT_log_softmax PART_SUMS(SHIFTED, SPREAD_softmax)",
      "SHIFT_log_softmax PART_DRIFTS(SHIFTED, exp(log_total))"}},
    {"logsumexp",
     2,
     {"PART_MOST", "PART_TOTAL", "SHIFT_logsumexp PART_SUMS(SHIFTED, SPREAD_logsumexp)",
      "SHIFT_logsumexp PART_DRIFTS(SHIFTED, exp(log_total))"}},
    {"max", 0, {"PART_EXTREME(+)", "PART_VARIANCE(+)"}},
    {"min", 0, {"PART_EXTREME(-)", "PART_VARIANCE(-)"}},
    {"argmax", 0, {"PART_EXTREME(+)", "PART_DISTANCE(+)"}},
    {"argmin", 0, {"PART_EXTREME(-)", "PART_DISTANCE(-)"}},
    {"var", 3, {"PART_MOMENTS", "PART_CENTRED(1)", "PART_MOMENTS_DRIFT(1)"}},
    {"layer_norm", 3, {"PART_MOMENTS", "PART_CENTRED(1)", "PART_MOMENTS_DRIFT(1)"}},
    {"rms_norm",
     4,
     {"PART_MOMENTS", "PART_CENTRED(0)", "PART_MOMENTS_DRIFT(0)", "PART_SCALED_DRIFT"}},
};

/*
 * The steps by which an operation's lines are divided; NULL if a work-item processes a whole line.
 */
static const struct divided *divided_of(const char *op, const struct lines *lines)
{
    if (lines->n < LONG_LINE || lines->count > MOST_LINES)
        return NULL;
    for (size_t i = 0; i < COUNT(divided_ops); i++)
        if (strcmp(op, divided_ops[i].op) == 0)
            return &divided_ops[i];
    return NULL;
}

bool oracle_lines_have_parts(const struct op_call *call)
{
    struct lines lines = lines_of(call);
    bool found = divided_of(call->op->name, &lines) != NULL;

    lines_release(&lines);
    return found;
}

static int64_t count_parts(const struct lines *lines)
{
    int64_t parts = lines->n / LEAST_PART, most = MOST_WORK_ITEMS / lines->count;

    most = most < MOST_PARTS ? most : MOST_PARTS;
    return parts < most ? parts : most;
}

static int part_state(const struct divided *divided)
{
    return PART_NUMBERS + divided->sums * SUM_NUMBERS;
}

/* Begin a kernel whose work-item `i` works on line `line`, which is an expression. */
static void begin_of_parts(struct oracle_kernel *k, const struct lines *lines, int64_t work_items,
                           const char *line)
{
    oracle_kernel_begin(k, work_items);
    add_start(k, line, lines);
    oracle_kernel_add(k,
                      "    __global double *parts = state + line * (LINE_PARTS * PART_STATE);\n");
}

/* Write the kernels in which a work-item does one part of a line. */
static void write_parts(struct oracle_kernel *k, const struct lines *lines,
                        const struct divided *divided)
{
    int64_t parts = count_parts(lines);

    k->state = oracle_writer_take(k->writer, lines->count * parts * part_state(divided));
    oracle_kernel_add(k,
                      "#define LINE_PARTS %lld\n#define PART_STATE %d\n"
                      "#define PART_NUMBERS %d\n#define SUM_NUMBERS %d\n",
                      (long long)parts, part_state(divided), PART_NUMBERS, SUM_NUMBERS);
    for (size_t s = 0; s < COUNT(divided->steps) && divided->steps[s]; s++) {
        begin_of_parts(k, lines, lines->count * parts, "i / LINE_PARTS");
        oracle_kernel_add(k, "    const int part = i %% LINE_PARTS;\n    %s\n", divided->steps[s]);
        oracle_kernel_end(k);
    }
}

static void end_parts(struct oracle_kernel *k)
{
    oracle_kernel_add(k, "#undef LINE_PARTS\n#undef PART_STATE\n#undef PART_NUMBERS\n"
                         "#undef SUM_NUMBERS\n");
}

static void write_reduction_in_parts(struct oracle_kernel *k, const struct lines *lines,
                                     const struct divided *divided)
{
    write_parts(k, lines, divided);
    begin_of_parts(k, lines, lines->count, "i");
    oracle_kernel_add(k, "    double y = 0, v = 0;\n    {\n        WHOLE_%s\n    }\n    ",
                      divided->op);
    oracle_kernel_store(k, "i", statistic_of(k), "v");
    oracle_kernel_add(k, "\n");
    oracle_kernel_end(k);
    end_parts(k);
    oracle_writer_give(k->writer, k->state);
}

/* Write a scan. The steps of a divided line store the running results as well. */
static void write_scan(struct oracle_kernel *k, const struct lines *lines,
                       const struct divided *divided)
{
    struct strbuf at = {0};

    strbuf_addf(&at, "start + %s", strbuf_cstr(&lines->distance));
    oracle_kernel_add(k, "#define STORE(j) ");
    oracle_kernel_store(k, strbuf_cstr(&at), statistic_of(k), "v");
    oracle_kernel_add(k, "\n");
    if (divided) {
        write_parts(k, lines, divided);
        end_parts(k);
        oracle_writer_give(k->writer, k->state);
    } else {
        oracle_kernel_begin(k, lines->count);
        add_start(k, "i", lines);
        oracle_kernel_add(k, "    SCAN_%s\n", k->call.op->name);
        oracle_kernel_end(k);
    }
    oracle_kernel_add(k, "#undef STORE\n");
    strbuf_release(&at);
}

/*
 * Define macros for the element and the variance of a weight or bias: operand `operand` at index
 * `at`, if the call has it.
 */
static void define_weight(struct oracle_kernel *k, const char *name, size_t operand, const char *at)
{
    const char *neutral = strcmp(name, "W") == 0 ? "1.0" : "0.0";

    if (operand)
        oracle_kernel_add(k, "#define %s(j) X%zu(%s)\n#define V%s(j) V%zu(%s)\n", name, operand, at,
                          name, operand, at);
    else
        oracle_kernel_add(k, "#define %s(j) %s\n#define V%s(j) 0.0\n", name, neutral, name);
}

/* Define macros for weight and bias, given by the numbers of their operands; 0 if there is none. */
static void define_weights(struct oracle_kernel *k, size_t weight, size_t bias, const char *at)
{
    define_weight(k, "W", weight, at);
    define_weight(k, "B", bias, at);
}

static void undefine_weights(struct oracle_kernel *k)
{
    oracle_kernel_add(k, "#undef W\n#undef VW\n#undef B\n#undef VB\n");
}

/* Store the numbers that macro `make` computes for row `i` into `to`. */
static void add_row_numbers(struct oracle_kernel *k, const char *make, const char *op,
                            const char *to)
{
    oracle_kernel_add(k,
                      "    double st[%d] = {0};\n    {\n        %s%s\n    }\n"
                      "    for (int s = 0; s < %d; s++)\n        %s[s] = st[s];\n",
                      STATE, make, op, STATE, to);
}

/*
 * Write kernels that compute the numbers of each row. Returns the distance between the rows'
 * numbers in the state: for a divided row they replace those of its first part.
 */
static int64_t write_numbers(struct oracle_kernel *k, const struct lines *lines, const char *op)
{
    const struct divided *divided = divided_of(op, lines);

    if (!divided) {
        k->state = oracle_writer_take(k->writer, lines->count * STATE);
        oracle_kernel_begin(k, lines->count);
        add_start(k, "i", lines);
        oracle_kernel_add(k, "    __global double *row = state + i * %d;\n", STATE);
        add_row_numbers(k, "ROW_", op, "row");
        oracle_kernel_end(k);
        return STATE;
    }
    write_parts(k, lines, divided);
    begin_of_parts(k, lines, lines->count, "i");
    add_row_numbers(k, "WHOLE_", op, "parts");
    oracle_kernel_end(k);
    end_parts(k);
    return count_parts(lines) * part_state(divided);
}

/*
 * Write kernels that process the rows, and one that computes each element from the numbers of its
 * row.
 */
static void write_rows(struct oracle_kernel *k, const struct lines *lines)
{
    const char *name = k->call.op->name;
    bool is_norm = strstr(name, "norm") != NULL;
    struct strbuf at = {0};
    int64_t distance;

    define_weights(k, is_norm && k->call.in_count > 1, is_norm && k->call.in_count > 2 ? 2 : 0,
                   "j");
    distance = write_numbers(k, lines, name);
    oracle_kernel_begin(k, lines->count * lines->n);
    oracle_kernel_add(k, "    const INDEX j = i %% N;\n");
    add_start(k, "i / N", lines);
    oracle_kernel_add(k,
                      "    __global const double *st = state + line * %lld;\n    double y, v;\n"
                      "    {\n        ELEMENT_%s\n    }\n    ",
                      (long long)distance, is_norm ? "norm" : name);
    strbuf_addf(&at, "start + %s", strbuf_cstr(&lines->distance));
    oracle_kernel_store(k, strbuf_cstr(&at), "y", "v");
    oracle_kernel_add(k, "\n");
    oracle_kernel_end(k);
    oracle_writer_give(k->writer, k->state);
    undefine_weights(k);
    strbuf_release(&at);
}

/*
 * Write a kernel that counts the elements before each one. Where elements may change places the CPU
 * finds the variances.
 */
static bool write_order(struct oracle_kernel *k, const struct lines *lines)
{
    bool is_falling = op_attribute(&k->call, "descending")->integers[0] != 0;
    const struct oracle_place *in = &k->writer->places[k->node->in[0]];
    struct strbuf at = {0};

    if (in->variances != NO_BUFFER || in->function || lines->n > MOST_COMPARED)
        return false;
    oracle_kernel_begin(k, lines->count * lines->n);
    oracle_kernel_add(k, "    const INDEX own = i %% N;\n    INDEX place = 0;\n");
    add_start(k, "i / N", lines);
    oracle_kernel_add(k,
                      "    const double x = X(own);\n"
                      "    LINE(const double other = X(j);\n"
                      "         const int is_tie = other == x || (is_nan(other) && is_nan(x));\n"
                      "         place += is_tie ? j < own : is_nan(%s) || (!is_nan(%s) && other %c "
                      "x);)\n"
                      "    const INDEX j = place;\n    ",
                      is_falling ? "other" : "x", is_falling ? "x" : "other",
                      is_falling ? '>' : '<');
    strbuf_addf(&at, "start + %s", strbuf_cstr(&lines->distance));
    oracle_kernel_store(k, strbuf_cstr(&at), "(double)own", "0.0");
    oracle_kernel_add(k, "\n");
    oracle_kernel_end(k);
    strbuf_release(&at);
    return true;
}

bool oracle_write_lines(struct oracle_kernel *kernel)
{
    bool is_written = true;
    struct lines lines = lines_of(&kernel->call);
    const struct divided *divided = divided_of(kernel->call.op->name, &lines);

    define(kernel, &lines);
    if (kernel->call.op->kind == OP_REDUCTION && divided)
        write_reduction_in_parts(kernel, &lines, divided);
    else if (kernel->call.op->kind == OP_REDUCTION)
        write_reduction(kernel, &lines);
    else if (strcmp(kernel->call.op->name, "argsort") == 0)
        is_written = write_order(kernel, &lines);
    else if (strstr(kernel->call.op->name, "cum"))
        write_scan(kernel, &lines, divided);
    else
        write_rows(kernel, &lines);
    undefine(kernel);
    lines_release(&lines);
    return is_written;
}

/* Write batch norm, whose operands include the statistics of each channel. */
static int64_t write_given(struct oracle_kernel *k, const struct lines *lines)
{
    k->state = oracle_writer_take(k->writer, lines->count * STATE);
    oracle_kernel_add(k, "#undef NORMALIZED\n#define NORMALIZED (double)INFINITY\n");
    oracle_kernel_begin(k, lines->count);
    oracle_kernel_add(k,
                      "    const int c = i %% %lld, line = i;\n    double st[%d];\n"
                      "    const double mean = X1(c), mean_square = X2(c);\n"
                      "    const double square_variance = V2(c);\n"
                      "    const double mean_variance = V1(c) + UNIT_VARIANCE * mean * mean;\n"
                      "    NORM_FROM(mean, mean_variance, mean_square, square_variance)\n"
                      "    for (int s = 0; s < %d; s++)\n        state[i * %d + s] = st[s];\n",
                      (long long)channel_norm_of(&k->call).groups, STATE, STATE, STATE);
    oracle_kernel_end(k);
    return STATE;
}

/* A group of channels of one sample is contiguous, so it is a line. */
bool oracle_write_channels(struct oracle_kernel *kernel)
{
    struct channel_norm norm = channel_norm_of(&kernel->call);
    struct lines lines = {.count = norm.samples * norm.groups,
                          .n = norm.channels / norm.groups * norm.space};
    struct strbuf channel = {0};
    int64_t distance;

    strbuf_addf(&lines.start, "line * %lld", (long long)lines.n);
    strbuf_adds(&lines.distance, "(j)");
    strbuf_addf(&channel, "i / %lld %% %lld", (long long)norm.space, (long long)norm.channels);
    define(kernel, &lines);
    define_weights(kernel, norm.weight, norm.bias, strbuf_cstr(&channel));
    distance = norm.has_statistics ? write_given(kernel, &lines)
                                   : write_numbers(kernel, &lines, "layer_norm");
    oracle_kernel_begin(kernel, lines.count * lines.n);
    oracle_kernel_add(kernel,
                      "    const INDEX j = i %% N, start = i - j;\n"
                      "    __global const double *st = state + i / N * %lld;\n    double y, v;\n"
                      "    {\n        ELEMENT_norm\n    }\n    ",
                      (long long)distance);
    oracle_kernel_store(kernel, "i", "y", "v");
    oracle_kernel_add(kernel, "\n");
    oracle_kernel_end(kernel);
    oracle_writer_give(kernel->writer, kernel->state);
    undefine_weights(kernel);
    undefine(kernel);
    strbuf_release(&channel);
    lines_release(&lines);
    return true;
}
