#ifndef CORE_SESSION_DRIVER_DRIVER_LISTENER_H
#define CORE_SESSION_DRIVER_DRIVER_LISTENER_H

#include "core/base/strbuf.h"
#include "core/session/state/event.h"
#include "core/session/state/session.h"
#include "core/session/worker/evaluator.h"

/*
 * The view that a listener (the screen, the command line, a test) has of a driver at work.  An
 * event is on disk and in the state before the listener hears of it; the rest is for display only
 * and is not recorded.
 */

/*
 * The part that is at work: the judge while it starts, an agent, the judge on a candidate, or the
 * command that takes a picture of a profiler.
 */
enum busy { BUSY_NOT, BUSY_STARTING, BUSY_AGENT, BUSY_EVALUATING, BUSY_PICTURING };

/*
 * An estimate of the bytes in a token of English or code, used until the provider reports its
 * counts.
 */
enum { BYTES_PER_TOKEN = 4 };

/* The work under way.  The journal does not hold it. */
struct driver_live {
    enum busy busy;
    const char *activity; /* "starting", "generating", "evaluating", "analysing", or NULL */
    int64_t since_us;     /* clock_now_us() when the activity began */
    struct evaluation_progress progress;
    bool is_by_hand; /* the engineer edits a kernel, and no agent is asked (driver_by_hand.h) */
    /* For each agent that answers, the part of its reply that has arrived. */
    struct strbuf streams[ROUND_ATTEMPTS];
    unsigned stream_count;
    int64_t first_part_us; /* clock_now_us() at the first part; 0 if none has arrived */
    /* For each of these agents, the model's reasoning, which also counts as reply. */
    struct driver_thoughts {
        struct strbuf text;
        int64_t first_us, last_us; /* clock_now_us() of the first and the last part; 0: none */
    } thoughts[ROUND_ATTEMPTS];
    size_t prompt_bytes; /* size of the prompt that each of them answers */
    bool has_price;      /* the prices of the model are known */
    double usd;          /* estimated cost of the prompt and of these parts, by BYTES_PER_TOKEN */
    char notice[256];    /* the last message of the provider or the worker to the engineer */
};

struct driver_listener {
    void (*event)(void *data, const struct event *event); /* an event was recorded and applied */
    void (*live)(void *data);                             /* driver_live() changed */
    /* the step waits for driver_decide(); may be NULL */
    void (*waiting)(void *data, const struct step *step);
    void (*ended)(void *data, const struct error *err); /* err NULL: the session is closed */
    void *data;
};

#endif
