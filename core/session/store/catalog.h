#ifndef CORE_SESSION_STORE_CATALOG_H
#define CORE_SESSION_STORE_CATALOG_H

#include "core/base/status.h"

/*
 * Where sessions live: a folder each, named by its id, in kforge's data
 * folder; and the repository that holds their texts and candidates where the
 * engineer names no other.
 */

enum { CATALOG_ID_SIZE = 24 };

/* An id that sorts by time and is not taken: "1120-214703-3f2a". */
void catalog_new_id(char id[CATALOG_ID_SIZE]);

/* The journal of a session; the caller frees. */
char *catalog_journal(const char *id);

/* Make the folder in which the journal will stand. */
enum status catalog_make(const char *id, struct error *err) MUST_CHECK;

/* The id that begins with `prefix`, if there is exactly one. */
enum status catalog_find(const char *prefix, char id[CATALOG_ID_SIZE],
                         struct error *err) MUST_CHECK;

/* All ids, the oldest first; the caller frees each and the array. */
enum status catalog_list(char ***ids, size_t *count, struct error *err) MUST_CHECK;

/* kforge's own repository; the caller frees. */
char *catalog_repository(void);

#endif
