#include "core/session/timeline.h"

#include <stdlib.h>

#include "core/base/vec.h"

/* Since the event before; clocks that were set back have waited no time. */
static int64_t wait_until(const struct event *event, int64_t *last_us)
{
    int64_t now_us = 0, wait_us;

    if (!clock_read_stamp(event_time(event), &now_us))
        return 0;
    wait_us = *last_us ? now_us - *last_us : 0;
    *last_us = now_us;
    if (wait_us < 0)
        return 0;
    return wait_us < TIMELINE_WAIT_US ? wait_us : TIMELINE_WAIT_US;
}

static void find_times_and_steps(struct timeline *timeline)
{
    const struct recording *recording = timeline->recording;
    int64_t at_us = 0, last_us = 0;

    for (size_t i = 0; i < recording->events.count; i++) {
        at_us += wait_until(&recording->events.items[i], &last_us);
        timeline->at_us[i] = at_us;
        if (recording->events.items[i].type == EVENT_STEP_PROPOSED)
            vec_push(&timeline->steps, i);
    }
}

enum status timeline_open(struct timeline *timeline, const struct recording *recording,
                          struct error *err)
{
    size_t count = recording->events.count;
    enum status st = STATUS_OK;

    *timeline = (struct timeline){.recording = recording,
                                  .at_us = mem_alloc_zeroed(count, sizeof(*timeline->at_us))};
    find_times_and_steps(timeline);
    for (size_t i = 0; !st && i < TIMELINE_KEPT; i++) {
        st = timeline_seek(timeline, count * (i + 1) / (TIMELINE_KEPT + 1), err);
        timeline->kept[i] = session_copy(&timeline->session);
    }
    return st ? st : timeline_seek(timeline, 1, err);
}

void timeline_release(struct timeline *timeline)
{
    for (size_t i = 0; i < TIMELINE_KEPT; i++)
        session_release(&timeline->kept[i]);
    session_release(&timeline->session);
    free(timeline->at_us);
    vec_release(&timeline->steps);
    *timeline = (struct timeline){0};
}

/* The last state that is known and not after a place: the beginning, one that was kept, the end. */
static const struct session *nearest(const struct timeline *timeline, size_t place)
{
    static const struct session beginning;
    const struct session *found = &beginning;

    for (size_t i = 0; i < TIMELINE_KEPT; i++)
        if (timeline->kept[i].events <= place && timeline->kept[i].events > found->events)
            found = &timeline->kept[i];
    if (timeline->recording->session.events == place)
        found = &timeline->recording->session;
    return found;
}

enum status timeline_seek(struct timeline *timeline, size_t place, struct error *err)
{
    const struct recording *recording = timeline->recording;
    size_t last = recording->events.count;
    const struct session *from;
    enum status st = STATUS_OK;

    if (place > last)
        place = last;
    if (place == 0)
        place = 1;
    from = nearest(timeline, place);
    if (place < timeline->place || from->events > timeline->place) {
        session_release(&timeline->session);
        timeline->session = session_copy(from);
        timeline->place = from->events;
    }
    while (!st && timeline->place < place)
        st = session_apply(&timeline->session, &recording->events.items[timeline->place++], err);
    return st;
}

size_t timeline_end_of_step(const struct timeline *timeline, unsigned step)
{
    size_t last = timeline->recording->events.count;

    return step < timeline->steps.count ? timeline->steps.items[step] : last;
}

size_t timeline_place_at(const struct timeline *timeline, int64_t at_us)
{
    size_t low = 1, high = timeline->recording->events.count;

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
    return timeline->at_us[timeline->recording->events.count - 1];
}
