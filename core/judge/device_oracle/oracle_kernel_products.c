#include "core/judge/device_oracle/oracle_kernel_sums.h"
#include "core/judge/device_oracle/oracle_kernel_tiles.h"

#include <stdio.h>
#include <string.h>

#include "core/judge/oracle/products/spread_vector.h"
#include "core/judge/oracle/walk.h"
#include "core/model/op/op_convolution.h"
#include "core/model/op/op_product.h"

/* Begin a kernel in which each work-item computes one element. */
static void begin_sums(struct oracle_kernel *k, const struct oracle_sums *sums)
{
    struct strbuf ratio = {0};

    oracle_sums_begin(k, sums);
    oracle_sums_declare_ratio(&ratio, oracle_sums_have_ratio(k));
    oracle_kernel_begin(k, shape_elements(&k->call.out->shape));
    oracle_kernel_add(k, "    %s\n    PRODUCT_START\n", strbuf_cstr(&ratio));
    strbuf_release(&ratio);
}

static void end_sums(struct oracle_kernel *k, bool has_bias, const char *at)
{
    oracle_sums_store(k, has_bias, at);
    oracle_kernel_end(k);
    oracle_sums_undefine(k);
}

/* Append the declaration of the first element of the operand's matrix for `matrix`. */
static void add_matrix(struct strbuf *out, size_t operand, const struct walk *walk,
                       int64_t elements)
{
    strbuf_addf(out, "const INDEX from%zu = ", operand);
    oracle_strided(out, "matrix", &walk->shape, walk->strides[operand]);
    strbuf_addf(out, " * %lld; ", (long long)elements);
}

/* Describe the tiles of a product; `texts` receives the statements, which the result borrows. */
static struct oracle_tiles make_tiles(const struct oracle_kernel *k, struct strbuf texts[3])
{
    struct product p = product_of(&k->call);
    struct walk walk = walk_matrices(&k->call);
    long long m = p.m, n = p.n, depth = p.k;
    int terms = !oracle_writer_spreads(k->writer) ? 1 : oracle_sums_have_ratio(k) ? 3 : 2;
    char at[64];

    add_matrix(&texts[0], 0, &walk, p.m * p.k);
    add_matrix(&texts[0], 1, &walk, p.k * p.n);
    snprintf(at, sizeof(at), "row * %lld + k * %lld", p.a_transposed ? 1 : depth,
             p.a_transposed ? m : 1);
    oracle_sums_add_terms(&texts[1], 0, at, terms);
    snprintf(at, sizeof(at), "k * %lld + column * %lld", p.b_transposed ? 1 : n,
             p.b_transposed ? depth : 1);
    oracle_sums_add_terms(&texts[2], 1, at, terms);
    return (struct oracle_tiles){.matrices = shape_elements(&k->call.out->shape) / (m * n),
                                 .rows = m,
                                 .columns = n,
                                 .depth = depth,
                                 .sums = terms,
                                 .a_along = !p.a_transposed,
                                 .b_along = p.b_transposed,
                                 .declare = strbuf_cstr(&texts[0]),
                                 .a = strbuf_cstr(&texts[1]),
                                 .b = strbuf_cstr(&texts[2]),
                                 .skips_last = "ratio != 0",
                                 .room = oracle_sums_have_ratio(k) ? ORACLE_RATIO_STATE : 0,
                                 .may_divide = true};
}

/*
 * Declare the variance of the partial sums of a product with one row or column. Returns its name,
 * or 0 for other products.
 */
static const char *add_excess(struct oracle_kernel *k)
{
    struct product p = product_of(&k->call);

    if (!oracle_writer_spreads(k->writer) || !spread_vector_is(&k->call))
        return "0";
    oracle_kernel_add(k,
                      "#define PRODUCT(k) X0(from0 + row * %lld + (k) * %lld) * "
                      "X1(from1 + (k) * %lld + column * %lld)\n            VECTOR_EXCESS\n",
                      (long long)(p.a_transposed ? 1 : p.k), (long long)(p.a_transposed ? p.m : 1),
                      (long long)(p.b_transposed ? 1 : p.n), (long long)(p.b_transposed ? p.k : 1));
    return "excess";
}

/* The rows of the first operand, or the columns of the second. */
static struct oracle_alike rows_of(const struct op_call *call, size_t operand)
{
    struct product p = product_of(call);
    bool is_along = operand == 0 ? !p.a_transposed : p.b_transposed;
    int64_t rows = operand == 0 ? p.m : p.n;
    struct oracle_alike alike = {
        .matrices = shape_elements(&call->in[operand]->shape) / (rows * p.k), .size = rows * p.k};

    alike.rows.rows = (size_t)rows;
    alike.rows.row_step = (size_t)(is_along ? p.k : 1);
    alike.rows.step = (size_t)(is_along ? 1 : rows);
    alike.rows.n = (size_t)p.k;
    snprintf(alike.index, sizeof(alike.index), "from%zu / %lld + %s", operand, (long long)p.k,
             operand == 0 ? "row" : "column");
    return alike;
}

static struct oracle_sums sums_of(const struct op_call *call, const struct oracle_tiles *tiles)
{
    struct product p = product_of(call);

    return (struct oracle_sums){.terms = (double)p.k,
                                .growth = oracle_product_growth(p.m, p.n, p.k),
                                .room = oracle_tiles_room(tiles),
                                .alike = {rows_of(call, 0), rows_of(call, 1)}};
}

bool oracle_write_product(struct oracle_kernel *kernel)
{
    const bool has_bias = kernel->call.in_count > 2;
    struct strbuf texts[3] = {{0}};
    struct oracle_tiles tiles;
    struct oracle_sums sums;

    oracle_sums_declare_ratio(&texts[0], oracle_sums_have_ratio(kernel));
    tiles = make_tiles(kernel, texts);
    sums = sums_of(&kernel->call, &tiles);
    oracle_sums_begin(kernel, &sums);
    oracle_tiles_begin(kernel, &tiles);
    oracle_sums_store_tiles(kernel, has_bias, "column", add_excess(kernel));
    oracle_tiles_end(kernel);
    oracle_kernel_add(kernel, "#undef PRODUCT\n");
    oracle_sums_undefine(kernel);
    for (size_t i = 0; i < 3; i++)
        strbuf_release(&texts[i]);
    return true;
}

/*
 * Open the loops over a window. They declare `at`, the index into a channel of the operand, and
 * `tap`, the index into the window; o0, o1 and o2 are the coordinates of the result.
 */
static void open_window(struct oracle_kernel *k, const struct window *window)
{
    for (size_t d = 0; d < WINDOW_AXES; d++) {
        const struct window_axis *a = &window->axes[d];
        long long in = a->in, out = a->out, stride = a->stride, padding = a->padding;

        oracle_kernel_add(k, "    for (int k%zu = 0; k%zu < %lld; k%zu++) {\n", d, d,
                          (long long)a->kernel, d);
        if (window->kind == WINDOW_ADAPTIVE)
            oracle_kernel_add(k,
                              "    const int at%zu = (int)((long)o%zu * %lld / %lld) + k%zu;\n"
                              "    if ((long)at%zu * %lld >= (long)(o%zu + 1) * %lld)\n"
                              "        continue;\n",
                              d, d, in, out, d, d, out, d, in);
        else if (window->kind == WINDOW_TRANSPOSED)
            oracle_kernel_add(k,
                              "    const int t%zu = o%zu + %lld - k%zu * %lld;\n"
                              "    const int at%zu = t%zu / %lld;\n"
                              "    if (t%zu < 0 || t%zu %% %lld != 0 || at%zu >= %lld)\n"
                              "        continue;\n",
                              d, d, padding, d, (long long)a->dilation, d, d, stride, d, d, stride,
                              d, in);
        else
            oracle_kernel_add(k,
                              "    const int at%zu = o%zu * %lld - %lld + k%zu * %lld;\n"
                              "    if (at%zu < 0 || at%zu >= %lld)\n        continue;\n",
                              d, d, stride, padding, d, (long long)a->dilation, d, d, in);
    }
    oracle_kernel_add(k,
                      "    const INDEX at = ((INDEX)at0 * %lld + at1) * %lld + at2;\n"
                      "    const int tap = (k0 * %lld + k1) * %lld + k2;\n",
                      (long long)window->axes[1].in, (long long)window->axes[2].in,
                      (long long)window->axes[1].kernel, (long long)window->axes[2].kernel);
}

/*
 * Declare the coordinates of the result, and `map`, the number of its channel counted over all
 * samples.
 */
static void add_place(struct oracle_kernel *k, const struct window *window)
{
    const struct window_axis *a = window->axes;
    long long width = a[2].out, area = a[1].out * width, volume = a[0].out * area;

    oracle_kernel_add(k,
                      "    const INDEX o2 = i %% %lld, o1 = i / %lld %% %lld;\n"
                      "    const INDEX o0 = i / %lld %% %lld, map = i / %lld;\n",
                      width, width, (long long)a[1].out, area, (long long)a[0].out, volume);
}

static int64_t volume_of(const struct window *window)
{
    return window->axes[0].in * window->axes[1].in * window->axes[2].in;
}

bool oracle_write_convolution(struct oracle_kernel *kernel)
{
    struct convolution c = convolution_of(&kernel->call);
    const struct window_axis *a = c.window.axes;
    long long in = c.in_channels, out = c.out_channels, groups = c.groups;
    long long window = a[0].kernel * a[1].kernel * a[2].kernel;
    bool is_transposed = c.window.kind == WINDOW_TRANSPOSED;

    struct oracle_sums sums = {.terms = (double)in * (double)window,
                               .growth = oracle_convolution_growth(&c)};

    if (oracle_write_convolution_tiles(kernel))
        return true;
    oracle_sums_set_rows(&c, sums.alike);
    snprintf(sums.alike[0].index, sizeof(sums.alike[0].index), "sample * %lld + group", groups);
    snprintf(sums.alike[1].index, sizeof(sums.alike[1].index), "channel");
    begin_sums(kernel, &sums);
    add_place(kernel, &c.window);
    oracle_kernel_add(kernel,
                      "    const INDEX channel = map %% %lld, sample = map / %lld;\n"
                      "    const INDEX group = channel / %lld;\n"
                      "    for (int c = 0; c < %lld; c++) {\n"
                      "    const INDEX from = ((sample * %lld + group) * %lld + c) * %lld;\n",
                      out * groups, out * groups, out, in, groups, in,
                      (long long)volume_of(&c.window));
    if (is_transposed)
        oracle_kernel_add(
            kernel,
            "    const int weights = ((group * %lld + c) * %lld + channel %% %lld) * %lld;\n", in,
            out, out, window);
    else
        oracle_kernel_add(kernel, "    const int weights = (channel * %lld + c) * %lld;\n", in,
                          window);
    open_window(kernel, &c.window);
    oracle_kernel_add(kernel, "    PRODUCT_ADD(X0(from + at), V0(from + at), X1(weights + tap), "
                              "V1(weights + tap))\n    }}}}\n");
    end_sums(kernel, c.bias != NULL, "channel");
    return true;
}

/* Declare `count`, the number of window elements that lie in the operand or in its padding. */
static void add_padded_count(struct oracle_kernel *k, const struct window *window)
{
    oracle_kernel_add(k, "    count = 1;\n");
    for (size_t d = 0; d < WINDOW_AXES; d++) {
        const struct window_axis *a = &window->axes[d];
        long long padded = a->in + 2 * a->padding;

        oracle_kernel_add(k, "    count *= fmin(%lld.0, (double)(%lld - o%zu * %lld));\n",
                          (long long)a->kernel, padded, d, (long long)a->stride);
    }
}

/* The formulas are those of oracle_pooling.c. */
bool oracle_write_pooling(struct oracle_kernel *kernel)
{
    const struct attribute *padding = op_attribute(&kernel->call, "count_include_pad");
    struct window window = window_of(&kernel->call);
    bool is_max = strstr(kernel->call.op->name, "max") != NULL;
    const struct window_axis *a = window.axes;
    long long taps = a[0].kernel * a[1].kernel * a[2].kernel;
    bool is_shared = !kernel->writer->rounding || !kernel->writer->rounding->is_mixed;

    oracle_kernel_begin(kernel, shape_elements(&kernel->call.out->shape));
    add_place(kernel, &window);
    oracle_kernel_add(kernel,
                      "    const INDEX from = map * %lld;\n    const double taps = %lld;\n"
                      "    double total = 0, most = BOTTOM, mixed = 0, widest_of = BOTTOM;\n"
                      "    double count = 0, deviations = 0;\n",
                      (long long)volume_of(&window), taps);
    open_window(kernel, &window);
    oracle_kernel_add(kernel, "    const double x = X0(from + at), vx = V0(from + at);\n"
                              "    total += x;\n    most = is_nan(x) || x > most ? x : most;\n"
                              "    mixed += UNIT * UNIT * (taps + 4) * x * x;\n"
                              "    widest_of = vx > widest_of ? vx : widest_of;\n    count++;\n");
    oracle_kernel_add(kernel, "    %s;\n    }}}\n",
                      is_shared ? "deviations += sqrt(vx)" : "mixed += vx");
    if (padding && padding->integers[0])
        add_padded_count(kernel, &window);
    oracle_kernel_add(kernel, "    const double y = %s;\n", is_max ? "most" : "total / count");
    oracle_kernel_add(kernel, "    double v = %s;\n    ",
                      is_max ? "widest_of" : "mixed / count / count");
    if (!is_max)
        oracle_kernel_add(kernel, "    v += sum_bias(y, v / (UNIT * UNIT * (taps + 4)), taps) +\n"
                                  "        UNIT_VARIANCE * taps / 2 * y * y +\n"
                                  "        deviations * deviations / count / count;\n    ");
    oracle_kernel_store(kernel, "i", "y", "v");
    oracle_kernel_add(kernel, "\n");
    oracle_kernel_end(kernel);
    return true;
}
