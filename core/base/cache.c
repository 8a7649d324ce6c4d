#include "core/base/cache.h"

#include <stdlib.h>

#include "core/base/digest.h"
#include "core/base/file.h"
#include "core/base/log.h"

enum { MAX_BYTES = 1 << 20 };

/* Where the value is kept.  The caller frees. */
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
