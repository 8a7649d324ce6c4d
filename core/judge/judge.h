#ifndef CORE_JUDGE_JUDGE_H
#define CORE_JUDGE_JUDGE_H

#include "core/judge/judge_options.h"
#include "core/judge/task/expectations.h"
#include "core/judge/torch/bridge.h"
#include "core/model/bound.h"
#include "core/model/candidate.h"

/*
 * What is true about a candidate, and how fast it is.  The judge holds one
 * problem at a time, its expected values and its baselines, and drives the
 * executor.  It blocks: kforge-worker is the process around it.
 */
struct judge;

/* Nothing is started before the first call that needs it.  Borrows what the options point to. */
struct judge *judge_new(const struct judge_options *options);
void judge_free(struct judge *judge);

/* The devices that the options mean. */
enum status judge_probe(struct judge *judge, struct device_list *devices,
                        struct error *err) MUST_CHECK;

/* Open the device. Its roofs are those of the user's cache, unknown where that has none. */
enum status judge_device(struct judge *judge, const struct device_info **device,
                         const struct roofs **roofs, struct error *err) MUST_CHECK;

enum roofs_wanted {
    ROOFS_KEPT, /* as the cache has them, unknown where it has none */
    ROOFS_ONCE, /* measured where the cache has none */
    ROOFS_ANEW,
};

/* The roofs of any device. */
enum status judge_roofs(struct judge *judge, const struct device_info *device,
                        enum roofs_wanted wanted, struct roofs *roofs,
                        struct error *err) MUST_CHECK;

/* The problem that a PyTorch file is, in order; `*problem` is the caller's. */
enum status judge_describe(struct judge *judge, const struct model_source *source,
                           struct json **problem, struct error *err) MUST_CHECK;

/*
 * Lint a problem (lint.h), which was parsed from `text`; findings for the same text are remembered.
 * The model of a PyTorch problem is opened, and `problem` receives the tensors that only the model
 * can make; they replace those that another problem was lent.
 */
enum status judge_lint(struct judge *judge, struct problem *problem, const char *text,
                       struct hazard_list *findings, struct error *err) MUST_CHECK;

/* Take up a problem. */
enum status judge_load(struct judge *judge, const char *text, size_t len, const char *file,
                       struct error *err) MUST_CHECK;

/*
 * Do ahead what is needed whatever the candidate: measure the roofs, where
 * the cache has none, and begin to make expected values, in the background.
 * Without a problem there is nothing to do.  An evaluation does first what of
 * it is left.
 */
enum status judge_prepare(struct judge *judge, struct error *err) MUST_CHECK;

/* How many expected values are made. False: no problem is loaded, or they are not begun. */
bool judge_expects(const struct judge *judge, struct expectations_progress *progress);

/* Borrows everything. */
struct judge_request {
    const struct candidate *candidate;
    const struct candidate *best; /* to be timed in turn; NULL: none */
    struct judge_tools tools;
};

/*
 * Judge a candidate.  Whatever is wrong with it is a verdict;
 * STATUS_CANCELLED, or a device that is gone, is an error.
 */
enum status judge_evaluate(struct judge *judge, const struct judge_request *request,
                           struct verdict *verdict, struct error *err) MUST_CHECK;

/* What the compiler made of a candidate. */
struct judge_listing {
    const struct candidate *candidate;
    const char *form;  /* "ptx" or "sass" (listing.h) */
    const char *tuned; /* a choice of the plan's tunables, as verdicts name it; NULL: the fastest,
                          which takes trying them */
};

/* Append it to `text`. */
enum status judge_listing(struct judge *judge, const struct judge_listing *listing,
                          struct strbuf *text, struct error *err) MUST_CHECK;

#endif
