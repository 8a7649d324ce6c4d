#include "core/session/recorded/rewind.h"

#include <string.h>

#include "core/base/vec.h"

/* Apply the macro DO to the name of each list of a session. */
#define FOR_LISTS(DO) \
    DO(steps)         \
    DO(attempts)      \
    DO(baselines)     \
    DO(notes)         \
    DO(attachments)   \
    DO(undos)         \
    DO(set_aside)

/* The items of any list, as bytes. */
struct span {
    char *items;
    size_t count, size;
};

#define SPAN(list) ((struct span){(char *)(list).items, (list).count, sizeof(*(list).items)})

/* The format of rewind.items for one list: index and bytes of each item, then the index SIZE_MAX.
 */
static void put_place(struct strbuf *items, size_t place)
{
    strbuf_add(items, &place, sizeof(place));
}

/*
 * Make the list, which has room, equal to its later state, and append its changed items to `items`.
 * An item whose padding alone differs is appended too, which is harmless.
 */
static void follow_list(struct span now, struct span later, struct strbuf *items)
{
    for (size_t i = 0; i < now.count; i++) {
        char *item = now.items + i * now.size;
        const char *then = later.items + i * now.size;

        if (i < later.count && memcmp(item, then, now.size) == 0)
            continue;
        put_place(items, i);
        strbuf_add(items, item, now.size);
        if (i < later.count)
            memcpy(item, then, now.size);
    }
    put_place(items, SIZE_MAX);
    if (later.count > now.count)
        memcpy(now.items + now.count * now.size, later.items + now.count * now.size,
               (later.count - now.count) * now.size);
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

/* Exchange the changed items of a list; returns the end of their part of `items`. */
static char *exchange_changed(struct span list, char *items)
{
    size_t place;

    for (;; items += list.size) {
        memcpy(&place, items, sizeof(place));
        items += sizeof(place);
        if (place == SIZE_MAX)
            return items;
        exchange(list.items + place * list.size, items, list.size);
    }
}

/* Copy all members of `from` but the items of the lists and the texts. */
static void set_members(struct session *session, const struct session *from)
{
    struct session own = *session;

    *session = *from;
#define KEEP_LIST(list)                   \
    session->list.items = own.list.items; \
    session->list.capacity = own.list.capacity;
    FOR_LISTS(KEEP_LIST)
#undef KEEP_LIST
    session->texts = own.texts;
}

struct rewind rewind_follow(struct session *session, const struct session *later)
{
    struct rewind back = {.other = *session};

    if (!session->texts)
        session->texts = texts_share(later->texts);
#define FOLLOW_LIST(list)                                                            \
    session->list.items = mem_grow(session->list.items, &session->list.capacity,     \
                                   later->list.count, sizeof(*session->list.items)); \
    follow_list(SPAN(session->list), SPAN(later->list), &back.items);
    FOR_LISTS(FOLLOW_LIST)
#undef FOLLOW_LIST
    set_members(session, later);
    return back;
}

/* Items of lists that get shorter stay behind their ends, where the way back finds them. */
void rewind_go(struct rewind *between, struct session *session)
{
    struct session here = *session;
    char *items = between->items.data;

    set_members(session, &between->other);
    between->other = here;
#define EXCHANGE_LIST(list) items = exchange_changed(SPAN(session->list), items);
    FOR_LISTS(EXCHANGE_LIST)
#undef EXCHANGE_LIST
}

void rewind_copy(struct session *session, const struct session *from)
{
    if (!session->texts)
        session->texts = texts_share(from->texts);
#define COPY_LIST(list)                                                                            \
    session->list.items = mem_grow(session->list.items, &session->list.capacity, from->list.count, \
                                   sizeof(*session->list.items));                                  \
    if (from->list.count)                                                                          \
        memcpy(session->list.items, from->list.items,                                              \
               from->list.count * sizeof(*session->list.items));
    FOR_LISTS(COPY_LIST)
#undef COPY_LIST
    set_members(session, from);
}

void rewind_release(struct rewind *back)
{
    strbuf_release(&back->items);
    *back = (struct rewind){0};
}
