#ifndef CORE_SESSION_DRIVER_DRIVER_JUDGE_H
#define CORE_SESSION_DRIVER_DRIVER_JUDGE_H

#include "core/session/driver/driver_options.h"
#include "core/session/driver/driver_state.h"

/*
 * The judge of a running session: starts it, gives it candidates, and records its verdicts and the
 * device that it describes.
 */

/* Start the judge and load the problem; `file` names the problem in its errors. */
enum status driver_open_judge(struct driver *driver, const struct driver_options *options,
                              const char *file, struct error *err) MUST_CHECK;

/* Evaluate the current attempt.  Returns before the verdict arrives. */
enum status driver_evaluate(struct driver *driver, struct error *err) MUST_CHECK;

#endif
