#ifndef CORE_SESSION_EVALUATOR_H
#define CORE_SESSION_EVALUATOR_H

#include "core/judge/backend.h"
#include "core/judge/bound.h"
#include "core/model/candidate.h"

struct loop;

/*
 * The judge as seen from kforge: a `kforge-worker` process spoken to in JSON
 * lines, started directly or through a prefix command ("ssh gpu7"), and
 * started again when it dies.  One request is under way at a time; listeners
 * are called from the loop.
 */
struct evaluator;

/* How far an evaluation has come; every field but `stage` may be empty. */
struct evaluation_progress {
    const char *stage; /* "building", "verifying", "timing", ... */
    unsigned done, total;
    double median_us; /* running; 0 if unknown */
};

struct evaluator_listener {
    void (*progress)(void *data, const struct evaluation_progress *progress);
    void (*loaded)(void *data); /* device and roofs are known now */
    void (*done)(void *data, const struct verdict *verdict, const struct json *encoded);
    void (*failed)(void *data, const struct error *err); /* the worker, not the candidate */
    void *data;
};

/*
 * `prefix` is a command line that runs the worker elsewhere, NULL for none;
 * `device` is an id or the beginning of one, NULL for the first device.
 */
enum status evaluator_open(struct loop *loop, const char *prefix, const char *device,
                           const struct evaluator_listener *listener, struct evaluator **evaluator,
                           struct error *err) MUST_CHECK;
void evaluator_close(struct evaluator *evaluator);

/* Give the judge its problem; loaded() or failed() follows. */
enum status evaluator_load(struct evaluator *evaluator, const char *problem_text, const char *file,
                           struct error *err) MUST_CHECK;

/* Judge a candidate, with `best` (NULL for none) timed in turn; done() or failed() follows. */
enum status evaluator_evaluate(struct evaluator *evaluator, const struct candidate *candidate,
                               const struct candidate *best, struct error *err) MUST_CHECK;

/* End what is under way; the listener hears no more of it. */
void evaluator_cancel(struct evaluator *evaluator);

/* Known after loaded(); NULL before. */
const struct device_info *evaluator_device(const struct evaluator *evaluator);
const struct roofs *evaluator_roofs(const struct evaluator *evaluator);

#endif
