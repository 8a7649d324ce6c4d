#ifndef CORE_SESSION_WORKER_EVALUATOR_H
#define CORE_SESSION_WORKER_EVALUATOR_H

#include "core/judge/device/backend.h"
#include "core/judge/judge.h"
#include "core/model/evaluation_progress.h"
#include "core/session/worker/worker_command.h"

struct loop;

/*
 * The client of the judge, which runs in a `kforge-worker` process. The evaluator starts the worker
 * directly or through a prefix command ("ssh gpu7"), exchanges lines of JSON with it, and starts a
 * lost worker again, with the same problem and the same request. Only one request is under way at a
 * time.
 */
struct evaluator;

/* The functions are called from the loop; one that may be NULL says so. */
struct evaluator_listener {
    void (*progress)(void *data, const struct evaluation_progress *progress);
    /* the problem is loaded; the device is known now, and its roofs if measured */
    void (*loaded)(void *data);
    void (*measured)(void *data); /* the roofs changed; may be NULL */
    void (*done)(void *data, const struct verdict *verdict, const struct json *encoded);
    void (*answered)(void *data,
                     const struct json *answer); /* evaluator_ask(), _list(), _await() */
    void (*compiled)(void *data); /* between requests: baselines can be timed now; may be NULL */
    void (*failed)(void *data, const struct error *err); /* the request under way failed */
    /* a line for the engineer about the worker; may be NULL */
    void (*notice)(void *data, const char *line);
    void *data;
};

/*
 * Make an evaluator; the texts of `options` are borrowed for this call.  The first request starts
 * the worker.  The loop must outlive the evaluator.  A worker that is silent for
 * KFORGE_WORKER_SILENCE seconds (default 20) is reported by notice().
 */
enum status evaluator_open(struct loop *loop, const struct evaluator_options *options,
                           const struct evaluator_listener *listener, struct evaluator **evaluator,
                           struct error *err) MUST_CHECK;
/* End the worker and free the evaluator; takes NULL. */
void evaluator_close(struct evaluator *evaluator);

/*
 * Take over the running worker of `earlier`, before the first request: its Python has loaded
 * PyTorch and the model that it described. Requests of `earlier` are cancelled, and their answers
 * are dropped. The two may be in different loops. Does nothing if `earlier` is NULL, runs no
 * worker, or started it by another command.
 */
void evaluator_take_worker(struct evaluator *evaluator, struct evaluator *earlier);

/*
 * Send a request that needs no problem, "devices" or "lint", with the members that
 * backends/service.h lists; answered() or failed() follows.  Takes `members`.
 */
enum status evaluator_ask(struct evaluator *evaluator, const char *question, struct json *members,
                          struct error *err) MUST_CHECK;

/* Load the problem; loaded() or failed() follows.  `file` names the problem in errors. */
enum status evaluator_load(struct evaluator *evaluator, const char *problem_text, const char *file,
                           struct error *err) MUST_CHECK;

/* Evaluate a candidate; done() or failed() follows.  The request is borrowed for the call. */
enum status evaluator_evaluate(struct evaluator *evaluator, const struct judge_request *request,
                               struct error *err) MUST_CHECK;

/* Ask for the compiled code of a candidate: answered() receives it as "text", or failed() follows.
 */
enum status evaluator_list(struct evaluator *evaluator, const struct judge_listing *listing,
                           struct error *err) MUST_CHECK;

/* Wait until the baselines of the loaded problem are compiled: answered() or failed() follows. */
enum status evaluator_await(struct evaluator *evaluator, struct error *err) MUST_CHECK;

/* Cancel the request under way; the listener is not called about it any more. */
void evaluator_cancel(struct evaluator *evaluator);

/* The device and its roofs; NULL before loaded(). */
const struct device_info *evaluator_device(const struct evaluator *evaluator);
const struct roofs *evaluator_roofs(const struct evaluator *evaluator);

/* The libraries that the judge computes with, "OpenBLAS 0.3.21 ..."; NULL before loaded(). */
const char *evaluator_libraries(const struct evaluator *evaluator);

#endif
