#ifndef CORE_SESSION_STORE_CATALOG_H
#define CORE_SESSION_STORE_CATALOG_H

#include "core/base/status.h"

/*
 * Finds sessions on this machine. Each session has a folder, named by its id, in kforge's data
 * folder. kforge's own git repository is in the same folder. It has the texts and candidates of
 * sessions for which the engineer names no other repository.
 */

enum { CATALOG_ID_SIZE = 24 };

/* Make a new id from the time in UTC and random digits: "1120-214703-3f2a". */
void catalog_new_id(char id[CATALOG_ID_SIZE]);

/* The path of the journal of a session; the caller frees. */
char *catalog_journal(const char *id);

/* The folder that holds the folders of all sessions; the caller frees. */
char *catalog_sessions(void);

/* The folder of a session; the caller frees. */
char *catalog_folder(const char *id);

/* Make the folder of a session. */
enum status catalog_make(const char *id, struct error *err) MUST_CHECK;

/*
 * Find the session whose id is `prefix` or begins with it; a whole id wins. STATUS_NOT_FOUND if
 * there is none or more than one.
 */
enum status catalog_find(const char *prefix, char id[CATALOG_ID_SIZE],
                         struct error *err) MUST_CHECK;

/* List all ids in sorted order; the caller frees each of them and the array, on failure too. */
enum status catalog_list(char ***ids, size_t *count, struct error *err) MUST_CHECK;

/* The path of the journal of marks on recommendations (recorded/review_marks.h); the caller frees.
 */
char *catalog_review_journal(void);

/* The path of kforge's own repository; the caller frees. */
char *catalog_repository(void);

#endif
