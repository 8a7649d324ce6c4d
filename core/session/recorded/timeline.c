#include "core/session/recorded/timeline.h"

#include <stdint.h>
#include <stdlib.h>

#include "core/base/vec.h"
#include "core/session/state/fold.h"

/* The distance of two marks in events. */
enum { MARK_EVENTS = 16 };

/* The pause before an event; 0 if the clock was set back. */
static int64_t wait_until(const struct recorded *event, int64_t *last_us)
{
    int64_t wait_us = *last_us && event->at_us ? event->at_us - *last_us : 0;

    if (event->at_us)
        *last_us = event->at_us;
    if (wait_us < 0)
        return 0;
    return wait_us < TIMELINE_WAIT_US ? wait_us : TIMELINE_WAIT_US;
}

static void find_times_and_steps(struct timeline *timeline)
{
    const struct recording *recording = &timeline->recording;
    int64_t at_us = 0, last_us = 0;

    timeline->at_us = mem_alloc_zeroed(recording->events.count, sizeof(*timeline->at_us));
    for (size_t i = 0; i < recording->events.count; i++) {
        at_us += wait_until(&recording->events.items[i], &last_us);
        timeline->at_us[i] = at_us;
        if (recording->events.items[i].type == EVENT_STEP_PROPOSED)
            vec_push(&timeline->steps, i);
    }
}

static void add_mark(struct timeline *timeline, const struct session *session)
{
    struct timeline_mark mark = {.at = *session};

    if (timeline->changes.items.len)
        strbuf_add(&mark.before, timeline->changes.items.data, timeline->changes.items.len);
    vec_push(&timeline->marks, mark);
    changes_begin(&timeline->changes, session);
}

static void on_folded(void *data, const struct session *session)
{
    struct timeline *timeline = data;
    size_t count = timeline->marks.count;

    if (!count || session->events >= timeline->marks.items[count - 1].at.events + MARK_EVENTS)
        add_mark(timeline, session);
}

/* Go to the last mark that is not after a place. */
static void go_to_mark(struct timeline *timeline, size_t place)
{
    struct timeline_mark *items = timeline->marks.items;
    struct session *session = &timeline->session;
    size_t *reached = &timeline->marks.reached;

    changes_go_back(&timeline->changes.items, session);
    timeline->changes.items.len = 0;
    while (items[*reached].at.events > place)
        changes_go_back(&items[(*reached)--].before, session);
    while (*reached + 1 < timeline->marks.count && items[*reached + 1].at.events <= place)
        changes_go_forward(&items[++*reached].before, session);
    changes_set_members(session, &items[*reached].at);
    timeline->place = session->events;
}

/*
 * Begin at the end, with the final state. `known` becomes the longest length of each list at any
 * mark, so that every item that a mark needs is noted.
 */
static void begin_at_end(struct timeline *timeline)
{
    const struct session *last = &timeline->recording.session;
    struct changes *changes = &timeline->changes;

    if (timeline->marks.items[timeline->marks.count - 1].at.events < last->events)
        add_mark(timeline, last);
    for (size_t i = 0; i < timeline->marks.count; i++)
        changes_raise(changes->known, &timeline->marks.items[i].at);
    changes->items.len = 0;
    changes_copy(&timeline->session, last, changes->known);
    timeline->marks.reached = timeline->marks.count - 1;
    timeline->place = last->events;
}

enum status timeline_open(struct timeline *timeline, const char *name, struct error *err)
{
    struct timeline opened = {0};
    const struct recording_listener listener = {on_folded, &opened.changes, &opened};
    enum status st = recording_follow(name, &listener, &opened.recording, err);

    if (!st) {
        begin_at_end(&opened);
        find_times_and_steps(&opened);
        st = timeline_seek(&opened, 1, err);
    }
    if (st)
        timeline_release(&opened);
    else
        *timeline = opened;
    return st;
}

void timeline_release(struct timeline *timeline)
{
    for (size_t i = 0; i < timeline->marks.count; i++)
        strbuf_release(&timeline->marks.items[i].before);
    vec_release(&timeline->marks);
    strbuf_release(&timeline->changes.items);
    session_release(&timeline->session);
    recording_release(&timeline->recording);
    free(timeline->at_us);
    vec_release(&timeline->steps);
    *timeline = (struct timeline){0};
}

static enum status apply_next(struct timeline *timeline, struct error *err)
{
    struct event event = {0};
    enum status st = recording_event(&timeline->recording, timeline->place, &event, err);

    timeline->session.changes = &timeline->changes;
    if (!st)
        st = fold_apply(&timeline->session, &event, err);
    timeline->session.changes = NULL;
    event_release(&event);
    timeline->place += !st;
    return st;
}

/* The place of the next mark; the end if there is none. */
static size_t next_mark(const struct timeline *timeline)
{
    size_t next = timeline->marks.reached + 1;

    return next < timeline->marks.count ? timeline->marks.items[next].at.events : SIZE_MAX;
}

enum status timeline_seek(struct timeline *timeline, size_t place, struct error *err)
{
    size_t last = timeline->recording.events.count;
    enum status st = STATUS_OK;

    if (place > last)
        place = last;
    if (place == 0)
        place = 1;
    if (place < timeline->place || place >= next_mark(timeline))
        go_to_mark(timeline, place);
    while (!st && timeline->place < place)
        st = apply_next(timeline, err);
    return st;
}

size_t timeline_end_of_step(const struct timeline *timeline, unsigned step)
{
    size_t last = timeline->recording.events.count;

    return step < timeline->steps.count ? timeline->steps.items[step] : last;
}

size_t timeline_place_at(const struct timeline *timeline, int64_t at_us)
{
    size_t low = 1, high = timeline->recording.events.count;

    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;

        if (timeline->at_us[middle - 1] <= at_us)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

int64_t timeline_now_us(const struct timeline *timeline)
{
    return timeline->at_us[timeline->place - 1];
}

int64_t timeline_length_us(const struct timeline *timeline)
{
    return timeline->at_us[timeline->recording.events.count - 1];
}
