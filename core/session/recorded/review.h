#ifndef CORE_SESSION_RECORDED_REVIEW_H
#define CORE_SESSION_RECORDED_REVIEW_H

#include "core/base/format.h"
#include "core/session/state/session.h"

/*
 * The recommendations of one or more sessions, each with its evidence, the decision on it, the
 * promised speedup, and the measured gain of the candidate that followed it.  All of this is in the
 * journals, so no repository is read.
 */

struct review_item {
    char *name; /* of the session, for recording_open() */
    char *session, *problem, *device, *agent;
    unsigned step;
    char at[CLOCK_STAMP_SIZE];          /* when it was proposed */
    char *bottleneck, *evidence, *tags; /* as proposed; NULL for none */
    char *change;                       /* as decided, that is with edits */
    bool is_undone;                     /* an undo removed the decision that led to it */
    enum decision decision;
    enum decider decider;
    char *reason;      /* of the decision; NULL for none */
    double promised;   /* speedup; 0 for none */
    unsigned follower; /* number of the last attempt that follows it; 0 for none */
    bool is_judged;    /* the follower was */
    enum outcome outcome;
    double median_us;
    double gained; /* speedup over the best of that time; 0 if unknown */
};

/* All zeros is empty. */
struct review {
    struct review_item *items;
    size_t count, capacity;
};

/*
 * Append the recommendations of a session, named as for recording_open().  Those that a fork shares
 * with its parent, with their decisions, are left out unless `with_shared` is set.
 */
enum status review_add(struct review *review, const char *name, bool with_shared,
                       struct error *err) MUST_CHECK;
/* Free the contents and leave it empty. */
void review_release(struct review *review);

/* The result in a few words: "1.12x", "vetoed", "not tried", "wrong_values".  May use `text`. */
const char *review_result(const struct review_item *item, char text[FORMAT_SIZE]);

/* True if a candidate that follows it is correct and was timed against the best. */
bool review_has_gain(const struct review_item *item);

/* The fields by which recommendations are filtered. */
enum review_field { REVIEW_TAG, REVIEW_DEVICE, REVIEW_PROBLEM, REVIEW_FIELDS };

/* "tag", "device", "problem"; NULL ends the list. */
extern const char *const review_field_names[REVIEW_FIELDS + 1];

/* The wanted value of each field; NULL or "" for any. */
struct review_filter {
    const char *values[REVIEW_FIELDS];
};

/* True if the item has all values that the filter names. */
bool review_passes(const struct review_item *item, const struct review_filter *filter);

/* Append the values of a field in all items, sorted, each once and with a newline. */
void review_add_values(const struct review *review, enum review_field field, struct strbuf *out);

/* Counts and means of recommendations.  An undone one counts in `count` only. */
struct review_totals {
    size_t count, accepted, edited, vetoed;
    size_t tried;            /* a follower was judged */
    size_t faster;           /* the follower was faster than the best */
    size_t compared;         /* the follower was timed, and a speedup was promised */
    double promised, gained; /* geometric means over the compared ones; 0 if none */
};

/* The totals of all items that pass the filter. */
struct review_totals review_total(const struct review *review, const struct review_filter *filter);

#endif
