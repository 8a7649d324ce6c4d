#ifndef CORE_SESSION_RECORDED_DUEL_H
#define CORE_SESSION_RECORDED_DUEL_H

#include "core/session/recorded/recording.h"
#include "core/session/worker/evaluator.h"

/*
 * Times the best kernels of two sessions of the same problem in turn, so that their ratio is of one
 * moment and one device.  Waits: for commands that have no loop of their own.
 */
struct duel;

/* Start a judge for the problem and the device of a recording. */
enum status duel_open(const struct recording *recording, const struct evaluator_options *options,
                      struct duel **duel, struct error *err) MUST_CHECK;
/* End the judge and free the duel; takes NULL. */
void duel_close(struct duel *duel);

/*
 * The speed of the best kernel of `first` over that of `second`; both must have one.  Value 0 if
 * the judge finds the kernel of `first` not correct now, or times it not beside the other.
 */
enum status duel_compare(struct duel *duel, const struct recording *first,
                         const struct recording *second, struct ratio *ratio,
                         struct error *err) MUST_CHECK;

#endif
