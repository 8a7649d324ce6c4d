#ifndef CORE_SESSION_RECORDED_REVIEW_H
#define CORE_SESSION_RECORDED_REVIEW_H

#include "core/base/format.h"
#include "core/session/recorded/review_marks.h"
#include "core/session/state/session.h"

/*
 * The recommendations of one or more sessions, each with its evidence, the decision on it, the
 * promised speedup, the measured gain of the candidate that followed it, and the engineer's marks.
 * All of this is in the journals, so no repository is read.
 */

struct review_item {
    char *name; /* name of the session, for recording_open() */
    char *session, *problem, *device, *agent;
    unsigned step;
    char at[CLOCK_STAMP_SIZE];          /* when it was proposed */
    char *bottleneck, *evidence, *tags; /* as proposed; NULL for none */
    char *change;                       /* as decided, that is with edits */
    bool is_undone;                     /* an undo removed the decision that led to it */
    enum decision decision;
    enum decider decider;
    char *reason;    /* reason of the decision, or NULL */
    double promised; /* speedup; 0 for none */
    /* number of the attempt that follows it, of a kept one if there is one; 0 for none */
    unsigned follower;
    bool is_judged; /* the follower was judged */
    enum outcome outcome;
    double median_us;
    double gained; /* speedup of the follower over the best attempt before it; 0 if unknown */
    bool is_kept;  /* the follower was kept */
    bool is_reviewed, is_starred;
    char *note; /* note of the engineer, or "" */
};

/* All zeros is empty. */
struct review {
    struct review_item *items;
    size_t count, capacity;
    struct review_marks marks;
};

/* Read the engineer's marks. Call it before review_add(), which copies them to the items. */
enum status review_read_marks(struct review *review, struct error *err) MUST_CHECK;

/*
 * Change the marks of an item: they are in the journal when it returns (review_marks_set()). The
 * session and the step are those of the item; `mark` need not have them. On failure the item is as
 * before.
 */
enum status review_mark(struct review *review, struct review_item *item,
                        struct recommendation_marked mark, struct error *err) MUST_CHECK;

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

/*
 * A letter for each mark: '*' starred, 'r' reviewed, 'n' has a note, 'k' its candidate was kept;
 * '.' for each that is missing.
 */
enum { REVIEW_LETTERS = 5 };
const char *review_letters(const struct review_item *item, char text[REVIEW_LETTERS]);

/* True if a candidate that follows it is correct and was timed against the best. */
bool review_has_gain(const struct review_item *item);

/* The fields by which recommendations are filtered. */
enum review_field { REVIEW_TAG, REVIEW_DEVICE, REVIEW_PROBLEM, REVIEW_FIELDS };

/* "tag", "device", "problem"; NULL ends the list. */
extern const char *const review_field_names[REVIEW_FIELDS + 1];

/* The kinds of recommendations that a review can show alone. */
enum review_shown {
    REVIEW_ALL,
    REVIEW_UNREVIEWED,
    REVIEW_REVIEWED,
    REVIEW_STARRED,
    REVIEW_NOTED,
    REVIEW_KEPT, /* a candidate that follows it was kept */
    REVIEW_SHOWN,
};

/* "all", "unreviewed", "reviewed", "starred", "noted", "kept"; NULL ends the list. */
extern const char *const review_shown_names[REVIEW_SHOWN + 1];

/* The wanted value of each field, NULL or "" for any, and the wanted kind. */
struct review_filter {
    const char *values[REVIEW_FIELDS];
    enum review_shown shown;
};

/* True if the item has all values that the filter names, and is of its kind. */
bool review_passes(const struct review_item *item, const struct review_filter *filter);

/* Indices of items of a review.  All zeros is empty. */
struct review_rows {
    size_t *items;
    size_t count, capacity;
};

/* Replace the rows by the items that pass the filter, in the order of the review. */
void review_choose(const struct review *review, const struct review_filter *filter,
                   struct review_rows *rows);

/* Append the values that a field has in all items: each value once, with a newline, sorted. */
void review_add_values(const struct review *review, enum review_field field, struct strbuf *out);

/* Counts and means of recommendations.  An undone one counts in `count` only. */
struct review_totals {
    size_t count, accepted, edited, vetoed;
    size_t tried;            /* a follower was judged */
    size_t faster;           /* the follower was faster than the best */
    size_t compared;         /* the follower was timed, and a speedup was promised */
    double promised, gained; /* geometric means over the compared ones; 0 if none */
};

/* The totals of these items. */
struct review_totals review_total(const struct review *review, const struct review_rows *rows);

/* The totals of all items that pass the filter. */
struct review_totals review_total_of(const struct review *review,
                                     const struct review_filter *filter);

#endif
