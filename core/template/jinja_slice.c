#include "core/template/jinja_slice.h"

#include <stdio.h>

/* Which elements: `count` of them, from `start` on. */
struct stride {
    int64_t start, step;
    size_t count;
};

/* A bound as an index: from the end where it is negative, and within what there is. */
static int64_t index_of(struct jinja_value bound, int64_t length, int64_t step)
{
    int64_t least = step < 0 ? -1 : 0, most = step < 0 ? length - 1 : length;
    int64_t index = jinja_to_integer(bound);

    if (index < 0)
        index += length;
    return index < least ? least : index > most ? most : index;
}

static size_t count_between(int64_t start, int64_t stop, int64_t step)
{
    uint64_t distance, stride;

    if (step > 0 ? start >= stop : start <= stop)
        return 0;
    distance = step > 0 ? (uint64_t)stop - (uint64_t)start : (uint64_t)start - (uint64_t)stop;
    stride = step > 0 ? (uint64_t)step : -(uint64_t)step;
    /* cppcheck-suppress zerodivcond ; no caller steps by 0 */
    return (size_t)((distance - 1) / stride + 1);
}

/* As Python's reference says of slices ("Common Sequence Operations", note 5). */
static enum status find_stride(const struct jinja_value bounds[3], size_t count,
                               struct stride *stride, struct error *err)
{
    int64_t length = (int64_t)count, stop;

    for (size_t i = 0; i < 3; i++)
        if (bounds[i].type != JINJA_NONE && !jinja_is_integer(bounds[i]))
            return error_set(err, STATUS_INVALID, "a slice goes by int, not by %s",
                             jinja_type_name(bounds[i]));
    stride->step = bounds[2].type == JINJA_NONE ? 1 : jinja_to_integer(bounds[2]);
    if (stride->step == 0)
        return error_set(err, STATUS_INVALID, "a slice cannot go in steps of zero");
    stride->start = bounds[0].type == JINJA_NONE ? (stride->step < 0 ? length - 1 : 0)
                                                 : index_of(bounds[0], length, stride->step);
    stop = bounds[1].type == JINJA_NONE ? (stride->step < 0 ? -1 : length)
                                        : index_of(bounds[1], length, stride->step);
    stride->count = count_between(stride->start, stop, stride->step);
    return STATUS_OK;
}

static const struct jinja_list *pick(struct jinja_heap *heap, const struct jinja_list *from,
                                     const struct stride *stride)
{
    struct jinja_list *picked = jinja_list_new(heap, stride->count);

    for (size_t i = 0; i < picked->count; i++)
        picked->items[i] = from->items[stride->start + (int64_t)i * stride->step];
    return picked;
}

static struct jinja_value join(struct jinja_heap *heap, const struct jinja_list *characters)
{
    struct strbuf text = {0};
    struct jinja_value joined;

    for (size_t i = 0; i < characters->count; i++)
        strbuf_add(&text, characters->items[i].text.bytes, characters->items[i].text.len);
    joined = jinja_string(
        (struct jinja_text){arena_copy(&heap->arena, strbuf_cstr(&text), text.len), text.len});
    strbuf_release(&text);
    return joined;
}

/* The numbers, with what Python prints of them. */
static struct jinja_value range_new(struct jinja_heap *heap, const struct stride *stride,
                                    int64_t stop)
{
    struct jinja_list *list = jinja_list_new(heap, stride->count);
    char text[96];
    int len =
        snprintf(text, sizeof(text), "range(%lld, %lld", (long long)stride->start, (long long)stop);

    if (stride->step != 1)
        len += snprintf(text + len, sizeof(text) - (size_t)len, ", %lld", (long long)stride->step);
    text[len++] = ')';
    for (size_t i = 0; i < list->count; i++)
        list->items[i] = jinja_int((int64_t)((uint64_t)stride->start + i * (uint64_t)stride->step));
    heap->steps += list->count;
    return (struct jinja_value){
        JINJA_RANGE, {.list = list, .view = arena_copy(&heap->arena, text, (size_t)len)}};
}

enum status jinja_slice(struct jinja_heap *heap, struct jinja_value of,
                        const struct jinja_value bounds[3], struct jinja_value *out,
                        struct error *err)
{
    const struct jinja_list *elements;
    struct stride stride = {0};
    enum status st;

    if (of.type != JINJA_LIST && of.type != JINJA_TUPLE && of.type != JINJA_STRING)
        return error_set(err, STATUS_INVALID, "%s has no slices", jinja_type_name(of));
    st = jinja_elements(heap, of, &elements, err);
    if (!st)
        st = find_stride(bounds, elements->count, &stride, err);
    if (st)
        return st;
    elements = pick(heap, elements, &stride);
    *out = of.type == JINJA_STRING ? join(heap, elements)
                                   : (struct jinja_value){of.type, {.list = elements}};
    return STATUS_OK;
}

enum { RANGE_MAX = 1 << 20 };

/* range(stop), range(start, stop) or range(start, stop, step). */
static enum status apply_range(struct jinja_heap *heap, const struct jinja_function *function,
                               const struct jinja_value *arguments, struct jinja_value *out,
                               struct error *err)
{
    bool from_zero = arguments[1].type == JINJA_UNDEFINED;
    struct jinja_value start = from_zero ? jinja_int(0) : arguments[0];
    struct jinja_value stop = from_zero ? arguments[0] : arguments[1];
    struct jinja_value step = arguments[2].type == JINJA_UNDEFINED ? jinja_int(1) : arguments[2];
    struct stride stride;

    (void)function;
    if (!jinja_is_integer(start) || !jinja_is_integer(stop) || !jinja_is_integer(step))
        return error_set(err, STATUS_INVALID, "range: its bounds and its step are int");
    if (jinja_to_integer(step) == 0)
        return error_set(err, STATUS_INVALID, "range: a step of zero");
    stride = (struct stride){.start = jinja_to_integer(start), .step = jinja_to_integer(step)};
    stride.count = count_between(stride.start, jinja_to_integer(stop), stride.step);
    if (stride.count > RANGE_MAX)
        return error_set(err, STATUS_INVALID, "range: more than %d numbers", RANGE_MAX);
    *out = range_new(heap, &stride, jinja_to_integer(stop));
    return STATUS_OK;
}

/* They have no name that could be given, as in Python. */
static const struct jinja_parameter range_parameters[] = {
    {.name = "first bound"},
    {"second bound", {.type = JINJA_UNDEFINED}},
    {"the step", {.type = JINJA_UNDEFINED}},
    {0}};

const struct jinja_function jinja_globals[] = {
    {"range", range_parameters, apply_range, 0, false},
    {0},
};
