#ifndef CORE_JUDGE_DEVICE_ORACLE_ORACLE_STASH_H
#define CORE_JUDGE_DEVICE_ORACLE_ORACLE_STASH_H

#include "core/judge/device_oracle/oracle_state.h"

/*
 * Expected values that are computed while a candidate is built and will be compared later: copies
 * of the oracle program's results in its executor, in places besides them (struct executor_stash).
 * They last as long as the program's tensors. Hold the oracle's lock.
 */

/*
 * Compute the expected values of the list until it is late: as many as there are stashes, and one
 * more that stays in place.
 */
enum status oracle_stash_fill(struct device_oracle *oracle,
                              struct expectation_list *next) MUST_CHECK;

/* Copy the expected values for these seeds back from a stash; false if none has them. */
bool oracle_stash_take(struct device_oracle *oracle, const struct expectation *seeds);

#endif
