#ifndef CORE_SESSION_DRIVER_DRIVER_CANDIDATE_H
#define CORE_SESSION_DRIVER_DRIVER_CANDIDATE_H

#include "core/model/candidate.h"
#include "core/session/driver/driver_state.h"

/* The candidates of a session's attempts, read from its repository. */

/*
 * Parse the reply of an attempt. A reply without a candidate is not a failure: `why` then says what
 * is wrong, and its code is not STATUS_OK.
 */
enum status driver_candidate_parse(struct driver *driver, const struct attempt *attempt,
                                   struct candidate *candidate, struct error *why,
                                   struct error *err) MUST_CHECK;

/*
 * Load the candidate of an attempt that was judged, with the choice of its tunables.  `candidate`
 * stays empty if there is no attempt (NULL) or no candidate.
 */
enum status driver_candidate_load(struct driver *driver, const struct attempt *attempt,
                                  struct candidate *candidate, struct error *err) MUST_CHECK;

#endif
