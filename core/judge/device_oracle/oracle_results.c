#include "core/judge/device_oracle/oracle_kernel.h"

#include <math.h>

/* The second evaluation of an output, for its tolerances. */
struct second {
    const struct oracle_place *place; /* NULL if there is none */
    size_t buffer;                    /* how variances change; or the elements that moved */
};

static struct second find_second_place(struct oracle_writer *w, const struct oracle_place *exact,
                                       const struct oracle_place *other, size_t output)
{
    const struct value *value = &w->graph->values.items[output];
    struct second second = {.buffer = NO_BUFFER};
    bool is_float = dtype_is_float(value->dtype);

    if (!other || (w->second_does.moves && !is_float))
        return second;
    second.place = &other[output];
    second.buffer = other[output].elements;
    if (w->second_does.rounds)
        second.buffer =
            oracle_write_fit(w, &exact[output], second.place, shape_elements(&value->shape),
                             is_float ? w->second_does.margin : (double)INFINITY);
    return second;
}

/*
 * Append an expression for the variance of element `i` after the second evaluation. `variance` is
 * an expression for that of the first, whose elements are in b0, and the second's buffer is `b`.
 * Elements that are `stored` in float32 are off by half a spacing.
 */
static void add_variance(struct strbuf *out, const struct oracle_writer *w, const char *variance,
                         const char *b, bool is_stored)
{
    if (w->second_does.rounds)
        strbuf_addf(out, "fitted(%s, %s)", variance, b);
    else
        strbuf_addf(out, "%s + shared_variance(b0[i], %s[i], %s)", variance, b,
                    is_stored ? "2 * UNIT * fabs((double)b0[i])" : "0.0");
}

/* Write a kernel that stores the expected elements of an output and their tolerances. */
static void write_elements(struct oracle_writer *w, size_t output, const struct second *second)
{
    const struct value *value = &w->graph->values.items[output];
    const struct oracle_place *place = &w->places[output];
    size_t buffers[] = {place->elements, output, place->variances, w->allowed[output],
                        second->buffer};
    size_t count = !w->rounding ? 2 : second->place ? 5 : 4;
    struct strbuf variance = {0};

    if (second->place)
        add_variance(&variance, w, "b2[i]", "b4", false);
    else
        strbuf_adds(&variance, "b2[i]");
    oracle_writer_begin(
        w, &(struct oracle_call_of_buffers){buffers, count, shape_elements(&value->shape)});
    strbuf_adds(w->source, "    b1[i] = b0[i];\n");
    if (w->rounding && dtype_is_float(value->dtype))
        strbuf_addf(w->source, "    b3[i] = allow_float(b0[i], %s, %.17g, %.17g);\n",
                    strbuf_cstr(&variance), dtype_spacing(value->dtype, 1),
                    rounding_least(value->dtype));
    else if (w->rounding)
        strbuf_addf(w->source, "    b3[i] = allow_integer(%s);\n", strbuf_cstr(&variance));
    strbuf_adds(w->source, "}\n");
    strbuf_release(&variance);
}

/* Write a kernel that turns the standard deviations of an output's elements into tolerances. */
static void write_tolerances(struct oracle_writer *w, size_t output, const struct second *second)
{
    const struct value *value = &w->graph->values.items[output];
    const size_t buffers[] = {output, w->allowed[output], second->buffer};
    struct strbuf variance = {0};

    add_variance(&variance, w, "v", "b2", true);
    oracle_writer_begin(
        w, &(struct oracle_call_of_buffers){buffers, 3, shape_elements(&value->shape)});
    strbuf_addf(w->source,
                "    const double v = square((double)b1[i]);\n"
                "    b1[i] = allow_float((double)b0[i], %s, %.17g, %.17g);\n}\n",
                strbuf_cstr(&variance), dtype_spacing(value->dtype, 1),
                rounding_least(value->dtype));
    strbuf_release(&variance);
}

void oracle_write_result(struct oracle_writer *w, size_t output, const struct oracle_place *exact,
                         const struct oracle_place *other)
{
    const struct second second = find_second_place(w, exact, other, output);

    (exact[output].is_result ? write_tolerances : write_elements)(w, output, &second);
}

void oracle_write_strayed(struct oracle_writer *w, size_t output, size_t strayed)
{
    const struct value *value = &w->graph->values.items[output];

    oracle_writer_begin(
        w, &(struct oracle_call_of_buffers){(size_t[]){output, w->allowed[output], strayed}, 3,
                                            shape_elements(&value->shape)});
    if (dtype_is_float(value->dtype))
        strbuf_addf(
            w->source,
            "    b1[i] = stray_float(b1[i], (double)b0[i], b2[i], "
            "spacing_at((double)b0[i], %.17g, %.17g), 2 * UNIT * fabs((double)b0[i]));\n}\n",
            dtype_spacing(value->dtype, 1), rounding_least(value->dtype));
    else
        strbuf_adds(w->source, "    b1[i] = stray_integer(b1[i], (double)b0[i], b2[i]);\n}\n");
}
