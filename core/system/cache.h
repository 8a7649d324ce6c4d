#ifndef CORE_SYSTEM_CACHE_H
#define CORE_SYSTEM_CACHE_H

#include "core/base/json.h"

/*
 * The cache of results that are expensive to compute, in the user's cache folder: one JSON file for
 * each key, named by a digest of the key. The key must contain everything that the value depends
 * on. Another version of kforge does not find the value, because the digest includes the version.
 */

/* The value, which the caller owns; NULL when there is none or the file is not readable JSON. */
struct json *cache_recall(const char *kind, const char *key);

/* Store a value. A failure is only logged: the value is computed again the next time. */
void cache_keep(const char *kind, const char *key, const struct json *value);

/* Remove the oldest values of this kind until their files take at most `most_bytes` together. */
void cache_bound(const char *kind, size_t most_bytes);

#endif
