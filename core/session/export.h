#ifndef CORE_SESSION_EXPORT_H
#define CORE_SESSION_EXPORT_H

#include "core/session/recording.h"

/*
 * A candidate as plain files, for use outside of kforge: the kernel's source,
 * plan.json, problem.json, verdict.json, candidate.md (what `kforge eval`
 * takes) and a README that says what it is.
 */
enum status export_candidate(const struct recording *recording, const struct attempt *attempt,
                             const char *folder, struct error *err) MUST_CHECK;

#endif
