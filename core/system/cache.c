#include "core/system/cache.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/digest.h"
#include "core/base/mem.h"
#include "core/system/file.h"
#include "core/system/log.h"

enum { MAX_BYTES = 16 << 20 };

/* The path of the value's file. The caller frees it. */
static char *path_of(const char *kind, const char *key)
{
    char *folder = file_place_folder(FILE_CACHE), *path;
    char digest[DIGEST_HEX_SIZE];
    struct strbuf text = {0};

    strbuf_addf(&text, "%s\n%s", KFORGE_VERSION, key);
    digest_sha256(strbuf_cstr(&text), text.len, digest);
    text.len = 0;
    strbuf_addf(&text, "%s-%.16s.json", kind, digest);
    path = file_join(folder, strbuf_cstr(&text));
    strbuf_release(&text);
    free(folder);
    return path;
}

struct json *cache_recall(const char *kind, const char *key)
{
    char *path = path_of(kind, key);
    struct strbuf text = {0};
    struct json *value = NULL;

    if (!file_read(path, MAX_BYTES, &text, NULL))
        value = json_parse(strbuf_cstr(&text), text.len, NULL);
    strbuf_release(&text);
    free(path);
    return value;
}

void cache_keep(const char *kind, const char *key, const struct json *value)
{
    char *path = path_of(kind, key);
    struct strbuf text = {0};
    struct error err;
    enum status st = file_make_place(FILE_CACHE, &err);

    json_print_pretty(value, &text);
    if (!st)
        st = file_write_soon(path, strbuf_cstr(&text), text.len, &err);
    if (st)
        log_line("%s: not kept: %s", kind, err.text);
    strbuf_release(&text);
    free(path);
}

/* Remove the first files of a list until the rest have few enough bytes. */
static void remove_first(char **paths, size_t count, size_t most_bytes)
{
    size_t bytes = 0;
    struct stat about;

    for (size_t i = count; i-- > 0;) {
        if (stat(paths[i], &about) == 0)
            bytes += (size_t)about.st_size;
        if (bytes > most_bytes)
            (void)unlink(paths[i]);
    }
}

void cache_bound(const char *kind, size_t most_bytes)
{
    char *folder = file_place_folder(FILE_CACHE);
    struct strbuf pattern = {0};
    glob_t found;

    strbuf_addf(&pattern, "%s/%s-*.json", folder, kind);
    file_find_oldest_first(strbuf_cstr(&pattern), &found);
    remove_first(found.gl_pathv, found.gl_pathc, most_bytes);
    globfree(&found);
    strbuf_release(&pattern);
    free(folder);
}
