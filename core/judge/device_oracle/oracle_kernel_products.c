#include "core/judge/device_oracle/oracle_kernel.h"

#include <string.h>

#include "core/judge/oracle/walk.h"
#include "core/model/op/op_convolution.h"
#include "core/model/op/op_product.h"

enum { PARTS = 4096 }; /* as in products.cl */

/* True if the second operand has variances, whose common ratio has to be found. */
static bool has_ratio(const struct oracle_kernel *k)
{
    const struct oracle_writer *w = k->writer;

    return oracle_writer_spreads(w) &&
           (w->places[k->node->in[1]].variances != NO_BUFFER ||
            (tensor_is_given(k->call.in[1]->role) &&
             rounding_changes_given(w->rounding, k->call.in[1]->dtype)));
}

static void write_step(struct oracle_kernel *k, int64_t work_items, const char *step)
{
    oracle_kernel_begin(k, work_items);
    oracle_kernel_add(k, "    %s\n", step);
    oracle_kernel_end(k);
}

static void write_ratio(struct oracle_kernel *k)
{
    if (!has_ratio(k))
        return;
    k->state = oracle_writer_take(k->writer, 2 * PARTS + 2);
    oracle_kernel_add(k, "#define COUNT %lld\n", (long long)shape_elements(&k->call.in[1]->shape));
    write_step(k, PARTS, "RATIO_SUMS");
    write_step(k, 1, "RATIO_TOTALS");
    write_step(k, PARTS, "RATIO_CHECKS");
    write_step(k, 1, "RATIO_RESULT");
    oracle_kernel_add(k, "#undef COUNT\n");
}

/*
 * Begin the kernel that computes the elements; `terms` is the number of products in each, `growth`
 * as in struct bilinear.
 */
static void begin_sums(struct oracle_kernel *k, double terms, double growth)
{
    write_ratio(k);
    oracle_kernel_add(k, "#define TERMS %.17g\n#define GROWTH %.17g\n", terms, growth);
    oracle_kernel_begin(k, shape_elements(&k->call.out->shape));
    if (k->state == NO_BUFFER)
        oracle_kernel_add(k, "    const double ratio = 0;\n");
    else
        oracle_kernel_add(k, "    const double ratio = state[%d];\n", 2 * PARTS);
    oracle_kernel_add(k, "    PRODUCT_START\n");
}

/* End it; the bias is operand 2, at index `at`. */
static void end_sums(struct oracle_kernel *k, bool has_bias, const char *at)
{
    if (has_bias)
        oracle_kernel_add(k, "    PRODUCT_END(X2(%s), V2(%s))\n    ", at, at);
    else
        oracle_kernel_add(k, "    PRODUCT_END(0, 0)\n    ");
    oracle_kernel_store(k, "i", "y", "v");
    oracle_kernel_add(k, "\n");
    oracle_kernel_end(k);
    oracle_kernel_add(k, "#undef TERMS\n#undef GROWTH\n");
    oracle_writer_give(k->writer, k->state);
}

/* Declare the first element of the operand's matrix for the result's matrix i / (m * n). */
static void add_matrix(struct oracle_kernel *k, size_t operand, const struct walk *walk,
                       int64_t elements)
{
    struct strbuf at = {0};

    oracle_strided(&at, "matrix", &walk->shape, walk->strides[operand]);
    oracle_kernel_add(k, "    const int from%zu = %s * %lld;\n", operand, strbuf_cstr(&at),
                      (long long)elements);
    strbuf_release(&at);
}

bool oracle_write_product(struct oracle_kernel *kernel)
{
    struct product p = product_of(&kernel->call);
    struct walk walk = walk_matrices(&kernel->call);
    long long m = p.m, n = p.n, depth = p.k;

    begin_sums(kernel, (double)p.k, oracle_product_growth(p.m, p.n, p.k));
    oracle_kernel_add(kernel,
                      "    const int column = i %% %lld, row = i / %lld %% %lld;\n"
                      "    const int matrix = (int)(i / %lldL);\n",
                      n, n, m, m * n);
    add_matrix(kernel, 0, &walk, p.m * p.k);
    add_matrix(kernel, 1, &walk, p.k * p.n);
    oracle_kernel_add(kernel, "    for (int j = 0; j < %lld; j++) {\n", depth);
    oracle_kernel_add(kernel, "        const int a = from0 + row * %lld + j * %lld;\n",
                      p.a_transposed ? 1 : depth, p.a_transposed ? m : 1);
    oracle_kernel_add(kernel, "        const int b = from1 + j * %lld + column * %lld;\n",
                      p.b_transposed ? 1 : n, p.b_transposed ? depth : 1);
    oracle_kernel_add(kernel, "        PRODUCT_ADD(X0(a), V0(a), X1(b), V1(b))\n    }\n");
    end_sums(kernel, p.bias != NULL, "column");
    return true;
}

/*
 * Open the loops over a window. They declare `at`, the place in a channel of the operand, and
 * `tap`, the place in the window; o0, o1 and o2 are the place of the result.
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
                      "    const int at = (at0 * %lld + at1) * %lld + at2;\n"
                      "    const int tap = (k0 * %lld + k1) * %lld + k2;\n",
                      (long long)window->axes[1].in, (long long)window->axes[2].in,
                      (long long)window->axes[1].kernel, (long long)window->axes[2].kernel);
}

/* Declare the place of the result, and `map`, the number of its channel counted over samples. */
static void add_place(struct oracle_kernel *k, const struct window *window)
{
    const struct window_axis *a = window->axes;
    long long width = a[2].out, area = a[1].out * width, volume = a[0].out * area;

    oracle_kernel_add(k,
                      "    const int o2 = i %% %lld, o1 = i / %lld %% %lld;\n"
                      "    const int o0 = i / %lld %% %lld, map = i / %lld;\n",
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

    begin_sums(kernel, (double)in * (double)window, oracle_convolution_growth(&c));
    add_place(kernel, &c.window);
    oracle_kernel_add(kernel,
                      "    const int channel = map %% %lld, sample = map / %lld;\n"
                      "    const int group = channel / %lld;\n"
                      "    for (int c = 0; c < %lld; c++) {\n"
                      "    const int from = ((sample * %lld + group) * %lld + c) * %lld;\n",
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

/* Declare `count`, the number of places of a window in the operand or in its padding. */
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

    oracle_kernel_begin(kernel, shape_elements(&kernel->call.out->shape));
    add_place(kernel, &window);
    oracle_kernel_add(kernel,
                      "    const int from = map * %lld;\n    const double taps = %lld;\n"
                      "    double total = 0, most = BOTTOM, mixed = 0, widest_of = BOTTOM;\n"
                      "    double count = 0;\n",
                      (long long)volume_of(&window), taps);
    open_window(kernel, &window);
    oracle_kernel_add(kernel, "    const double x = X0(from + at), vx = V0(from + at);\n"
                              "    total += x;\n    most = is_nan(x) || x > most ? x : most;\n"
                              "    mixed += UNIT * UNIT * (taps + 4) * x * x + vx;\n"
                              "    widest_of = vx > widest_of ? vx : widest_of;\n    count++;\n"
                              "    }}}\n");
    if (padding && padding->integers[0])
        add_padded_count(kernel, &window);
    oracle_kernel_add(kernel, "    const double y = %s;\n", is_max ? "most" : "total / count");
    oracle_kernel_add(kernel, "    double v = %s;\n    ",
                      is_max ? "widest_of" : "mixed / count / count");
    if (!is_max)
        oracle_kernel_add(kernel, "    v += sum_bias(y, v / (UNIT * UNIT * (taps + 4)), taps) +\n"
                                  "        UNIT_VARIANCE * taps / 2 * y * y;\n    ");
    oracle_kernel_store(kernel, "i", "y", "v");
    oracle_kernel_add(kernel, "\n");
    oracle_kernel_end(kernel);
    return true;
}
