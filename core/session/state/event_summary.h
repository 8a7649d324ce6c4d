#ifndef CORE_SESSION_STATE_EVENT_SUMMARY_H
#define CORE_SESSION_STATE_EVENT_SUMMARY_H

#include "core/model/verdict.h"
#include "core/session/state/event_data.h"

/*
 * The figures of a verdict for evaluation.finished.  The caller sets attempt, verdict and wall_us;
 * the texts are borrowed from the verdict.
 */
struct evaluation_finished event_summary_of(const struct verdict *verdict);

#endif
