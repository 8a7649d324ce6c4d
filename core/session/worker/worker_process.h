#ifndef CORE_SESSION_WORKER_WORKER_PROCESS_H
#define CORE_SESSION_WORKER_WORKER_PROCESS_H

#include "core/base/json.h"
#include "core/session/worker/worker_watchdog.h"
#include "core/system/lines.h"
#include "core/system/loop.h"
#include "core/system/process.h"

/*
 * A running `kforge-worker`: sends and receives messages, each a line of JSON, without ever
 * blocking on a pipe.  The watchdog (worker_watchdog.h) ends a worker that hangs.
 */

/* The functions are called from the loop only, and may call every function below. */
struct worker_listener {
    void (*message)(void *data, const struct json *message);
    void (*silent)(void *data, bool is_silent); /* the worker fell silent, or sends again */
    /* the worker has ended; `how` is "died", "stopped responding", ... */
    void (*lost)(void *data, const char *how);
    void *data;
};

/*
 * The values of `how` after which another start is useless: the shell did not find a program, or
 * the command ended by itself before the worker's first message.
 */
extern const char worker_process_not_found[], worker_process_not_begun[];

/* A request fails after this many workers were lost while they worked on it. */
enum { WORKER_MAX_STARTS = 2 };

/* All zeros is a worker that does not run. Set the first group before worker_process_start(). */
struct worker_process {
    struct loop *loop;
    struct worker_listener listener;
    const char *command; /* for sh; borrowed */
    int64_t patience_us; /* a longer silence after a request is reported */
    bool is_elsewhere;   /* the command starts the worker on another machine */

    struct process process;
    struct worker_watchdog watchdog;
    struct lines lines;
    struct strbuf unsent;
    size_t written;     /* bytes of `unsent` that were written */
    unsigned greetings; /* number of other lines before the first message */
    int errors;         /* read end of a pipe on its standard error; 0 for none */
    int exit_status;    /* exit status of the command that ended last */
    struct strbuf said; /* the last lines of its standard error */
    /* its last line of output that was not a message */
    struct strbuf greeting;
};

/* Start the worker through its command. */
enum status worker_process_start(struct worker_process *worker, struct error *err) MUST_CHECK;

/*
 * Make the error for a worker that is not started again. It says `how` the worker was lost, the
 * last line of its standard error (where ssh says why there is no connection) or else of its
 * output, and its `command` as messages show it. Always returns STATUS_UNAVAILABLE.
 */
enum status worker_process_explain(struct worker_process *worker, const char *how,
                                   const char *command, struct error *err);

/*
 * Move the running worker of `from` to `worker`, which runs none and may have another loop and
 * listener. Afterwards `from` gets no more of its messages.
 */
void worker_process_move(struct worker_process *worker, struct worker_process *from);

/* Free what is left of a worker that was lost or ended. */
void worker_process_release(struct worker_process *worker);

/* True from worker_process_start() until the worker is lost or ended. */
bool worker_process_runs(const struct worker_process *worker);

/* Send a message to a running worker.  If it is gone, the message is dropped and lost() follows. */
void worker_process_send(struct worker_process *worker, const struct json *message);

/* Tell the watchdog that no message is due: the worker may be silent until the next request. */
void worker_process_rest(struct worker_process *worker);

/*
 * End the worker, if it runs.  It has `grace_us` to exit by itself, in which it removes its
 * temporary folder; a silent worker is killed at once.
 */
void worker_process_end(struct worker_process *worker, int64_t grace_us);

#endif
