#include "core/model/op/op_window.h"

#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/model/op/op_family.h"

/* The number of an attribute for an axis. A single number is for all axes. */
static int64_t number_of(const struct op_call *call, const char *name, size_t axis,
                         int64_t fallback)
{
    const struct attribute *attribute = op_attribute(call, name);

    if (!attribute || attribute->count == 0)
        return fallback;
    return attribute->integers[attribute->count == 1 ? 0 : axis];
}

static enum window_kind kind_of(const struct op_call *call)
{
    if (op_attribute(call, "output_size"))
        return WINDOW_ADAPTIVE;
    return op_attribute(call, "output_padding") ? WINDOW_TRANSPOSED : WINDOW_FORWARD;
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* The places from the first to the last one of a window, both included. */
static int64_t span(const struct window_axis *axis)
{
    return axis->dilation * (axis->kernel - 1) + 1;
}

/*
 * The number of windows that fit. With ceil_mode the last one may extend past the end if it begins
 * inside the tensor or the padding before it, as in PyTorch.
 */
static int64_t count_forward(const struct window_axis *axis, bool ceils)
{
    int64_t room = axis->in + 2 * axis->padding - span(axis);
    int64_t last = (ceils ? ceil_div(room, axis->stride) : room / axis->stride);

    if (room < 0)
        return 0;
    if (ceils && last * axis->stride >= axis->in + axis->padding)
        last--;
    return last + 1;
}

static struct window_axis forward_axis(const struct op_call *call, size_t i, int64_t in)
{
    const struct attribute *ceil_mode = op_attribute(call, "ceil_mode");
    bool is_pooling = call->op->kind == OP_WINDOW;
    struct window_axis axis = {.in = in,
                               .padding = number_of(call, "padding", i, 0),
                               .dilation = number_of(call, "dilation", i, 1)};

    axis.kernel =
        is_pooling ? number_of(call, "kernel_size", i, 1) : call->in[1]->shape.dims[2 + i];
    axis.stride = number_of(call, "stride", i, is_pooling ? axis.kernel : 1);
    axis.out = count_forward(&axis, ceil_mode && ceil_mode->integers[0]);
    return axis;
}

static struct window_axis transposed_axis(const struct op_call *call, size_t i, int64_t in)
{
    struct window_axis axis = {.in = in,
                               .kernel = call->in[1]->shape.dims[2 + i],
                               .stride = number_of(call, "stride", i, 1),
                               .padding = number_of(call, "padding", i, 0),
                               .dilation = number_of(call, "dilation", i, 1)};

    axis.out = (in - 1) * axis.stride + span(&axis) - 2 * axis.padding +
               number_of(call, "output_padding", i, 0);
    return axis;
}

static struct window_axis adaptive_axis(const struct op_call *call, size_t i, int64_t in)
{
    int64_t out = number_of(call, "output_size", i, 1);

    return (struct window_axis){.in = in,
                                .out = out,
                                .kernel = ceil_div(in, out) + (in % out ? 1 : 0),
                                .stride = 1,
                                .dilation = 1};
}

struct window window_of(const struct op_call *call)
{
    static struct window_axis (*const makers[])(const struct op_call *call, size_t i,
                                                int64_t in) = {
        [WINDOW_FORWARD] = forward_axis,
        [WINDOW_TRANSPOSED] = transposed_axis,
        [WINDOW_ADAPTIVE] = adaptive_axis,
    };
    const struct window_axis single = {
        .in = 1, .out = 1, .kernel = 1, .stride = 1, .padding = 0, .dilation = 1};
    struct window window = {kind_of(call), {single, single, single}};
    size_t lead = WINDOW_AXES - call->op->spatial;

    for (size_t i = 0; i < call->op->spatial; i++)
        window.axes[lead + i] = makers[window.kind](call, i, call->in[0]->shape.dims[2 + i]);
    return window;
}

/* An adaptive window covers its share of the operand, with both ends rounded outward. */
const struct window_axis *window_axis_of(const struct window *window, size_t rank, size_t axis)
{
    return &window->axes[WINDOW_AXES - rank + axis];
}

int64_t window_tap(enum window_kind kind, const struct window_axis *axis, int64_t out, int64_t k)
{
    int64_t at = 0;

    switch (kind) {
    case WINDOW_ADAPTIVE:
        at = out * axis->in / axis->out + k;
        return at < ceil_div((out + 1) * axis->in, axis->out) ? at : -1;
    case WINDOW_TRANSPOSED:
        at = out + axis->padding - k * axis->dilation;
        if (at < 0 || at % axis->stride != 0)
            return -1;
        at /= axis->stride;
        return at < axis->in ? at : -1;
    case WINDOW_FORWARD:
    default:
        at = out * axis->stride - axis->padding + k * axis->dilation;
        return at >= 0 && at < axis->in ? at : -1;
    }
}

/*
 * The number of places in [0, size) among `count` places that begin at `first` and are `step`
 * apart.
 */
static int64_t count_inside(int64_t first, int64_t step, int64_t count, int64_t size)
{
    int64_t begin = first < 0 ? ceil_div(-first, step) : 0;
    int64_t end = first < size ? ceil_div(size - first, step) : 0;

    end = end < count ? end : count;
    return begin < end ? end - begin : 0;
}

/*
 * For a transposed window, count the places of the result that each element of the operand
 * contributes to.
 */
static double axis_taps(enum window_kind kind, const struct window_axis *axis)
{
    bool is_transposed = kind == WINDOW_TRANSPOSED;
    int64_t from = is_transposed ? axis->in : axis->out, to = is_transposed ? axis->out : axis->in;
    double taps = 0;

    for (int64_t i = 0; i < from; i++) {
        int64_t first = i * axis->stride - axis->padding;
        int64_t inside = kind == WINDOW_ADAPTIVE
                             ? ceil_div((i + 1) * to, from) - i * to / from
                             : count_inside(first, axis->dilation, axis->kernel, to);

        taps += (double)inside;
    }
    return taps;
}

double window_taps(const struct window *window)
{
    double taps = 1;

    for (size_t i = 0; i < WINDOW_AXES; i++)
        taps *= axis_taps(window->kind, &window->axes[i]);
    return taps;
}

static enum status check_numbers(const struct op_call *call, const char *name, int64_t least,
                                 const struct json_ref *place, struct error *err)
{
    const struct attribute *attribute = op_attribute(call, name);
    struct json_ref at = json_ref_member(place, name);

    if (!attribute)
        return STATUS_OK;
    if (attribute->is_given && attribute->count != 1 && attribute->count != call->op->spatial)
        return op_error(call, &at, err, "expected one number or %u", call->op->spatial);
    for (size_t i = 0; i < attribute->count; i++)
        if (attribute->integers[i] < least || attribute->integers[i] > INT32_MAX)
            return op_error(call, &at, err, "expected %lld to %d, found %lld", (long long)least,
                            INT32_MAX, (long long)attribute->integers[i]);
    return STATUS_OK;
}

/* As in PyTorch, padding is limited so that every window has a place that is not padding. */
static enum status check_padding(const struct op_call *call, const struct window *window,
                                 const struct json_ref *place, struct error *err)
{
    struct json_ref at = json_ref_member(place, "padding");

    for (size_t i = 0; i < WINDOW_AXES; i++)
        if (2 * window->axes[i].padding > span(&window->axes[i]))
            return op_error(call, &at, err, "expected at most half of the window's size, %lld",
                            (long long)span(&window->axes[i]));
    return STATUS_OK;
}

static enum status check_output_padding(const struct op_call *call, const struct window *window,
                                        const struct json_ref *place, struct error *err)
{
    struct json_ref at = json_ref_member(place, "output_padding");
    size_t lead = WINDOW_AXES - call->op->spatial;

    for (size_t i = 0; i < call->op->spatial; i++) {
        const struct window_axis *axis = &window->axes[lead + i];
        int64_t more = number_of(call, "output_padding", i, 0);

        if (more >= axis->stride && more >= axis->dilation)
            return op_error(call, &at, err, "expected less than stride or dilation, found %lld",
                            (long long)more);
    }
    return STATUS_OK;
}

static enum status check_sizes(const struct op_call *call, const struct window *window,
                               const struct json_ref *place, struct error *err)
{
    size_t lead = WINDOW_AXES - call->op->spatial;

    for (size_t i = lead; i < WINDOW_AXES; i++) {
        const struct window_axis *axis = &window->axes[i];

        if (axis->out < 1)
            return op_error(call, place, err,
                            "a window of %lld places leaves no result along axis %zu, of size "
                            "%lld with padding %lld",
                            (long long)span(axis), i - lead + 2, (long long)axis->in,
                            (long long)axis->padding);
    }
    return STATUS_OK;
}

/*
 * Limit the places of all windows, padding included: computing a window visits its padding as well.
 */
static enum status check_places(const struct op_call *call, const struct window *window,
                                const struct json_ref *place, struct error *err)
{
    const struct shape *x = &call->in[0]->shape;
    double places = call->op->kind == OP_WINDOW ? (double)(x->dims[0] * x->dims[1]) : 1;

    for (size_t i = 0; i < WINDOW_AXES; i++)
        places *= (double)window->axes[i].out * (double)window->axes[i].kernel;
    if (places > WINDOW_MAX_PLACES)
        return op_error(call, place, err, "windows of %.3g places in all, expected at most %.3g",
                        places, WINDOW_MAX_PLACES);
    return STATUS_OK;
}

enum status window_check(const struct op_call *call, const struct json_ref *place,
                         struct error *err)
{
    static const struct {
        const char *name;
        int64_t least;
    } rules[] = {{"kernel_size", 1}, {"stride", 1},         {"dilation", 1},
                 {"padding", 0},     {"output_padding", 0}, {"output_size", 1}};
    struct window window;
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < COUNT(rules); i++)
        st = check_numbers(call, rules[i].name, rules[i].least, place, err);
    if (st)
        return st;
    window = window_of(call);
    if (call->op->kind == OP_WINDOW)
        st = check_padding(call, &window, place, err);
    if (!st && window.kind == WINDOW_TRANSPOSED)
        st = check_output_padding(call, &window, place, err);
    if (!st)
        st = check_sizes(call, &window, place, err);
    return st ? st : check_places(call, &window, place, err);
}

struct shape window_result(const struct op_call *call, int64_t channels)
{
    struct window window = window_of(call);
    struct shape shape = {2 + call->op->spatial, {call->in[0]->shape.dims[0], channels}};

    for (size_t i = 0; i < call->op->spatial; i++)
        shape.dims[2 + i] = window.axes[WINDOW_AXES - call->op->spatial + i].out;
    return shape;
}

/* The most regions that the places along an axis are divided into. */
enum { AXIS_PARTS = 8, AXIS_MAX_PLACES = 1 << 26 };

struct axis_parts {
    struct region_axis items[AXIS_PARTS];
    size_t count;
};

/* Mark the operand's places in the windows of the wanted ones. The caller frees. */
static bool *mark_places(enum window_kind kind, const struct window_axis *axis,
                         const struct region_axis *wanted)
{
    bool *marks = mem_alloc_zeroed((size_t)axis->in + 1, sizeof(*marks));

    for (int64_t i = 0; i < wanted->count; i++)
        for (int64_t k = 0; k < axis->kernel; k++) {
            int64_t at = window_tap(kind, axis, wanted->first + i * wanted->step, k);

            if (at >= 0)
                marks[at] = true;
        }
    return marks;
}

/*
 * The places that begin at `first` and are `step` apart, as far as they are marked. Their marks are
 * removed.
 */
static struct region_axis take_part(bool *marks, int64_t size, int64_t first, int64_t step)
{
    struct region_axis part = {.first = first, .step = step};

    for (int64_t at = first; at < size && marks[at]; at += step) {
        marks[at] = false;
        part.count++;
    }
    return part;
}

static int64_t next_mark(const bool *marks, int64_t size, int64_t from)
{
    while (from < size && !marks[from])
        from++;
    return from;
}

/*
 * Divide the marked places into contiguous runs if windows overlap or touch, otherwise into places
 * that are one stride apart.
 */
static struct axis_parts divide(bool *marks, int64_t size, int64_t step)
{
    struct axis_parts parts = {.count = 0};

    for (int64_t at = 0; parts.count < AXIS_PARTS; parts.count++) {
        at = next_mark(marks, size, at);
        if (at == size)
            break;
        parts.items[parts.count] = take_part(marks, size, at, step);
    }
    return parts;
}

/* True if the windows leave gaps between them, which are one stride wide at most. */
static bool has_gaps(const bool *marks, int64_t size)
{
    int64_t first = next_mark(marks, size, 0), runs = 0;

    for (; first < size && runs <= AXIS_PARTS; runs++) {
        while (first < size && marks[first])
            first++;
        first = next_mark(marks, size, first);
    }
    return runs > AXIS_PARTS / 2;
}

static struct axis_parts parts_of(enum window_kind kind, const struct window_axis *axis,
                                  const struct region_axis *wanted)
{
    struct axis_parts parts = {.count = 0};
    bool *marks;

    if (axis->in > AXIS_MAX_PLACES)
        return parts;
    marks = mark_places(kind, axis, wanted);
    parts = divide(marks, axis->in,
                   has_gaps(marks, axis->in) && kind == WINDOW_FORWARD ? axis->stride * wanted->step
                                                                       : 1);
    free(marks);
    return parts;
}

void window_needs(const struct op_call *call, const struct region *wanted,
                  const struct region_axis *channels, struct region_list *needed)
{
    const struct window window = window_of(call);
    const struct region_axis one = {0, 1, 1};
    struct region region = {.rank = wanted->rank, .axes = {wanted->axes[0], *channels}};
    struct axis_parts parts[WINDOW_AXES];
    size_t lead = WINDOW_AXES - call->op->spatial;

    for (size_t i = 0; i < WINDOW_AXES; i++)
        parts[i] =
            parts_of(window.kind, &window.axes[i], i < lead ? &one : &wanted->axes[2 + i - lead]);
    for (size_t n = 0; n < parts[0].count * parts[1].count * parts[2].count; n++) {
        const size_t at[] = {n / parts[2].count / parts[1].count,
                             n / parts[2].count % parts[1].count, n % parts[2].count};

        for (size_t i = lead; i < WINDOW_AXES; i++)
            region.axes[2 + i - lead] = parts[i].items[at[i]];
        region_list_add(needed, &region);
    }
}
