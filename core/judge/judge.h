#ifndef CORE_JUDGE_JUDGE_H
#define CORE_JUDGE_JUDGE_H

#include "core/judge/judge_options.h"
#include "core/judge/judge_preparation.h"
#include "core/judge/task/expectations.h"
#include "core/judge/tools/listing_form.h"
#include "core/judge/torch/bridge.h"
#include "core/model/candidate.h"
#include "core/model/roofline/bound.h"

/*
 * The judge decides whether a candidate is correct and how fast it is. It holds one problem at a
 * time, with its expected values and baselines, and drives the executor. Its calls block;
 * kforge-worker is the process around it.
 *
 * A call fails with STATUS_INVALID if the problem, the model or the request is wrong, with
 * STATUS_UNAVAILABLE if a device, a program or memory is missing, with STATUS_TIMEOUT or STATUS_IO
 * if a process of the judge hangs or fails, and with STATUS_CANCELLED.
 */
struct judge;

/* No process is started before the first call that needs it. Borrows what the options point to. */
struct judge *judge_new(const struct judge_options *options);
void judge_free(struct judge *judge);

/* The devices that match the options. */
enum status judge_probe(struct judge *judge, struct device_list *devices,
                        struct error *err) MUST_CHECK;

/* Open the device. Its roofs come from the user's cache, and are unknown if the cache has none. */
enum status judge_device(struct judge *judge, const struct device_info **device,
                         const struct roofs **roofs, struct error *err) MUST_CHECK;

enum roofs_wanted {
    ROOFS_KEPT, /* take the roofs in the cache; otherwise leave them unknown */
    ROOFS_ONCE, /* take the roofs in the cache; otherwise measure them */
    ROOFS_ANEW,
};

/* The roofs of any device of this machine. */
enum status judge_roofs(struct judge *judge, const struct device_info *device,
                        enum roofs_wanted wanted, struct roofs *roofs,
                        struct error *err) MUST_CHECK;

/*
 * Lint a problem (lint.h), which was parsed from `text`; findings for the same text are remembered.
 * The model of a PyTorch problem is opened if it has to compute the outputs or to make tensors.
 * These tensors are lent to `problem`, and no longer to an earlier problem.
 */
enum status judge_lint(struct judge *judge, struct problem *problem, const char *text,
                       struct hazard_list *findings, struct error *err) MUST_CHECK;

/* Load a problem, replacing the current one. */
enum status judge_load(struct judge *judge, const char *text, size_t len, const char *file,
                       struct error *err) MUST_CHECK;

/* A candidate to judge. Borrows everything. */
struct judge_request {
    const struct candidate *candidate;
    /* The best candidate so far and the first of the session, timed in turn with this one; NULL:
     * none, or the first is the best. */
    const struct candidate *best, *first;
    struct judge_tools tools;
};

/*
 * Judge a candidate. Every fault of the candidate is a verdict. Only a cancellation, or a device
 * that is gone, is an error.
 */
enum status judge_evaluate(struct judge *judge, const struct judge_request *request,
                           struct verdict *verdict, struct error *err) MUST_CHECK;

/* A request for the code that the compiler made of a candidate. */
struct judge_listing {
    const struct candidate *candidate;
    enum listing_form form;
    const char *tuned; /* a choice of the plan's tunables, as verdicts name it; NULL: search for the
                          fastest choice */
};

/* Append the listing to `text`. */
enum status judge_listing(struct judge *judge, const struct judge_listing *listing,
                          struct strbuf *text, struct error *err) MUST_CHECK;

#endif
