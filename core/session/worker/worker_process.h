#ifndef CORE_SESSION_WORKER_WORKER_PROCESS_H
#define CORE_SESSION_WORKER_WORKER_PROCESS_H

#include "core/base/json.h"
#include "core/system/lines.h"
#include "core/system/loop.h"
#include "core/system/process.h"

/*
 * A `kforge-worker` that runs: messages to and from it, a line of JSON each, and
 * nobody here waits for a pipe.  A worker that works says so every other second
 * (backends/outbox.h); one that was asked something and has fallen silent is stopped,
 * or out of reach.
 * Such a one is told of, and after twice as long again it is ended where it is
 * a child of ours.  What runs elsewhere may stand in a queue for as long as that
 * takes before it says its first word, and later its connection may come back,
 * while its device would be shared with the one after it: it is left alone.
 */
struct worker_listener {
    void (*message)(void *data, const struct json *message);
    void (*silent)(void *data, bool is_silent); /* or speaks again */
    void (*lost)(void *data, const char *how);  /* it has ended: "died", "talked garbage", ... */
    void *data;
};

/* How it ended where a shell has not found its program, here or elsewhere: another would not
 * either. */
extern const char worker_process_not_found[];

/* All zeros is a worker that does not run. Set the first group before worker_process_start(). */
struct worker_process {
    struct loop *loop;
    struct worker_listener listener;
    const char *command; /* for sh; borrowed */
    int64_t patience_us; /* silence beyond that is told of */
    bool is_elsewhere;

    struct process process;
    struct lines lines;
    struct strbuf unsent;
    size_t written; /* of what is unsent, in bytes */
    struct loop_timer silence;
    unsigned greetings; /* lines before the first message that are none */
    bool is_asked;      /* so that a word is expected */
    bool was_heard, is_silent;
};

/* Listeners are called from the loop only, and may call everything here. */
enum status worker_process_start(struct worker_process *worker, struct error *err) MUST_CHECK;
bool worker_process_runs(const struct worker_process *worker);

/* A worker that is gone takes nothing, and the listener hears that it is lost. */
void worker_process_send(struct worker_process *worker, const struct json *message);

/* It has answered, or need not: its silence means nothing until something else is sent. */
void worker_process_rest(struct worker_process *worker);

/* With `grace_us` to end by itself, which one that is silent does not get, it leaves no folder
 * behind. */
void worker_process_end(struct worker_process *worker, int64_t grace_us);

#endif
