#include "core/agent/builtin/emit/convolution/convolution_phases.h"

#include "core/base/number.h"

static bool is_transposed(const struct convolution_kernel *c)
{
    return c->shape.window.kind == WINDOW_TRANSPOSED;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

struct phase_axis convolution_phase_axis(const struct convolution_kernel *c, size_t axis)
{
    const struct window_axis *w = convolution_axis(c, axis);
    int64_t common = number_gcd(w->dilation, w->stride);

    if (!is_transposed(c))
        return (struct phase_axis){
            .phases = 1, .scale = w->stride, .reach = w->dilation, .step = 1};
    return (struct phase_axis){.phases = w->stride,
                               .scale = 1,
                               .reach = -w->dilation / common,
                               .step = w->stride / common};
}

int64_t convolution_phases(const struct convolution_kernel *c)
{
    int64_t phases = 1;

    for (size_t axis = FIRST_SPATIAL; axis < c->rank; axis++)
        phases *= convolution_phase_axis(c, axis).phases;
    return phases;
}

/*
 * The first tap of phase r, and the operand's place that it meets at q = 0. Result place r is at
 * r + padding in the window's places; tap k reaches back by k * dilation, which must leave a
 * multiple of the stride.
 */
static int64_t first_tap(const struct window_axis *w, int64_t phase, int64_t *shift)
{
    for (int64_t k = 0; k < w->kernel; k++) {
        int64_t at = phase + w->padding - k * w->dilation;

        if (at % w->stride == 0) {
            *shift = at / w->stride;
            return k;
        }
    }
    *shift = 0;
    return w->kernel;
}

static int64_t number_at(const struct convolution_kernel *c, size_t axis, int64_t phase,
                         enum phase_number number)
{
    const struct window_axis *w = convolution_axis(c, axis);
    const struct phase_axis p = convolution_phase_axis(c, axis);
    int64_t shift = -w->padding, first = is_transposed(c) ? first_tap(w, phase, &shift) : 0;

    switch (number) {
    case PHASE_FIRST:
        return first;
    case PHASE_SHIFT:
        return shift;
    case PHASE_TAPS:
        break;
    }
    return (w->kernel - first + p.step - 1) / p.step;
}

struct phase_reach convolution_phase_reach(const struct convolution_kernel *c, size_t axis)
{
    const struct phase_axis p = convolution_phase_axis(c, axis);
    struct phase_reach reach = {.low = INT64_MAX, .high = INT64_MIN};

    for (int64_t phase = 0; phase < p.phases; phase++) {
        int64_t first = number_at(c, axis, phase, PHASE_SHIFT);
        int64_t taps = number_at(c, axis, phase, PHASE_TAPS);
        int64_t last = first + (taps - 1) * p.reach;

        if (taps == 0)
            continue;
        reach.low = least(reach.low, least(first, last));
        reach.high = most(reach.high, most(first, last));
    }
    return reach;
}

const char *convolution_phase_number(const struct convolution_kernel *c, size_t axis,
                                     enum phase_number number)
{
    int64_t phases = convolution_phase_axis(c, axis).phases;
    int64_t last = number_at(c, axis, phases - 1, number);
    const char *text = emit_text(c->e, "%lld", (long long)last);
    bool is_same = true;

    for (int64_t phase = phases - 1; phase-- > 0;) {
        int64_t value = number_at(c, axis, phase, number);

        is_same &= value == last;
        if (!is_same)
            text = emit_text(c->e, "r%zu == %lld ? %lld : %s", axis, (long long)phase,
                             (long long)value, text);
    }
    return is_same || phases == 1 ? text : emit_text(c->e, "(%s)", text);
}

const char *convolution_phase_places(const struct convolution_kernel *c, size_t axis)
{
    const char *size = convolution_size(c, c->node->out, axis);
    int64_t phases = convolution_phase_axis(c, axis).phases;

    if (phases == 1)
        return size;
    return emit_text(c->e, "((%s + %lld) / %lld)", size, (long long)phases - 1, (long long)phases);
}
