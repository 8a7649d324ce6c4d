#include "core/session/state/changes.h"

#include <stdint.h>
#include <string.h>

/* Apply the macro DO to the name of each list of a session. */
#define FOR_LISTS(DO) \
    DO(steps)         \
    DO(attempts)      \
    DO(baselines)     \
    DO(notes)         \
    DO(attachments)   \
    DO(undos)         \
    DO(set_aside)

/* Any list, as bytes. */
struct span {
    char *items;
    size_t count, capacity, size;
};

struct spans {
    struct span lists[CHANGES_LISTS];
};

/*
 * Stored before and after the bytes of a noted item, so that the list is read in both directions.
 */
struct place {
    uint32_t list, index;
};

static struct spans spans_of(const struct session *session)
{
#define SPAN(list)                                                             \
    {(char *)session->list.items, session->list.count, session->list.capacity, \
     sizeof(*session->list.items)},
    return (struct spans){{FOR_LISTS(SPAN)}};
#undef SPAN
}

void changes_note(struct session *session, const void *item)
{
    struct changes *changes = session->changes;
    const char *bytes = item;
    struct spans spans;

    if (!changes)
        return;
    spans = spans_of(session);
    for (uint32_t i = 0; i < CHANGES_LISTS; i++) {
        const struct span *list = &spans.lists[i];
        struct place place = {.list = i};

        if (!list->items || bytes < list->items ||
            bytes >= list->items + list->capacity * list->size)
            continue;
        place.index = (uint32_t)((size_t)(bytes - list->items) / list->size);
        if (place.index >= changes->known[i])
            return;
        strbuf_add(&changes->items, &place, sizeof(place));
        strbuf_add(&changes->items, bytes, list->size);
        strbuf_add(&changes->items, &place, sizeof(place));
        return;
    }
}

void changes_begin(struct changes *changes, const struct session *session)
{
    changes->items.len = 0;
    memset(changes->known, 0, sizeof(changes->known));
    changes_raise(changes->known, session);
}

void changes_raise(size_t most[CHANGES_LISTS], const struct session *session)
{
    struct spans spans = spans_of(session);

    for (size_t i = 0; i < CHANGES_LISTS; i++)
        if (spans.lists[i].count > most[i])
            most[i] = spans.lists[i].count;
}

static void exchange(char *a, char *b, size_t size)
{
    char kept[256];

    for (size_t at = 0, part; at < size; at += part) {
        part = size - at < sizeof(kept) ? size - at : sizeof(kept);
        memcpy(kept, a + at, part);
        memcpy(a + at, b + at, part);
        memcpy(b + at, kept, part);
    }
}

/* Exchange an item with its noted bytes. */
static const struct span *exchange_item(const struct spans *spans, struct place place, char *noted)
{
    const struct span *list = &spans->lists[place.list];

    exchange(list->items + place.index * list->size, noted, list->size);
    return list;
}

void changes_go_back(struct strbuf *items, struct session *session)
{
    struct spans spans = spans_of(session);
    size_t at = items->len;

    while (at > 0) {
        struct place place;

        memcpy(&place, items->data + at - sizeof(place), sizeof(place));
        at -= spans.lists[place.list].size + 2 * sizeof(place);
        exchange_item(&spans, place, items->data + at + sizeof(place));
    }
}

void changes_go_forward(struct strbuf *items, struct session *session)
{
    struct spans spans = spans_of(session);
    size_t at = 0;

    while (at < items->len) {
        struct place place;

        memcpy(&place, items->data + at, sizeof(place));
        exchange_item(&spans, place, items->data + at + sizeof(place));
        at += spans.lists[place.list].size + 2 * sizeof(place);
    }
}

void changes_set_members(struct session *session, const struct session *from)
{
    struct session own = *session;

    *session = *from;
#define KEEP_LIST(list)                   \
    session->list.items = own.list.items; \
    session->list.capacity = own.list.capacity;
    FOR_LISTS(KEEP_LIST)
#undef KEEP_LIST
    session->texts = own.texts;
    session->changes = own.changes;
}

/* Zero the places behind the last item, because changes_note() may read them. */
#define COPY_LIST(list)                                                                 \
    session->list.items = mem_grow(session->list.items, &session->list.capacity, *most, \
                                   sizeof(*session->list.items));                       \
    if (*most)                                                                          \
        memset(session->list.items, 0, *most * sizeof(*session->list.items));           \
    if (from->list.count)                                                               \
        memcpy(session->list.items, from->list.items,                                   \
               from->list.count * sizeof(*session->list.items));                        \
    most++;

void changes_copy(struct session *session, const struct session *from,
                  const size_t most[CHANGES_LISTS])
{
    session->texts = texts_share(from->texts);
    FOR_LISTS(COPY_LIST)
    changes_set_members(session, from);
}
