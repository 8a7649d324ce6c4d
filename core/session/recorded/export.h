#ifndef CORE_SESSION_RECORDED_EXPORT_H
#define CORE_SESSION_RECORDED_EXPORT_H

#include "core/session/recorded/recording.h"

/*
 * Writes a candidate of a recording as files for use outside of kforge.
 *
 * export_candidate() writes the parts of the candidate into a new folder: the kernel's source,
 * plan.json, problem.json, verdict.json, candidate.md (the input of `kforge eval`) and a README.md.
 */
enum status export_candidate(const struct recording *recording, const struct attempt *attempt,
                             const char *folder, struct error *err) MUST_CHECK;

/* The kinds of programs that run without kforge (standalone.h). */
enum export_form { EXPORT_C, EXPORT_TORCH };

/* How to write it. */
struct export_options {
    enum export_form form;
    bool tf32_convolutions; /* standalone.h */
};

/* Write such a program, with the tunables that the verdict chose.  `path` is a folder for C, a file
 * for PyTorch. */
enum status export_standalone(const struct recording *recording, const struct attempt *attempt,
                              const struct export_options *options, const char *path,
                              struct error *err) MUST_CHECK;

#endif
