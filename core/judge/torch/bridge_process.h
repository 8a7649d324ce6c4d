#ifndef CORE_JUDGE_TORCH_BRIDGE_PROCESS_H
#define CORE_JUDGE_TORCH_BRIDGE_PROCESS_H

#include <pthread.h>

#include "core/judge/executor/child.h"
#include "core/judge/executor/enclosure.h"
#include "core/model/device_info.h"
#include "core/system/memory/memfd.h"

/* A request that was sent before its answer is wanted. */
struct bridge_ahead {
    bool is_sent;               /* its answer has not been read yet */
    bool is_answered;           /* the answer has been read; the members below hold it */
    const struct json *request; /* borrowed */
    struct json *answer;        /* NULL if `error` has a code */
    struct error error;
};

/*
 * The Python process behind the bridge. This module starts and contains it, exchanges messages with
 * it, and derives the fault of the model from a missing answer. After a restart the process gets
 * the model and its device again. Calls must not overlap: the bridge holds a lock. Only
 * bridge_process_pause() may be called at any time.
 */
struct bridge_process {
    const char *const *argv;    /* the command that starts it; borrowed */
    int64_t limit_us;           /* for each request */
    struct child_cancel cancel; /* asked in the thread `maker` only */
    pthread_t maker;
    struct child child;
    struct enclosure enclosure;
    struct memfd shared; /* with the process: the tensors of one request */
    struct json *opened; /* the request that opened the model; NULL before */
    struct json *placed; /* the request that put it on a device; NULL before */
    const char *kept;    /* a folder that outlives the process, for compiled code, or NULL */
    bool may_pause;      /* bridge_process_pause() is used, so only the judge keeps time limits */
    struct bridge_ahead ahead;
    bool has_taken; /* the model where it was placed last has the judge's tensors */

    pthread_mutex_t pausing; /* protects the start and the end of the child from a pause */
    bool is_paused;
};

/* Start the process where none runs, and repeat `opened` and `placed`. */
enum status bridge_process_ensure(struct bridge_process *process, struct error *err) MUST_CHECK;

/* A request to do `what` within the limit; the caller's. */
struct json *bridge_process_request(const struct bridge_process *process, const char *what);

/* Tell the process which device is meant. */
void bridge_process_name_device(struct json *request, const struct device_info *device);

/* Send a request to a process that runs, and wait for the answer, which is the caller's. */
enum status bridge_process_exchange(struct bridge_process *process, const struct json *request,
                                    struct json **answer, struct error *err) MUST_CHECK;

/* bridge_process_ensure(), then bridge_process_exchange().  Takes `request`. */
enum status bridge_process_ask(struct bridge_process *process, struct json *request,
                               struct json **answer, struct error *err) MUST_CHECK;

/*
 * Send a request to a process that runs, and leave its answer for bridge_process_take_ahead(). Any
 * other request waits for it. Borrows `request` until then.
 */
void bridge_process_send_ahead(struct bridge_process *process, const struct json *request);

/* Wait for the answer of a request that was sent ahead, if there is one. */
void bridge_process_settle(struct bridge_process *process);

/* Take the answer of the request that was sent ahead. False: none was. */
bool bridge_process_take_ahead(struct bridge_process *process, struct json **answer,
                               enum status *status, struct error *err);

/*
 * Stop the process and all that it has started, now and whenever it is started, or let it continue.
 * Its time limits do not run while it is stopped.
 */
void bridge_process_pause(struct bridge_process *process, bool is_paused);

/* Kill the process; the call that waits for it fails. */
void bridge_process_kill(struct bridge_process *process);

/* End the process.  Returns its wait status. */
int bridge_process_end(struct bridge_process *process);

#endif
