#include "backends/given_copies.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "core/judge/oracle/fill.h"

/* Smaller contents are handed over as fast as they are copied. */
enum { LEAST_BYTES = 1 << 22 };

/* A copy is made if so many times its size are free: other processes need memory, too. */
static const double free_times = 16;

static size_t bytes_of(const struct contents *contents)
{
    return (size_t)shape_elements(&contents->value->shape) * dtype_bytes(contents->value->dtype);
}

/* The place for the copy of the set that `contents` is; NULL if it gets none. */
static struct buffer **find(struct given_copies *copies, const struct given_place *place,
                            const struct contents *contents)
{
    const struct given *given = &contents->value->given;
    const unsigned char *set = NULL;

    if (place->ops->buffer_copy && place->ops->free_bytes && bytes_of(contents) >= LEAST_BYTES)
        set = fill_given(contents->value, contents->seed);
    if (!set)
        return NULL;
    if (!copies->sets)
        *copies = (struct given_copies){mem_alloc_zeroed(given->count, sizeof(*copies->sets)),
                                        given->count};
    return &copies->sets[(size_t)(set - given->bytes) / given->stride];
}

/* Copy the buffer's contents, which have just been filled. */
static void keep(struct buffer **copy, const struct given_place *place, size_t bytes)
{
    struct error ignored; /* without a copy the host hands over the set again */

    if (place->ops->free_bytes(place->device) < free_times * (double)bytes ||
        place->ops->buffer_new(place->device, bytes, copy, &ignored))
        return;
    if (!place->ops->buffer_copy(*copy, place->buffer, &ignored))
        return;
    place->ops->buffer_free(*copy);
    *copy = NULL;
}

enum status given_copies_fill(struct given_copies *copies, const struct given_place *place,
                              const struct contents *contents, struct error *err)
{
    struct buffer **copy = find(copies, place, contents);
    enum status st;

    if (copy && *copy)
        return place->ops->buffer_copy(place->buffer, *copy, err);
    st = place->ops->buffer_fill(place->buffer, contents, err);
    if (!st && copy)
        keep(copy, place, bytes_of(contents));
    return st;
}

void given_copies_release(struct given_copies *copies, const struct backend_ops *ops)
{
    for (size_t i = 0; i < copies->count; i++)
        if (copies->sets[i])
            ops->buffer_free(copies->sets[i]);
    free(copies->sets);
    *copies = (struct given_copies){0};
}
