#ifndef CORE_SESSION_WORKER_EVALUATOR_H
#define CORE_SESSION_WORKER_EVALUATOR_H

#include "core/judge/device/backend.h"
#include "core/judge/judge.h"
#include "core/model/evaluation_progress.h"

struct loop;

/*
 * The judge as seen from kforge: a `kforge-worker` process spoken to in JSON
 * lines, started directly or through a prefix command ("ssh gpu7"), and
 * started again when it is lost.  One request is under way at a time; listeners
 * are called from the loop.
 */
struct evaluator;

struct evaluator_listener {
    void (*progress)(void *data, const struct evaluation_progress *progress);
    void (*loaded)(void *data);   /* the device is known now, and its roofs if they were measured */
    void (*measured)(void *data); /* the roofs, perhaps anew; may be NULL */
    void (*done)(void *data, const struct verdict *verdict, const struct json *encoded);
    void (*answered)(void *data, const struct json *answer); /* to evaluator_ask(), _list() */
    void (*failed)(void *data, const struct error *err);     /* the worker, not the candidate */
    void (*notice)(void *data, const char *line); /* what to know of the worker; may be NULL */
    void *data;
};

/* Texts are borrowed for evaluator_open(). */
struct evaluator_options {
    const char *prefix;     /* a command line that runs the worker elsewhere; NULL: here */
    const char *device;     /* an id or the beginning of one; NULL: the first device */
    int64_t build_limit_us; /* 0: the worker's own limit */
    int64_t run_limit_us;
    int64_t tune_limit_us;
    size_t tune_choices;
};

/*
 * Start the worker. What it says arrives by the listener, whose loop outlives the evaluator.
 * KFORGE_WORKER_SILENCE is after how many seconds without a word from it the listener is told.
 */
enum status evaluator_open(struct loop *loop, const struct evaluator_options *options,
                           const struct evaluator_listener *listener, struct evaluator **evaluator,
                           struct error *err) MUST_CHECK;
void evaluator_close(struct evaluator *evaluator);

/*
 * Put a question that needs no problem loaded, "devices" or "lint", with
 * `members` as backends/service.h lists them; answered() or failed() follows.
 * Takes `members`.
 */
enum status evaluator_ask(struct evaluator *evaluator, const char *question, struct json *members,
                          struct error *err) MUST_CHECK;

/* Give the judge its problem; loaded() or failed() follows. */
enum status evaluator_load(struct evaluator *evaluator, const char *problem_text, const char *file,
                           struct error *err) MUST_CHECK;

/* Judge a candidate; done() or failed() follows.  The request is borrowed for the call. */
enum status evaluator_evaluate(struct evaluator *evaluator, const struct judge_request *request,
                               struct error *err) MUST_CHECK;

/* What the compiler makes of a candidate, "text" of what answered() hears; failed() else. */
enum status evaluator_list(struct evaluator *evaluator, const struct judge_listing *listing,
                           struct error *err) MUST_CHECK;

/* End what is under way; the listener hears no more of it. */
void evaluator_cancel(struct evaluator *evaluator);

/* Known after loaded(); NULL before. */
const struct device_info *evaluator_device(const struct evaluator *evaluator);
const struct roofs *evaluator_roofs(const struct evaluator *evaluator);

/* What the judge computes with, "OpenBLAS 0.3.21 ..."; NULL as above. */
const char *evaluator_libraries(const struct evaluator *evaluator);

#endif
