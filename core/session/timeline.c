#include "core/session/timeline.h"

#include <stdlib.h>

#include "core/base/vec.h"

/* Since the event before; clocks that were set back have waited no time. */
static int64_t wait_before(const struct recording *recording, size_t event)
{
    int64_t before_us = 0, now_us = 0;

    if (event == 0 ||
        !clock_read_stamp(event_time(&recording->events.items[event - 1]), &before_us) ||
        !clock_read_stamp(event_time(&recording->events.items[event]), &now_us) ||
        now_us < before_us)
        return 0;
    return now_us - before_us < TIMELINE_WAIT_US ? now_us - before_us : TIMELINE_WAIT_US;
}

enum status timeline_open(struct timeline *timeline, const struct recording *recording,
                          struct error *err)
{
    size_t count = recording->events.count;
    int64_t at_us = 0;

    *timeline = (struct timeline){.recording = recording,
                                  .at_us = mem_alloc_zeroed(count, sizeof(*timeline->at_us))};
    for (size_t i = 0; i < count; i++) {
        at_us += wait_before(recording, i);
        timeline->at_us[i] = at_us;
        if (recording->events.items[i].type == EVENT_STEP_PROPOSED)
            vec_push(&timeline->steps, i);
    }
    return timeline_seek(timeline, 1, err);
}

void timeline_release(struct timeline *timeline)
{
    session_release(&timeline->session);
    free(timeline->at_us);
    vec_release(&timeline->steps);
    *timeline = (struct timeline){0};
}

enum status timeline_seek(struct timeline *timeline, size_t place, struct error *err)
{
    const struct recording *recording = timeline->recording;
    size_t last = recording->events.count;
    enum status st = STATUS_OK;

    if (place > last)
        place = last;
    if (place == 0)
        place = 1;
    if (place < timeline->place) {
        session_release(&timeline->session);
        timeline->place = 0;
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
