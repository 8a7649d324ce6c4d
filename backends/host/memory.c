#include "backends/host/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/oracle/fill.h"

enum { PART_ELEMENTS = 1 << 14, PART_BYTES = 1 << 16 };

static enum status refuse(const struct device *device, size_t bytes, struct error *err)
{
    unsigned long long limit = moat_address_limit();

    if (limit)
        return error_set(err, STATUS_UNAVAILABLE,
                         "%s has no room for %zu bytes: ulimit -v allows %llu MB; start kforge "
                         "with a higher limit",
                         device->info.id, bytes, limit >> 20);
    return buffer_refused(&device->info, bytes, "the system gives no more", err);
}

enum status host_buffer_new(struct device *device, size_t bytes, struct buffer **buffer,
                            struct error *err)
{
    struct buffer *made = mem_alloc_zeroed(1, sizeof(*made));

    *made = (struct buffer){device, moat_new(bytes + BUFFER_MARGINS_BYTES), NULL, bytes};
    if (!made->moat || bytes > (uint64_t)device->info.max_buffer_bytes) {
        host_buffer_free(made);
        return refuse(device, bytes, err);
    }
    made->contents = (unsigned char *)moat_bytes(made->moat) + BUFFER_GUARD_BYTES;
    *buffer = made;
    return STATUS_OK;
}

void host_buffer_free(struct buffer *buffer)
{
    if (buffer)
        moat_free(buffer->moat);
    free(buffer);
}

/* Work on the parts of a buffer. Each thread takes the next part that no other has taken. */
struct parts {
    void (*work)(struct parts *parts, size_t first, size_t count);
    size_t count, part; /* number of elements or bytes, in total and in a part */
    _Atomic size_t next;
    struct device *device;
    unsigned char *bytes;
    const unsigned char *source;
    uint32_t word;
    const struct contents *contents;
    atomic_bool differs;
};

static void take_parts(void *data, unsigned number)
{
    struct parts *parts = data;
    size_t first;

    (void)number;
    while ((first = atomic_fetch_add(&parts->next, parts->part)) < parts->count) {
        size_t left = parts->count - first;

        parts->work(parts, first, left < parts->part ? left : parts->part);
    }
}

static void share_parts(void *data, unsigned number)
{
    struct parts *parts = data;
    size_t wanted = (parts->count + parts->part - 1) / parts->part;
    unsigned size = team_size(parts->device->team);

    (void)number;
    team_share(parts->device->team, take_parts, parts, wanted < size ? (unsigned)wanted : size);
}

static enum status work_on(struct parts *parts, const struct buffer *buffer, struct error *err)
{
    enum status st = host_start(buffer->device, err);

    parts->device = buffer->device;
    parts->bytes = buffer->contents;
    if (!st && parts->count > 0)
        team_call(buffer->device->team, share_parts, parts);
    return st;
}

static void poison_part(struct parts *parts, size_t first, size_t count)
{
    unsigned char *at = parts->bytes + first;
    size_t whole = count / sizeof(parts->word);

    for (size_t i = 0; i < whole; i++)
        memcpy(at + i * sizeof(parts->word), &parts->word, sizeof(parts->word));
    memcpy(at + whole * sizeof(parts->word), &parts->word, count % sizeof(parts->word));
}

enum status host_buffer_poison(struct buffer *buffer, struct buffer_poison poison,
                               struct error *err)
{
    struct parts parts = {
        .work = poison_part, .count = buffer->bytes, .part = PART_BYTES, .word = poison.word};

    memset(buffer->contents - BUFFER_GUARD_BYTES, poison.guard, BUFFER_GUARD_BYTES);
    memset(buffer->contents + buffer->bytes, poison.guard, BUFFER_GUARD_BYTES);
    return work_on(&parts, buffer, err);
}

/* A value like `value`, of `count` elements. */
static struct value part_of(const struct value *value, size_t count)
{
    struct value part = *value;

    part.shape = (struct shape){.rank = 1, .dims = {(int64_t)count}};
    return part;
}

static void fill_part(struct parts *parts, size_t first, size_t count)
{
    const struct contents *c = parts->contents;
    const struct value part = part_of(c->value, count);

    fill_make_part(&part, c->seed, c->stream, first,
                   parts->bytes + first * dtype_bytes(c->value->dtype));
}

static void compare_part(struct parts *parts, size_t first, size_t count)
{
    const struct contents *c = parts->contents;
    const struct value part = part_of(c->value, count);
    unsigned char made[PART_ELEMENTS * sizeof(double)];
    size_t bytes = dtype_bytes(c->value->dtype);

    fill_make_part(&part, c->seed, c->stream, first, made);
    if (memcmp(made, parts->bytes + first * bytes, count * bytes) != 0)
        parts->differs = true;
}

static struct parts parts_of(const struct contents *contents)
{
    return (struct parts){.count = (size_t)shape_elements(&contents->value->shape),
                          .part = PART_ELEMENTS,
                          .contents = contents};
}

enum status host_buffer_fill(struct buffer *buffer, const struct contents *contents,
                             struct error *err)
{
    struct parts parts = parts_of(contents);

    parts.work = fill_part;
    if (fill_has_parts(contents->value, contents->seed))
        return work_on(&parts, buffer, err);
    fill_make(contents->value, contents->seed, contents->stream, buffer->contents);
    return STATUS_OK;
}

enum status host_buffer_holds(struct buffer *buffer, const struct contents *contents, bool *holds,
                              struct error *err)
{
    struct parts parts = parts_of(contents);
    enum status st;

    parts.work = compare_part;
    if (!fill_has_parts(contents->value, contents->seed)) {
        *holds = fill_is_made(contents->value, contents->seed, contents->stream, buffer->contents);
        return STATUS_OK;
    }
    st = work_on(&parts, buffer, err);
    *holds = !parts.differs;
    return st;
}

static void copy_part(struct parts *parts, size_t first, size_t count)
{
    memcpy(parts->bytes + first, parts->source + first, count);
}

enum status host_buffer_write(struct buffer *buffer, const void *contents, struct error *err)
{
    struct parts parts = {
        .work = copy_part, .count = buffer->bytes, .part = PART_BYTES, .source = contents};

    return work_on(&parts, buffer, err);
}

static void read_part(struct parts *parts, size_t first, size_t count)
{
    memcpy((unsigned char *)(uintptr_t)parts->source + first, parts->bytes + first, count);
}

enum status host_buffer_read(struct buffer *buffer, void *allocation, struct error *err)
{
    struct parts parts = {.work = read_part,
                          .count = buffer->bytes,
                          .part = PART_BYTES,
                          .source = (const unsigned char *)allocation + BUFFER_GUARD_BYTES};
    enum status st = work_on(&parts, buffer, err);

    return st ? st : host_buffer_read_guards(buffer, allocation, err);
}

enum status host_buffer_read_guards(struct buffer *buffer, void *allocation, struct error *err)
{
    unsigned char *to = allocation;

    (void)err;
    memcpy(to, buffer->contents - BUFFER_GUARD_BYTES, BUFFER_GUARD_BYTES);
    memcpy(to + BUFFER_GUARD_BYTES + buffer->bytes, buffer->contents + buffer->bytes,
           BUFFER_GUARD_BYTES);
    return STATUS_OK;
}
