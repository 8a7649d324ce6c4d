#ifndef CORE_SESSION_RECORDED_TIMELINE_H
#define CORE_SESSION_RECORDED_TIMELINE_H

#include "core/session/recorded/recording.h"
#include "core/session/state/changes.h"

/*
 * A recording with a place in it, which is a number of events, and the state of the session after
 * these events. To go to a place, the state moves from mark to mark by the changes between them
 * (changes.h), and from the last mark before the place by applying events. So every place is
 * reached quickly, also in long sessions.
 *
 * The time of a place is that of its event, but a pause between two events counts as
 * TIMELINE_WAIT_US at most, so that a night without events takes no time in the replay.
 */

enum { TIMELINE_WAIT_US = 10 * 1000000 };

/* A place from which the state can be restored. */
struct timeline_mark {
    struct session at;    /* the state at the mark: counts of its lists, but no items */
    struct strbuf before; /* the changes since the mark before it */
};

struct timeline {
    struct recording recording;
    struct session session; /* after `place` events */
    size_t place;           /* number of applied events, from 1 */
    struct changes changes; /* changes of `session` since the last mark */
    int64_t *at_us;         /* time of each event since the first, long pauses shortened */
    struct {
        struct timeline_mark *items; /* from the first event to the last one */
        size_t count, capacity;
        size_t reached; /* index of the last mark that is not after `place` */
    } marks;
    struct {
        size_t *items; /* index of the event that proposes each step, from step 1 on */
        size_t count, capacity;
    } steps;
};

/* Open the recording of a name (recording_open()), at its first event. */
enum status timeline_open(struct timeline *timeline, const char *name,
                          struct error *err) MUST_CHECK;
/* Free the contents and leave it empty. */
void timeline_release(struct timeline *timeline);

/* Go to the state after `place` events; a place outside the recording becomes the nearest. */
enum status timeline_seek(struct timeline *timeline, size_t place, struct error *err) MUST_CHECK;

/* The last place before the next step after `step` is proposed. */
size_t timeline_end_of_step(const struct timeline *timeline, unsigned step);

/* The last place whose time is not after `at_us`. */
size_t timeline_place_at(const struct timeline *timeline, int64_t at_us);

/* The time of the current place and of the last one, since the first event. */
int64_t timeline_now_us(const struct timeline *timeline);
int64_t timeline_length_us(const struct timeline *timeline);

#endif
