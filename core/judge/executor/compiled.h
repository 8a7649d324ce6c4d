#ifndef CORE_JUDGE_EXECUTOR_COMPILED_H
#define CORE_JUDGE_EXECUTOR_COMPILED_H

#include <stddef.h>

#include "core/base/digest.h"
#include "core/base/json.h"

/*
 * Binaries (binary.h) of sources that were compiled before, in the user's cache
 * folder.  The judge alone reads and writes there; executors cannot.  What is
 * kept is bounded, the oldest goes first, and an entry that is not what was
 * written is none.
 */
struct compiled_source {
    const char *compiler; /* with version and target, as a device tells */
    const char *text, *options;
};

/* Under which it is kept: source, options and compiler. */
void compiled_digest(const struct compiled_source *source, char hex[DIGEST_HEX_SIZE]);

/* False where the compiler reads files that are no part of it, whose contents nobody compares. */
bool compiled_can_keep(const struct compiled_source *source);

/* The binary, the caller's; NULL where there is none. */
struct json *compiled_recall(const struct compiled_source *source);
void compiled_keep(const struct compiled_source *source, const struct json *binary);

#endif
