#ifndef CORE_JUDGE_EXECUTOR_COMPILED_H
#define CORE_JUDGE_EXECUTOR_COMPILED_H

#include <stddef.h>

#include "core/base/digest.h"
#include "core/base/json.h"

/*
 * A cache of binaries (binary.h) in the user's cache folder, by source, options and compiler. Only
 * the judge reads and writes it; executors cannot. Its size is bounded, the oldest entry is removed
 * first, and an entry that is damaged is ignored.
 */
struct compiled_source {
    const char *compiler; /* name with version and target, from the device's description */
    const char *text, *options;
    const char *language; /* NULL: the device's own */
};

/* The key of a source: the digest of source, options and compiler. */
void compiled_digest(const struct compiled_source *source, char hex[DIGEST_HEX_SIZE]);

/*
 * False if the source includes files that are not part of the compiler: their contents would not be
 * in the key.
 */
bool compiled_can_keep(const struct compiled_source *source);

/* The cached binary, the caller's; NULL if there is none. */
struct json *compiled_recall(const struct compiled_source *source);
void compiled_keep(const struct compiled_source *source, const struct json *binary);

#endif
