#ifndef CORE_SYSTEM_CACHE_H
#define CORE_SYSTEM_CACHE_H

#include "core/base/json.h"

/*
 * What was found out at some cost, in the user's cache folder: one JSON file
 * for each key of a kind, named by the key's digest.  A key holds all that the
 * value depends on; what is kept by another version of kforge is not found.
 */

/* The value, the caller's; NULL where there is none, or none that can be read. */
struct json *cache_recall(const char *kind, const char *key);

/* A cache that cannot be written costs the same again the next time, and nothing else. */
void cache_keep(const char *kind, const char *key, const struct json *value);

/* Remove the oldest values of the kind until the others' files take no more than that. */
void cache_bound(const char *kind, size_t most_bytes);

#endif
