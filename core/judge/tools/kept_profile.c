#include "core/judge/tools/kept_profile.h"

#include <string.h>

#include "core/base/digest.h"
#include "core/system/cache.h"

enum { MOST_BYTES = 64 << 20 };

static const char kind[] = "profile";

/* The digest of everything that the profile depends on. */
static void digest_code(const struct profiled_code *code, char hex[DIGEST_HEX_SIZE])
{
    const struct device_info *device = code->device;
    struct strbuf key = {0};

    strbuf_addf(&key, "%s\n%s\n%s\n%s\n%s\n", device->id, device->uuid ? device->uuid : "",
                device->name, device->platform, device->compiler ? device->compiler : "");
    json_print(code->problem->document, &key);
    strbuf_adds(&key, "\n");
    json_print(code->dispatch, &key);
    strbuf_addf(&key, "\n%s\n%s%s", code->language, code->source,
                code->without_lines ? "\nwithout lines" : "");
    digest_sha256(strbuf_cstr(&key), key.len, hex);
    strbuf_release(&key);
}

/* The file's name has only part of the key. */
static bool read_entry(const struct json *entry, const char *key, struct profile *profile)
{
    struct json_ref root = json_ref_root(entry, "profile");
    struct json_ref member = json_ref_member(&root, "profile");
    struct error err;

    return strcmp(json_get_string(entry, "key", ""), key) == 0 &&
           !record_read(profile_fields, profile, sizeof(*profile), &member, &err);
}

bool kept_profile_recall(const struct profiled_code *code, struct profile *profile)
{
    char key[DIGEST_HEX_SIZE];
    struct json *entry;
    bool is_found;

    digest_code(code, key);
    entry = cache_recall(kind, key);
    is_found = entry && read_entry(entry, key, profile);
    json_free(entry);
    if (is_found)
        profile->is_present = profile->is_kept = true;
    return is_found;
}

void kept_profile_keep(const struct profiled_code *code, const struct profile *profile)
{
    char key[DIGEST_HEX_SIZE];
    struct json *entry;

    if (profile->missing || !profile->kernels.count)
        return;
    digest_code(code, key);
    entry = json_object_new();
    json_put_string(entry, "key", key);
    json_put(entry, "profile", record_encode(profile_fields, profile));
    cache_keep(kind, key, entry);
    cache_bound(kind, MOST_BYTES);
    json_free(entry);
}
