#include "core/model/op/region.h"

#include "core/base/number.h"

struct region region_whole(const struct shape *shape)
{
    struct region region = {.rank = shape->rank};

    for (size_t i = 0; i < shape->rank; i++)
        region.axes[i] = (struct region_axis){0, 1, shape->dims[i]};
    return region;
}

static double count_elements(const struct region *region)
{
    double elements = 1;

    for (size_t i = 0; i < region->rank; i++)
        elements *= (double)region->axes[i].count;
    return elements;
}

double region_list_elements(const struct region_list *list)
{
    double elements = 0;

    for (size_t i = 0; i < list->count; i++)
        elements += count_elements(&list->items[i]);
    return elements;
}

bool region_axis_is_whole(const struct region_axis *axis, int64_t size)
{
    return axis->first == 0 && axis->count == size && (axis->step == 1 || size == 1);
}

bool region_is_whole(const struct region *region, const struct shape *shape)
{
    for (size_t i = 0; i < shape->rank; i++)
        if (!region_axis_is_whole(&region->axes[i], shape->dims[i]))
            return false;
    return !region->is_anywhere;
}

static int64_t last_of(const struct region_axis *axis)
{
    return axis->first + (axis->count - 1) * axis->step;
}

static bool axes_are_apart(const struct region_axis *a, const struct region_axis *b)
{
    return last_of(a) < b->first || last_of(b) < a->first ||
           (a->first - b->first) % number_gcd(a->step, b->step) != 0;
}

/* True if the regions are known to share no element. */
static bool are_apart(const struct region *a, const struct region *b)
{
    for (size_t i = 0; i < a->rank; i++)
        if (axes_are_apart(&a->axes[i], &b->axes[i]))
            return !a->is_anywhere && !b->is_anywhere;
    return false;
}

static void drop(struct region_list *list, size_t index)
{
    list->items[index] = list->items[--list->count];
}

/* The number of elements in those regions of the list that may overlap `region`. */
static double rivals(const struct region_list *list, const struct region *region)
{
    double elements = 0;

    for (size_t i = 0; i < list->count; i++)
        if (!are_apart(&list->items[i], region))
            elements += count_elements(&list->items[i]);
    return elements;
}

static size_t smallest(const struct region_list *list)
{
    size_t found = 0;

    for (size_t i = 1; i < list->count; i++)
        if (count_elements(&list->items[i]) < count_elements(&list->items[found]))
            found = i;
    return found;
}

void region_list_add(struct region_list *list, const struct region *region)
{
    double elements = count_elements(region);

    if (elements <= rivals(list, region))
        return;
    for (size_t i = list->count; i-- > 0;)
        if (!are_apart(&list->items[i], region))
            drop(list, i);
    if (list->count == REGIONS_MAX) {
        if (count_elements(&list->items[smallest(list)]) >= elements)
            return;
        drop(list, smallest(list));
    }
    list->items[list->count++] = *region;
}

struct region_axis region_axis_move(const struct region_axis *axis, int64_t shift, int64_t size)
{
    struct region_axis moved = {axis->first + shift, axis->step, axis->count};
    int64_t below = moved.first < 0 ? (-moved.first + moved.step - 1) / moved.step : 0, room;

    below = below < moved.count ? below : moved.count;
    moved.first += below * moved.step;
    moved.count -= below;
    room = moved.first < size ? (size - moved.first - 1) / moved.step + 1 : 0;
    moved.count = room < moved.count ? room : moved.count;
    return moved;
}

struct region region_broadcast(const struct region *region, const struct shape *shape)
{
    struct region part = {.rank = shape->rank, .is_anywhere = region->is_anywhere};
    size_t lead = region->rank - shape->rank;

    for (size_t i = 0; i < shape->rank; i++)
        part.axes[i] = shape->dims[i] == 1 ? (struct region_axis){0, 1, 1} : region->axes[lead + i];
    return part;
}

/* Axes of two shapes that have the same number of elements together: [first, end) of each. */
struct axis_group {
    size_t from_first, from_end, to_first, to_end;
};

/* The smallest group that begins at the ends of `before`. */
static struct axis_group next_group(const struct shape *from, const struct shape *to,
                                    const struct axis_group *before)
{
    struct axis_group group = {before->from_end, before->from_end, before->to_end, before->to_end};
    int64_t a = 1, b = 1;

    do {
        if (group.from_end < from->rank && (a <= b || group.to_end == to->rank))
            a *= from->dims[group.from_end++];
        else
            b *= to->dims[group.to_end++];
    } while (a != b);
    return group;
}

/* The elements of axes [first, end) after the first one. */
static int64_t row_of(const struct shape *shape, size_t first, size_t end)
{
    int64_t elements = 1;

    for (size_t i = first + 1; i < end; i++)
        elements *= shape->dims[i];
    return elements;
}

/*
 * The interval that a group of axes covers as a single axis. False unless all axes after the first
 * are whole, and the first is contiguous or the only one.
 */
static bool flatten(const struct region *region, const struct shape *shape,
                    const struct axis_group *group, struct region_axis *flat)
{
    const struct region_axis *lead = &region->axes[group->from_first];
    int64_t row = row_of(shape, group->from_first, group->from_end);

    for (size_t i = group->from_first + 1; i < group->from_end; i++)
        if (!region_axis_is_whole(&region->axes[i], shape->dims[i]))
            return false;
    *flat = (struct region_axis){lead->first * row, row == 1 ? lead->step : 1, lead->count * row};
    return lead->step == 1 || row == 1 || lead->count == 1;
}

/* Fill the axes of a group of `to` with the whole rows inside the interval. */
static bool unflatten(const struct region_axis *flat, const struct shape *to,
                      const struct axis_group *group, struct region *result)
{
    int64_t row = row_of(to, group->to_first, group->to_end);
    int64_t first = (flat->first + row - 1) / row, end = (flat->first + flat->count) / row;

    for (size_t i = group->to_first + 1; i < group->to_end; i++)
        result->axes[i] = (struct region_axis){0, 1, to->dims[i]};
    result->axes[group->to_first] = row == 1 ? *flat : (struct region_axis){first, 1, end - first};
    return row == 1 || (flat->step == 1 && end > first);
}

bool region_reshape(const struct region *region, const struct shape *from, const struct shape *to,
                    struct region *result)
{
    struct axis_group group = {0};

    if (region_is_whole(region, from)) {
        *result = region_whole(to);
        return true;
    }
    *result = (struct region){.rank = to->rank};
    while (group.from_end < from->rank || group.to_end < to->rank) {
        struct region_axis flat = {0, 1, 1};

        group = next_group(from, to, &group);
        if (group.from_first < group.from_end && !flatten(region, from, &group, &flat))
            return false;
        if (group.to_first < group.to_end && !unflatten(&flat, to, &group, result))
            return false;
    }
    return true;
}
