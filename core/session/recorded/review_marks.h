#ifndef CORE_SESSION_RECORDED_REVIEW_MARKS_H
#define CORE_SESSION_RECORDED_REVIEW_MARKS_H

#include "core/session/state/event_data.h"

/*
 * The engineer's marks on recommendations: reviewed, starred, a note. They are events in a separate
 * journal, not in those of the sessions: a session may be closed, shipped with kforge, or open in
 * another process, and marks must not change its replay.
 */
struct review_mark {
    char *session; /* id */
    unsigned step;
    bool is_reviewed, is_starred;
    char *note; /* "" for none */
};

/* The last mark of each recommendation, sorted by session and step.  All zeros is empty. */
struct review_marks {
    struct review_mark *items;
    size_t count, capacity;
};

/* Read the journal into empty marks; without a journal there are none. */
enum status review_marks_read(struct review_marks *marks, struct error *err) MUST_CHECK;
/* Free the contents and leave it empty. */
void review_marks_release(struct review_marks *marks);

/*
 * Append a mark to the journal, then read the journal into `marks`, so that marks by other
 * processes are there too. On failure nothing changes; STATUS_UNAVAILABLE while another kforge
 * writes.
 */
enum status review_marks_set(struct review_marks *marks, const struct recommendation_marked *mark,
                             struct error *err) MUST_CHECK;

/* The mark of a recommendation; NULL for none. */
const struct review_mark *review_marks_find(const struct review_marks *marks, const char *session,
                                            unsigned step);

#endif
