#ifndef TUI_PANELS_CANDIDATE_QUERY_H
#define TUI_PANELS_CANDIDATE_QUERY_H

#include "core/session/store/history.h"
#include "core/session/worker/evaluator.h"
#include "core/system/loop.h"

/*
 * What the engineer asks about one candidate beyond its verdict: what the
 * compiler made of it, or what a sanitizer finds.  A worker of its own is
 * asked, so that a session told again can be looked at like one at work.
 * There is one query at a time, and its answer stays until the next.
 */

enum candidate_query_kind {
    CANDIDATE_QUERY_NONE,
    CANDIDATE_QUERY_LISTING,
    CANDIDATE_QUERY_SANITIZING
};

struct candidate_query;

struct candidate_query_options {
    struct loop *loop;               /* NULL: nobody can be asked */
    struct evaluator_options worker; /* without a device, which is the session's */
    void (*changed)(void *data, const struct candidate_query *query);
    void *data;
};

/* The candidate; borrowed for candidate_query_begin(). */
struct candidate_query_subject {
    const char *id; /* its blob */
    const char *reply, *language;
    const char *tuned;   /* the choice of its tunables that was timed; NULL: none */
    const char *problem; /* the text of the problem */
    const char *device;
    const char *refused; /* why nobody is asked; NULL: nothing is in the way */
};

struct candidate_query {
    struct candidate_query_options options;
    enum candidate_query_kind kind;
    char what[16]; /* the form of the listing, or the tool */
    char candidate_id[OBJECT_ID_SIZE];
    bool is_under_way;
    char stage[48];                /* what the worker does; empty: not known */
    struct strbuf listing;         /* the answer */
    struct sanitizing findings;    /* or that */
    char trouble[ERROR_TEXT_SIZE]; /* why there is none; empty: nothing is wrong */
    unsigned changes;              /* counts what became of it */

    struct evaluator *evaluator;
    struct strbuf reply;
    char *language, *tuned;
    struct loop_timer ending; /* of a worker that has answered */
};

/* Of listings, ended by NULL: "ptx", "sass"; of findings they are sanitizer_tools. */
extern const char *const candidate_query_forms[];

/* Ask for a listing in a form, or for what a tool finds; what is wrong becomes the trouble. */
void candidate_query_begin(struct candidate_query *query, enum candidate_query_kind kind,
                           const char *what, const struct candidate_query_subject *subject);

/* Whether it is about this, and began. */
bool candidate_query_is_of(const struct candidate_query *query, enum candidate_query_kind kind,
                           const char *what, const char *candidate_id);

/* Ask no longer, for a reason that becomes the trouble; nothing where nothing is under way. */
void candidate_query_cancel(struct candidate_query *query, const char *reason);

/* The options stay. */
void candidate_query_release(struct candidate_query *query);

#endif
