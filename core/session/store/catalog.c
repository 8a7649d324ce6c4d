#include "core/session/store/catalog.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/system/file.h"
#include "core/system/random.h"

char *catalog_sessions(void)
{
    char *data = file_place_folder(FILE_DATA);
    char *folder = file_join(data, "sessions");

    free(data);
    return folder;
}

char *catalog_folder(const char *id)
{
    char *sessions = catalog_sessions();
    char *folder = file_join(sessions, id);

    free(sessions);
    return folder;
}

void catalog_new_id(char id[CATALOG_ID_SIZE])
{
    time_t now = time(NULL);
    unsigned tail = (unsigned)(random_bits() & 0xffff);
    struct tm utc;
    size_t len;

    gmtime_r(&now, &utc);
    len = strftime(id, CATALOG_ID_SIZE, "%m%d-%H%M%S", &utc);
    snprintf(id + len, CATALOG_ID_SIZE - len, "-%04x", tail);
}

char *catalog_journal(const char *id)
{
    char *folder = catalog_folder(id);
    char *path = file_join(folder, "events.jsonl");

    free(folder);
    return path;
}

enum status catalog_make(const char *id, struct error *err)
{
    char *folder = catalog_folder(id);
    enum status st = file_make_place(FILE_DATA, err);

    if (!st)
        st = file_make_folder(folder, err);
    free(folder);
    return st;
}

char *catalog_review_journal(void)
{
    char *data = file_place_folder(FILE_DATA);
    char *path = file_join(data, "review.jsonl");

    free(data);
    return path;
}

char *catalog_repository(void)
{
    char *data = file_place_folder(FILE_DATA);
    char *path = file_join(data, "history.git");

    free(data);
    return path;
}

static int is_session(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

enum status catalog_list(char ***ids, size_t *count, struct error *err)
{
    char *folder = catalog_sessions();
    struct dirent **entries = NULL;
    int found = scandir(folder, &entries, is_session, alphasort);
    enum status st = STATUS_OK;

    if (found < 0 && errno != ENOENT)
        st = file_fail(err, "list", folder);
    *count = found > 0 ? (size_t)found : 0;
    *ids = mem_alloc_zeroed(*count + 1, sizeof(**ids));
    for (size_t i = 0; i < *count; i++) {
        (*ids)[i] = mem_strdup(entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    free(folder);
    return st;
}

static void free_list(char **ids, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(ids[i]);
    free(ids);
}

enum status catalog_find(const char *prefix, char id[CATALOG_ID_SIZE], struct error *err)
{
    const char *found = NULL;
    size_t count, matches = 0;
    char **ids;
    enum status st = catalog_list(&ids, &count, err);

    for (size_t i = 0; i < count; i++) {
        if (!text_begins(ids[i], prefix))
            continue;
        found = ids[i];
        matches++;
        if (strcmp(found, prefix) == 0) { /* a whole id wins, even if other ids begin with it */
            matches = 1;
            break;
        }
    }
    if (!st && matches != 1)
        st = error_set(err, STATUS_NOT_FOUND,
                       "%s session begins with \"%s\": kforge sessions lists them",
                       matches ? "more than one" : "no", prefix);
    if (!st)
        snprintf(id, CATALOG_ID_SIZE, "%s", found);
    free_list(ids, count);
    return st;
}
