#ifndef CORE_SESSION_RECORDED_EXPORT_H
#define CORE_SESSION_RECORDED_EXPORT_H

#include "core/session/recorded/recording.h"

/*
 * A candidate as plain files, for use outside of kforge: the kernel's source,
 * plan.json, problem.json, verdict.json, candidate.md (what `kforge eval`
 * takes) and a README that says what it is.
 */
enum status export_candidate(const struct recording *recording, const struct attempt *attempt,
                             const char *folder, struct error *err) MUST_CHECK;

/* In which form a candidate is to stand on its own (standalone.h). */
enum export_form { EXPORT_C, EXPORT_TORCH };

/* The same at the tunables that its verdict chose; `path` is a folder for C, a file for PyTorch. */
enum status export_standalone(const struct recording *recording, const struct attempt *attempt,
                              enum export_form form, const char *path,
                              struct error *err) MUST_CHECK;

#endif
