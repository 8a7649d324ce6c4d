#include <stdio.h>
#include <string.h>

#include "core/judge/device_oracle/oracle_kernel_sums.h"
#include "core/judge/device_oracle/oracle_kernel_tiles.h"
#include "core/model/op/op_convolution.h"

/*
 * The rows of the product are the output channels of a group, its columns the places of the result
 * in a sample, its depth the input channels times the places of a window.
 *
 * A transposed convolution with a stride has a product for each remainder of a place by the stride,
 * because each remainder has its own places of the window: output place u - padding, where
 * u = stride * q + r, gets input place q - j through the window's place r + stride * j.
 */
struct axis {
    struct window_axis window;
    bool is_transposed;
    long long remainders; /* 1, or the stride of a transposed convolution */
    long long columns;    /* places of the result for each remainder */
    long long taps;       /* most places of the window for a remainder */
    long long first;      /* the first q */
};

static struct axis axis_of(const struct window *window, size_t d)
{
    const struct window_axis *a = &window->axes[d];
    bool is_transposed = window->kind == WINDOW_TRANSPOSED;
    struct axis axis = {*a, is_transposed, 1, a->out, a->kernel, 0};

    if (!is_transposed)
        return axis;
    axis.remainders = a->stride;
    axis.first = a->padding / a->stride;
    axis.columns = (a->padding + a->out - 1) / a->stride - axis.first + 1;
    axis.taps = (a->kernel + a->stride - 1) / a->stride;
    return axis;
}

/* The convolution as matrices. */
struct matrices {
    struct convolution c;
    struct axis axes[WINDOW_AXES];
    long long remainders, columns, taps; /* products over the axes */
    bool is_transposed;
};

static struct matrices matrices_of(const struct op_call *call)
{
    struct matrices m = {.c = convolution_of(call), .remainders = 1, .columns = 1, .taps = 1};

    m.is_transposed = m.c.window.kind == WINDOW_TRANSPOSED;
    for (size_t d = 0; d < WINDOW_AXES; d++) {
        m.axes[d] = axis_of(&m.c.window, d);
        m.remainders *= m.axes[d].remainders;
        m.columns *= m.axes[d].columns;
        m.taps *= m.axes[d].taps;
    }
    return m;
}

/* The share of the elements of tiles that a matrix of this size fills. */
static double filled(int64_t size)
{
    int64_t tiles = (size + 63) / 64;

    return (double)size / (double)(64 * tiles);
}

/* The least share of a tile for which tiles are faster than an element for each work-item. */
static const double least_filled = 0.3;

static bool suits(const struct matrices *m)
{
    for (size_t d = 0; d < WINDOW_AXES; d++)
        if (m->axes[d].remainders > 1 && m->c.window.axes[d].dilation > 1)
            return false;
    return filled(m->c.out_channels) * filled(m->columns) >= least_filled;
}

/* Append the statements that follow from `matrix`. */
static void declare(const struct matrices *m, struct strbuf *out)
{
    long long groups = m->c.groups, channels = m->c.in_channels, rows = m->c.out_channels;
    long long after = 1, volume = 1, window = 1;

    strbuf_addf(out, "const INDEX sample = matrix / %lld, set = matrix / %lld %% %lld; ",
                groups * m->remainders, m->remainders, groups);
    for (size_t d = WINDOW_AXES; d-- > 0;) {
        const struct axis *a = &m->axes[d];
        long long stride = a->remainders, kernel = a->window.kernel;

        strbuf_addf(out, "const int r%zu = (int)(matrix / %lld %% %lld); ", d, after, stride);
        if (stride > 1)
            strbuf_addf(out, "const int n%zu = (%lld - r%zu) / %lld; ", d, kernel + stride - 1, d,
                        stride);
        else
            strbuf_addf(out, "const int n%zu = %lld; ", d, kernel);
        after *= stride;
        volume *= a->window.in;
        window *= kernel;
    }
    strbuf_addf(out,
                "const INDEX from0 = (sample * %lld + set) * %lld, from1 = set * %lld; "
                "const int taps = n0 * n1 * n2;",
                groups, channels * volume, rows * channels * window);
}

/* Append the window's place along an axis, from `tap`. */
static void add_place(const struct matrices *m, size_t d, struct strbuf *out)
{
    static const char *const numbers[] = {"tap / (n1 * n2)", "tap / n2 % n1", "tap % n2"};

    strbuf_addf(out, "const int j%zu = %s; ", d, numbers[d]);
    if (m->axes[d].remainders > 1)
        strbuf_addf(out, "const int k%zu = r%zu + %lld * j%zu; ", d, d, m->axes[d].remainders, d);
    else
        strbuf_addf(out, "const int k%zu = j%zu; ", d, d);
}

/* Append the declarations of channel `c` and of the window's place from `k`. */
static void add_depth(const struct matrices *m, struct strbuf *out)
{
    strbuf_adds(out, "const INDEX c = k / taps; const int tap = (int)(k % taps); ");
    for (size_t d = 0; d < WINDOW_AXES; d++)
        add_place(m, d, out);
}

/* Append the statements for an element of the weights. */
static void add_weights(const struct matrices *m, int terms, struct strbuf *out)
{
    const struct window_axis *a = m->c.window.axes;
    long long window = a[0].kernel * a[1].kernel * a[2].kernel;
    struct strbuf at = {0};

    add_depth(m, out);
    if (m->is_transposed)
        strbuf_addf(&at, "(c * %lld + row) * %lld", (long long)m->c.out_channels, window);
    else
        strbuf_addf(&at, "(row * %lld + c) * %lld", (long long)m->c.in_channels, window);
    strbuf_addf(&at, " + (k0 * %lld + k1) * %lld + k2", (long long)a[1].kernel,
                (long long)a[2].kernel);
    oracle_sums_add_terms(out, 1, strbuf_cstr(&at), terms);
    strbuf_release(&at);
}

/* Append the input's place along an axis, for `column` and the window's place. */
static void add_input_place(const struct matrices *m, size_t d, long long after, struct strbuf *out)
{
    const struct axis *a = &m->axes[d];
    long long step = a->window.dilation;

    strbuf_addf(out, "const int at%zu = (int)(column / %lld %% %lld)", d, after, a->columns);
    if (m->is_transposed)
        strbuf_addf(out, " + %lld - j%zu * %lld; ", a->first, d, step);
    else
        strbuf_addf(out, " * %lld - %lld + j%zu * %lld; ", (long long)a->window.stride,
                    (long long)a->window.padding, d, step);
}

/* Append the statements for an element of the input, which is 0 in the padding. */
static void add_input(const struct matrices *m, int terms, struct strbuf *out)
{
    const struct window_axis *a = m->c.window.axes;
    long long after = 1;
    struct strbuf at = {0};

    add_depth(m, out);
    for (size_t d = WINDOW_AXES; d-- > 0;) {
        add_input_place(m, d, after, out);
        after *= m->axes[d].columns;
    }
    strbuf_adds(out, "if (1");
    for (size_t d = 0; d < WINDOW_AXES; d++)
        strbuf_addf(out, " && at%zu >= 0 && at%zu < %lld", d, d, (long long)a[d].in);
    strbuf_addf(&at, "((c * %lld + at0) * %lld + at1) * %lld + at2", (long long)a[0].in,
                (long long)a[1].in, (long long)a[2].in);
    strbuf_adds(out, ") { ");
    oracle_sums_add_terms(out, 0, strbuf_cstr(&at), terms);
    strbuf_adds(out, " }");
    strbuf_release(&at);
}

/* Append the index of the result's element at `row` and `column` of a transposed convolution. */
static void add_element(const struct matrices *m, struct strbuf *out)
{
    struct strbuf places[WINDOW_AXES] = {{0}};
    const struct window_axis *a = m->c.window.axes;
    long long after = 1;

    for (size_t d = WINDOW_AXES; d-- > 0;) {
        const struct axis *axis = &m->axes[d];

        strbuf_addf(&places[d], "((column / %lld %% %lld + %lld) * %lld + r%zu - %lld)", after,
                    axis->columns, axis->first, axis->remainders, d, (long long)a[d].padding);
        after *= axis->columns;
    }
    for (size_t d = 0; d < WINDOW_AXES; d++)
        strbuf_addf(out, "%s%s < 0 || %s >= %lld", d ? " || " : "", strbuf_cstr(&places[d]),
                    strbuf_cstr(&places[d]), (long long)a[d].out);
    strbuf_addf(out,
                " ? -1 : ((((sample * %lld + set) * %lld + row) * %lld + %s) * %lld + %s) * %lld + "
                "%s",
                (long long)m->c.groups, (long long)m->c.out_channels, (long long)a[0].out,
                strbuf_cstr(&places[0]), (long long)a[1].out, strbuf_cstr(&places[1]),
                (long long)a[2].out, strbuf_cstr(&places[2]));
    for (size_t d = 0; d < WINDOW_AXES; d++)
        strbuf_release(&places[d]);
}

/* The texts of tiles. */
struct texts {
    struct strbuf declare, a, b, last, element, channel;
};

static void texts_release(struct texts *t)
{
    strbuf_release(&t->declare);
    strbuf_release(&t->a);
    strbuf_release(&t->b);
    strbuf_release(&t->last);
    strbuf_release(&t->element);
    strbuf_release(&t->channel);
}

static void write_texts(const struct oracle_kernel *k, const struct matrices *m, int terms,
                        struct texts *t)
{
    oracle_sums_declare_ratio(&t->declare, oracle_sums_have_ratio(k));
    declare(m, &t->declare);
    add_weights(m, terms, &t->a);
    add_input(m, terms, &t->b);
    strbuf_addf(&t->last, "%lld * taps", (long long)m->c.in_channels);
    strbuf_addf(&t->channel, "set * %lld + row", (long long)m->c.out_channels);
    if (m->is_transposed)
        add_element(m, &t->element);
}

static struct oracle_tiles tiles_of(const struct matrices *m, int terms, const struct texts *t)
{
    return (struct oracle_tiles){
        .matrices = m->c.batch * m->c.groups * m->remainders,
        .rows = m->c.out_channels,
        .columns = m->columns,
        .depth = m->c.in_channels * m->taps,
        .sums = terms,
        .a_along = true,
        .declare = strbuf_cstr(&t->declare),
        .a = strbuf_cstr(&t->a),
        .b = strbuf_cstr(&t->b),
        .skips_last = "ratio != 0",
        .last = strbuf_cstr(&t->last),
        .element = m->is_transposed ? strbuf_cstr(&t->element) : NULL,
    };
}

void oracle_sums_set_rows(const struct convolution *convolution, struct oracle_alike rows[2])
{
    const struct window_axis *a = convolution->window.axes;
    int64_t channels = convolution->out_channels;
    int64_t taps = convolution->in_channels * a[0].kernel * a[1].kernel * a[2].kernel;
    int64_t in = convolution->in_channels * a[0].in * a[1].in * a[2].in;
    bool is_transposed = convolution->window.kind == WINDOW_TRANSPOSED;

    rows[0] = (struct oracle_alike){.rows = {1, 0, 1, (size_t)in},
                                    .matrices = convolution->batch * convolution->groups,
                                    .size = in};
    rows[1] = (struct oracle_alike){.rows = {(size_t)channels, is_transposed ? 0 : (size_t)taps, 1,
                                             (size_t)(is_transposed ? channels * taps : taps)},
                                    .matrices = convolution->groups,
                                    .size = channels * taps};
}

bool oracle_write_convolution_tiles(struct oracle_kernel *kernel)
{
    const struct matrices m = matrices_of(&kernel->call);
    const struct window_axis *a = m.c.window.axes;
    bool has_ratio = oracle_sums_have_ratio(kernel);
    int terms = !oracle_writer_spreads(kernel->writer) ? 1 : has_ratio ? 3 : 2;
    struct texts texts = {.declare = {0}};
    struct oracle_sums sums = {.terms = (double)m.c.in_channels *
                                        (double)(a[0].kernel * a[1].kernel * a[2].kernel),
                               .growth = oracle_convolution_growth(&m.c)};
    struct oracle_tiles tiles;

    if (!suits(&m))
        return false;
    write_texts(kernel, &m, terms, &texts);
    tiles = tiles_of(&m, terms, &texts);
    oracle_sums_set_rows(&m.c, sums.alike);
    snprintf(sums.alike[0].index, sizeof(sums.alike[0].index), "sample * %lld + set",
             (long long)m.c.groups);
    snprintf(sums.alike[1].index, sizeof(sums.alike[1].index), "set * %lld + row",
             (long long)m.c.out_channels);
    oracle_sums_begin(kernel, &sums);
    oracle_tiles_begin(kernel, &tiles);
    oracle_sums_store_tiles(kernel, m.c.bias != NULL, strbuf_cstr(&texts.channel), "0");
    oracle_tiles_end(kernel);
    oracle_sums_undefine(kernel);
    texts_release(&texts);
    return true;
}
