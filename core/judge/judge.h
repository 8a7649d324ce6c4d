#ifndef CORE_JUDGE_JUDGE_H
#define CORE_JUDGE_JUDGE_H

#include "core/judge/bound.h"
#include "core/judge/executor.h"
#include "core/model/candidate.h"

/*
 * What is true about a candidate, and how fast it is.  The judge holds one
 * problem at a time, its expected values and its baselines, and drives the
 * executor.  It blocks: kforge-worker is the process around it.
 */
struct judge;

/* How far an evaluation has come. */
struct judge_progress {
    const char *stage; /* "building", "tuning", "verifying", "timing", "baselines" */
    unsigned done, total;
    double median_us; /* running; 0 if unknown */
};

/* Where the search through a plan's tunables ends; one choice is tried in any case. */
struct tune_limits {
    size_t choices;
    int64_t budget_us;
};

struct judge_options {
    struct executor_options executor;
    struct tune_limits tune;
    unsigned trials;          /* seeds at the main dimensions */
    unsigned unseen;          /* further sets of dynamic dimensions, drawn */
    double precision;         /* half of the interval over the median at which timing ends */
    int64_t timing_budget_us; /* after which it ends all the same */
    void (*progress)(void *data, const struct judge_progress *progress);
    void *data;
};

/* Nothing is started before the first call that needs it.  Borrows what the options point to. */
struct judge *judge_new(const struct judge_options *options);
void judge_free(struct judge *judge);

/* The devices that the options mean. */
enum status judge_probe(struct judge *judge, struct device_list *devices,
                        struct error *err) MUST_CHECK;

/* Open the device and know its roofs, measured once and then kept in the user's cache. */
enum status judge_device(struct judge *judge, const struct device_info **device,
                         const struct roofs **roofs, struct error *err) MUST_CHECK;

/* The roofs of any device: as the cache has them, unknown where it has none; or measured anew. */
enum status judge_roofs(struct judge *judge, const struct device_info *device, bool anew,
                        struct roofs *roofs, struct error *err) MUST_CHECK;

/* Take up a problem; its expected values are made in the background. */
enum status judge_load(struct judge *judge, const char *text, size_t len, const char *file,
                       struct error *err) MUST_CHECK;

/*
 * Judge a candidate, in turn with `best` where it is not NULL.  Whatever is
 * wrong with the candidate is a verdict; STATUS_CANCELLED, or a device that
 * is gone, is an error.
 */
enum status judge_evaluate(struct judge *judge, const struct candidate *candidate,
                           const struct candidate *best, struct verdict *verdict,
                           struct error *err) MUST_CHECK;

#endif
