#ifndef CORE_SESSION_STATE_SCALED_VERDICT_H
#define CORE_SESSION_STATE_SCALED_VERDICT_H

#include "core/session/state/session.h"

/*
 * Put the times of an attempt's verdict on the session's scale (scale.h): the times of the
 * candidate, of its launches and tuning choices, and of the baselines. A verdict that a session
 * shows or gives to an agent is put on the scale first, so that no number contradicts another
 * attempt's. The bound and the floor stay: they do not depend on the clock of that moment.
 *
 * The baselines of one verdict were timed at the same moment, so all are multiplied by the factor
 * of the strongest one. The time of each is its speedup times the candidate's time.
 *
 * Call it again for the same verdict when the session has changed, because each attempt refines the
 * times of the baselines.
 */
void scaled_verdict_make(const struct session *session, const struct attempt *attempt,
                         struct verdict *verdict);

#endif
