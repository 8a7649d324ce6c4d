#ifndef TUI_PANELS_CANDIDATE_QUERY_H
#define TUI_PANELS_CANDIDATE_QUERY_H

#include "core/session/store/history.h"
#include "core/session/worker/evaluator.h"
#include "core/system/loop.h"

/*
 * A question of the engineer about one candidate that its verdict does not answer: its listing (PTX
 * or machine code), a run under a sanitizer, or its profile. kforge starts a worker for the
 * question, so it works in a live session and in a replay. There is one query at a time; its answer
 * stays until the next query.
 */

enum candidate_query_kind {
    CANDIDATE_QUERY_NONE,
    CANDIDATE_QUERY_LISTING,
    CANDIDATE_QUERY_SANITIZING,
    CANDIDATE_QUERY_PROFILE
};

struct candidate_query;

struct candidate_query_options {
    struct loop *loop; /* NULL: no worker can be started */
    /* options of the worker; their device is ignored, because the subject names it */
    struct evaluator_options worker;
    void (*changed)(void *data, const struct candidate_query *query);
    void *data;
};

/* The candidate to ask about; candidate_query_begin() copies what it needs. */
struct candidate_query_subject {
    const char *id; /* id of its reply in the history */
    const char *reply, *language;
    const char *tuned;   /* the values of its tunable parameters that were timed, or NULL */
    const char *problem; /* the text of the problem */
    const char *device;
    const char *refused; /* why the question cannot be asked; NULL if it can */
};

struct candidate_query {
    struct candidate_query_options options;
    enum candidate_query_kind kind;
    char what[16]; /* the form of the listing, or the tool; empty for a profile */
    char candidate_id[OBJECT_ID_SIZE];
    bool is_under_way;
    char stage[48];                /* the current stage of the worker; empty: not known */
    struct strbuf listing;         /* the answer of CANDIDATE_QUERY_LISTING */
    struct sanitizing findings;    /* the answer of CANDIDATE_QUERY_SANITIZING */
    struct profile profile;        /* the answer of CANDIDATE_QUERY_PROFILE */
    char trouble[ERROR_TEXT_SIZE]; /* why there is no answer; empty: no error */
    unsigned changes;              /* counts the changes of this structure */

    struct evaluator *evaluator;
    struct strbuf reply;
    char *language, *tuned;
    struct loop_timer ending; /* closes the worker after its answer */
};

/*
 * Ask for a listing, whose form has the name `what`, for a run of the sanitizer `what`, or for a
 * profile.  An error becomes `trouble`.
 */
void candidate_query_begin(struct candidate_query *query, enum candidate_query_kind kind,
                           const char *what, const struct candidate_query_subject *subject);

/* True if the query has this kind, this `what` (NULL: any) and this candidate. */
bool candidate_query_is_of(const struct candidate_query *query, enum candidate_query_kind kind,
                           const char *what, const char *candidate_id);

/* Stop a query that is under way; the reason becomes `trouble`. */
void candidate_query_cancel(struct candidate_query *query, const char *reason);

/* Stop the query and free its answer; the options stay. */
void candidate_query_release(struct candidate_query *query);

#endif
