#include "core/system/cache.h"

#include <glob.h>
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
        st = file_write(path, strbuf_cstr(&text), text.len, &err);
    if (st)
        log_line("%s: not kept: %s", kind, err.text);
    strbuf_release(&text);
    free(path);
}

struct aged {
    const char *path;
    size_t bytes;
    struct timespec changed;
};

static int compare_ages(const void *a, const void *b)
{
    const struct timespec *x = &((const struct aged *)a)->changed;
    const struct timespec *y = &((const struct aged *)b)->changed;

    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

static void remove_oldest(char **paths, size_t count, size_t most_bytes)
{
    struct aged *files = mem_alloc_zeroed(count, sizeof(*files));
    size_t bytes = 0;

    for (size_t i = 0; i < count; i++) {
        struct stat about = {0};

        files[i].path = paths[i];
        if (stat(paths[i], &about) == 0)
            files[i].bytes = (size_t)about.st_size;
        files[i].changed = about.st_mtim;
        bytes += files[i].bytes;
    }
    qsort(files, count, sizeof(*files), compare_ages);
    for (size_t i = 0; i < count && bytes > most_bytes; i++) {
        (void)unlink(files[i].path);
        bytes -= files[i].bytes;
    }
    free(files);
}

void cache_bound(const char *kind, size_t most_bytes)
{
    char *folder = file_place_folder(FILE_CACHE);
    struct strbuf pattern = {0};
    glob_t found = {0};

    strbuf_addf(&pattern, "%s/%s-*.json", folder, kind);
    if (glob(strbuf_cstr(&pattern), GLOB_NOSORT, NULL, &found) == 0)
        remove_oldest(found.gl_pathv, found.gl_pathc, most_bytes);
    globfree(&found);
    strbuf_release(&pattern);
    free(folder);
}
