#include "core/judge/torch/compiled_cache.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/mem.h"
#include "core/system/cache.h"
#include "core/system/clock.h"
#include "core/system/file.h"

/* Folders that are kept: a session needs one for each model, and each takes some megabytes. */
enum { MOST_FOLDERS = 32, MOST_TIMES_BYTES = 1 << 20 };

static const char times_kind[] = "torch-times", folders_name[] = "torch";

static void make_key(struct compiled_cache *cache, const struct compiled_origin *origin)
{
    const struct device_info *device = origin->device;
    struct json *parts = json_array_new();
    struct strbuf text = {0};

    json_push(parts, json_string_new(KFORGE_VERSION));
    json_push(parts, json_string_new(origin->source));
    json_push(parts, json_string_new(origin->pytorch));
    json_push(parts, json_string_new(origin->python));
    json_push(parts, json_bool_new(origin->allows_mixed));
    json_push(parts, json_string_new(device->uuid ? device->uuid : device->id));
    json_push(parts, json_string_new(device->name));
    json_push(parts, json_string_new(device->platform));
    json_print(parts, &text);
    digest_sha256(text.data, text.len, cache->key);
    strbuf_release(&text);
    json_free(parts);
}

static void remove_unused(const char *folders)
{
    char *pattern = file_join(folders, "*");
    glob_t found;

    file_find_oldest_first(pattern, &found);
    for (size_t i = 0; i + MOST_FOLDERS < found.gl_pathc; i++)
        file_remove_folder(found.gl_pathv[i]);
    globfree(&found);
    free(pattern);
}

void compiled_cache_open(struct compiled_cache *cache, const struct compiled_origin *origin)
{
    char *place = file_place_folder(FILE_CACHE), *folders = file_join(place, folders_name);

    *cache = (struct compiled_cache){0};
    make_key(cache, origin);
    cache->folder = file_join(folders, cache->key);
    if (file_make_folder(cache->folder, NULL)) {
        free(cache->folder);
        cache->folder = NULL;
    } else {
        (void)utimensat(AT_FDCWD, cache->folder, NULL, 0);
        remove_unused(folders);
    }
    free(folders);
    free(place);
}

void compiled_cache_keep_time(const struct compiled_cache *cache, const char *name, double us)
{
    struct json *times = cache_recall(times_kind, cache->key);
    struct json *time;
    char today[CLOCK_STAMP_SIZE];

    if (json_type(times) != JSON_OBJECT) {
        json_free(times);
        times = json_object_new();
    }
    clock_stamp(today);
    today[sizeof("2026-11-20") - 1] = '\0';
    time = json_put(times, name, json_object_new());
    json_put_number(time, "us", us);
    json_put_string(time, "day", today);
    cache_keep(times_kind, cache->key, times);
    cache_bound(times_kind, MOST_TIMES_BYTES);
    json_free(times);
}

void compiled_cache_recall_time(const struct compiled_cache *cache, struct awaited *baseline)
{
    struct json *times = cache_recall(times_kind, cache->key);
    const struct json *time = json_get(times, baseline->name);
    const char *day = json_get_string(time, "day", NULL);

    baseline->earlier_us = json_get_number(time, "us", 0);
    baseline->has_earlier = day && baseline->earlier_us > 0;
    if (baseline->has_earlier)
        baseline->earlier_day = mem_strdup(day);
    json_free(times);
}

void compiled_cache_release(struct compiled_cache *cache)
{
    free(cache->folder);
    *cache = (struct compiled_cache){0};
}
