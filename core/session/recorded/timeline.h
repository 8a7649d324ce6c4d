#ifndef CORE_SESSION_RECORDED_TIMELINE_H
#define CORE_SESSION_RECORDED_TIMELINE_H

#include "core/session/recorded/recording.h"
#include "core/session/recorded/rewind.h"

/*
 * A recording with a place in it: the session as it stood after so many of
 * its events.  Going on applies events.  Going back, or far ahead, begins at
 * the end and takes the ways back from mark to mark, so that no place is far
 * from any other, however long the session is.
 *
 * Time on it is the time of the events, but no wait between two of them is
 * longer than TIMELINE_WAIT_US: nobody wants to see a night pass.
 */

enum { TIMELINE_WAIT_US = 10 * 1000000 };

struct timeline {
    struct recording recording;
    struct session session; /* as of `place` */
    size_t place;           /* events that have happened, from 1 */
    int64_t *at_us;         /* of each event, since the first */
    struct {
        struct rewind *items; /* from each mark to the one before; the last mark is the end */
        size_t count, capacity;
    } marks;
    struct {
        size_t *items; /* of step 1 and on: the event that proposes it, from 0 */
        size_t count, capacity;
    } steps;
};

/* The recording of a name (recording_open()), at the first event. */
enum status timeline_open(struct timeline *timeline, const char *name,
                          struct error *err) MUST_CHECK;
void timeline_release(struct timeline *timeline);

/* Go to the state after `place` events; a place that is none becomes the nearest. */
enum status timeline_seek(struct timeline *timeline, size_t place, struct error *err) MUST_CHECK;

/* The place where all has happened that followed from a step, before the next is proposed. */
size_t timeline_end_of_step(const struct timeline *timeline, unsigned step);

/* The last place that is reached at a time. */
size_t timeline_place_at(const struct timeline *timeline, int64_t at_us);

/* When the place was reached, and the last one. */
int64_t timeline_now_us(const struct timeline *timeline);
int64_t timeline_length_us(const struct timeline *timeline);

#endif
