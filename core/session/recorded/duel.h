#ifndef CORE_SESSION_RECORDED_DUEL_H
#define CORE_SESSION_RECORDED_DUEL_H

#include "core/session/recorded/recording.h"
#include "core/session/worker/evaluator.h"

/*
 * Times the best kernels of two sessions of the same problem in turn, so that both are measured at
 * the same moment on the same device. The functions block; they are for commands that have no event
 * loop.
 */
struct duel;

/* Start a judge for the problem and the device of a recording. */
enum status duel_open(const struct recording *recording, const struct evaluator_options *options,
                      struct duel **duel, struct error *err) MUST_CHECK;
/* End the judge and free the duel; takes NULL. */
void duel_close(struct duel *duel);

/*
 * The speed of the best kernel of `first` over that of `second`; both must have one. The value is 0
 * if the kernel of `first` is not correct now, or if the judge did not time the two in turn.
 */
enum status duel_compare(struct duel *duel, const struct recording *first,
                         const struct recording *second, struct ratio *ratio,
                         struct error *err) MUST_CHECK;

#endif
