#ifndef CORE_SESSION_RECORDED_REVIEW_H
#define CORE_SESSION_RECORDED_REVIEW_H

#include "core/base/format.h"
#include "core/session/state/session.h"

/*
 * The recommendations of sessions: what each was founded on, who decided on
 * it and why, what it promised, and what the candidate that followed it
 * brought.  All of it stands in the journals; no text is read.
 */

struct review_item {
    char *name; /* of the session, as recording_open() takes it */
    char *session, *problem, *device, *agent;
    unsigned step;
    char at[CLOCK_STAMP_SIZE];
    char *bottleneck, *evidence, *tags; /* as proposed; perhaps NULL */
    char *change;                       /* as it was decided */
    bool is_undone;                     /* it came of a decision that was taken back */
    enum decision decision;
    enum decider decider;
    char *reason;      /* perhaps NULL */
    double promised;   /* speedup; 0: it does not say */
    unsigned follower; /* the last attempt that follows it; 0: none does */
    bool is_judged;    /* the follower */
    enum outcome outcome;
    double median_us;
    double gained; /* over the best at that time; 0 if unknown */
};

/* All zeros is empty. */
struct review {
    struct review_item *items;
    size_t count, capacity;
};

/*
 * Append those of a session, whose `name` is as of recording_open().  What a
 * fork shares with another session, decision and all, is left out unless
 * `with_shared`.
 */
enum status review_add(struct review *review, const char *name, bool with_shared,
                       struct error *err) MUST_CHECK;
void review_release(struct review *review);

/* What came of it, in a few words: "1.12x", "vetoed", "not tried", "wrong_values". */
const char *review_result(const struct review_item *item, char text[FORMAT_SIZE]);

/* Whether a candidate that follows it was timed against the best. */
bool review_has_gain(const struct review_item *item);

/* By what recommendations are chosen. */
enum review_field { REVIEW_TAG, REVIEW_DEVICE, REVIEW_PROBLEM, REVIEW_FIELDS };

extern const char *const review_field_names[REVIEW_FIELDS + 1]; /* ended by NULL */

/* By field, the value that is wanted; NULL or "": any. */
struct review_filter {
    const char *values[REVIEW_FIELDS];
};

/* Whether the item has all values that the filter names; NULL passes any. */
bool review_passes(const struct review_item *item, const struct review_filter *filter);

/* Append the values that a field has, sorted, each once and ended by a newline. */
void review_add_values(const struct review *review, enum review_field field, struct strbuf *out);

/* Of those that pass. */
struct review_totals {
    size_t count, accepted, edited, vetoed;
    size_t tried;            /* a candidate that follows was judged */
    size_t faster;           /* it was faster than the best */
    size_t compared;         /* it was timed, and the recommendation promised something */
    double promised, gained; /* geometric means of the compared; 0: there are none */
};

/* Of all items that pass. */
struct review_totals review_total(const struct review *review, const struct review_filter *filter);

#endif
