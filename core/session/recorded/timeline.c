#include "core/session/recorded/timeline.h"

#include <stdlib.h>

#include "core/base/vec.h"
#include "core/session/state/fold.h"

/* The distance of two marks in events: LEAST_DISTANCE, and 1/SHARE of the place more. */
enum { LEAST_DISTANCE = 16, SHARE = 64 };

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
    vec_push(&timeline->marks, rewind_follow(&timeline->marked, session));
    timeline->marks.reached = timeline->marks.count;
}

static void hear_folded(void *data, const struct session *session)
{
    struct timeline *timeline = data;

    size_t last = timeline->marked.events;

    if (session->events >= last + LEAST_DISTANCE + last / SHARE)
        add_mark(timeline, session);
}

/* Go to the last mark that is not after a place; places before the first mark have an empty state.
 */
static void go_to_mark(struct timeline *timeline, size_t place)
{
    struct session *marked = &timeline->marked;
    struct rewind *items = timeline->marks.items;
    size_t *reached = &timeline->marks.reached;

    while (marked->events > place)
        rewind_go(&items[--*reached], marked);
    while (*reached < timeline->marks.count && items[*reached].other.events <= place)
        rewind_go(&items[(*reached)++], marked);
    rewind_copy(&timeline->session, marked);
    timeline->place = marked->events;
}

enum status timeline_open(struct timeline *timeline, const char *name, struct error *err)
{
    struct timeline opened = {0};
    const struct recording_listener listener = {hear_folded, &opened};
    enum status st = recording_follow(name, &listener, &opened.recording, err);

    if (!st) {
        add_mark(&opened, &opened.recording.session);
        find_times_and_steps(&opened);
        rewind_copy(&opened.session, &opened.marked); /* takes all the memory that seeks need */
        go_to_mark(&opened, 1);
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
        rewind_release(&timeline->marks.items[i]);
    vec_release(&timeline->marks);
    session_release(&timeline->session);
    session_release(&timeline->marked);
    recording_release(&timeline->recording);
    free(timeline->at_us);
    vec_release(&timeline->steps);
    *timeline = (struct timeline){0};
}

static enum status apply_next(struct timeline *timeline, struct error *err)
{
    struct event event = {0};
    enum status st = recording_event(&timeline->recording, timeline->place, &event, err);

    if (!st)
        st = fold_apply(&timeline->session, &event, err);
    event_release(&event);
    timeline->place += !st;
    return st;
}

/* True if applying events from the current place is the shorter way. */
static bool is_near(const struct timeline *timeline, size_t place)
{
    return timeline->place <= place &&
           place - timeline->place <= LEAST_DISTANCE + timeline->place / SHARE;
}

enum status timeline_seek(struct timeline *timeline, size_t place, struct error *err)
{
    size_t last = timeline->recording.events.count;
    enum status st = STATUS_OK;

    if (place > last)
        place = last;
    if (place == 0)
        place = 1;
    if (!is_near(timeline, place))
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
