#include "core/judge/executor/compiled.h"

#include <string.h>

#include "core/base/digest.h"
#include "core/system/cache.h"

/* A part of the key: changed when a back end gives its compiler other options of its own. */
enum { OPTIONS_NUMBER = 2 };

enum { MOST_BYTES = 64 << 20 };

static const char kind[] = "compiled";

/*
 * True if the text after "include" names a header of the toolkit, <name> with no path out of its
 * folder. The version of the compiler stands for the contents of such headers.
 */
static bool is_toolkit_header(const char *name)
{
    size_t len;

    name += strspn(name, " \t");
    if (*name != '<' || name[1] == '/')
        return false;
    len = strcspn(name, ">\n");
    return name[len] == '>' && !memmem(name, len, "..", 2);
}

/* Join lines that end with a backslash, as the compiler does. */
static void join_lines(const char *text, struct strbuf *out)
{
    const char *end;

    while ((end = strstr(text, "\\\n"))) {
        strbuf_add(out, text, (size_t)(end - text));
        text = end + 2;
    }
    strbuf_adds(out, text);
}

bool compiled_can_keep(const struct compiled_source *source)
{
    struct strbuf text = {0};
    const char *at;
    bool can_keep = true;

    join_lines(source->text, &text);
    at = strbuf_cstr(&text);
    while (can_keep && (at = strstr(at, "include"))) {
        at += strlen("include");
        can_keep = is_toolkit_header(at);
    }
    strbuf_release(&text);
    return can_keep;
}

void compiled_digest(const struct compiled_source *source, char hex[DIGEST_HEX_SIZE])
{
    struct strbuf key = {0};

    strbuf_addf(&key, "%d\n%s\n%s\n%s", OPTIONS_NUMBER, source->compiler, source->options,
                source->text);
    if (source->language)
        strbuf_addf(&key, "\n%s", source->language);
    digest_sha256(strbuf_cstr(&key), key.len, hex);
    strbuf_release(&key);
}

static void digest_json(const struct json *value, char hex[DIGEST_HEX_SIZE])
{
    struct strbuf text = {0};

    json_print(value, &text);
    digest_sha256(strbuf_cstr(&text), text.len, hex);
    strbuf_release(&text);
}

/* The file's name has only part of the key, and the disk may have damaged the contents. */
static bool is_whole(const struct json *entry, const char *key)
{
    const struct json *binary = json_get(entry, "binary");
    char hex[DIGEST_HEX_SIZE];

    if (!binary)
        return false;
    digest_json(binary, hex);
    return strcmp(json_get_string(entry, "key", ""), key) == 0 &&
           strcmp(json_get_string(entry, "sha256", ""), hex) == 0;
}

struct json *compiled_recall(const struct compiled_source *source)
{
    struct json *entry, *binary = NULL;
    char key[DIGEST_HEX_SIZE];

    if (!compiled_can_keep(source))
        return NULL;
    compiled_digest(source, key);
    entry = cache_recall(kind, key);
    if (entry && is_whole(entry, key))
        binary = json_dup(json_get(entry, "binary"));
    json_free(entry);
    return binary;
}

void compiled_keep(const struct compiled_source *source, const struct json *binary)
{
    struct json *entry;
    char key[DIGEST_HEX_SIZE], hex[DIGEST_HEX_SIZE];

    if (!compiled_can_keep(source))
        return;
    compiled_digest(source, key);
    digest_json(binary, hex);
    entry = json_object_new();
    json_put_string(entry, "key", key);
    json_put_string(entry, "sha256", hex);
    json_put(entry, "binary", json_dup(binary));
    cache_keep(kind, key, entry);
    cache_bound(kind, MOST_BYTES);
    json_free(entry);
}
