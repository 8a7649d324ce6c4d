#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/array.h"
#include "core/judge/torch/compiled_cache.h"
#include "core/system/file.h"

static char folder[] = "/tmp/kforge-test-XXXXXX";

static char device_id[] = "cuda:0", device_name[] = "A", first_uuid[] = "GPU-1",
            second_uuid[] = "GPU-2", first_driver[] = "driver 1", second_driver[] = "driver 2";
static char baseline_name[] = "compile", unknown_name[] = "compile_bf16";

static const struct device_info device = {
    .id = device_id, .name = device_name, .uuid = first_uuid, .platform = first_driver};
static const struct compiled_origin origin = {"source", "2.11.0", "/usr/bin/python3", false,
                                              &device};

static void key_of(const struct compiled_origin *changed, char key[DIGEST_HEX_SIZE])
{
    struct compiled_cache cache = {0};

    compiled_cache_open(&cache, changed);
    memcpy(key, cache.key, DIGEST_HEX_SIZE);
    compiled_cache_release(&cache);
}

static void all_that_code_depends_on_changes_the_folder(void **state)
{
    struct device_info other = device, updated = device;
    struct compiled_origin changed[] = {origin, origin, origin, origin, origin, origin};
    char key[DIGEST_HEX_SIZE], first[DIGEST_HEX_SIZE];

    (void)state;
    other.uuid = second_uuid;
    updated.platform = second_driver;
    changed[0].source = "other source";
    changed[1].pytorch = "2.12.0";
    changed[2].python = "/opt/python3";
    changed[3].allows_mixed = true;
    changed[4].device = &other;
    changed[5].device = &updated;
    key_of(&origin, first);
    for (size_t i = 0; i < COUNT(changed); i++) {
        key_of(&changed[i], key);
        assert_string_not_equal(key, first);
    }
    key_of(&origin, key);
    assert_string_equal(key, first);
}

static void a_time_is_told_with_its_day(void **state)
{
    struct compiled_cache cache = {0}, other = {0};
    struct compiled_origin elsewhere = origin;
    struct awaited known = {.name = baseline_name}, unknown = {.name = unknown_name},
                   stranger = known;
    struct strbuf text = {0};

    (void)state;
    elsewhere.source = "other source";
    compiled_cache_open(&cache, &origin);
    compiled_cache_open(&other, &elsewhere);
    compiled_cache_keep_time(&cache, "compile", 99);
    compiled_cache_keep_time(&cache, "compile", 41.2);
    compiled_cache_recall_time(&cache, &known);
    compiled_cache_recall_time(&cache, &unknown);
    compiled_cache_recall_time(&other, &stranger);
    assert_true(known.has_earlier);
    assert_false(unknown.has_earlier || stranger.has_earlier);
    assert_int_equal(strlen(known.earlier_day), strlen("2026-11-20"));
    memcpy(known.earlier_day, "2026-11-20", strlen("2026-11-20"));
    awaited_describe(&known, &text);
    assert_string_equal(strbuf_cstr(&text), "being compiled; 41.2 us on 2026-11-20");
    free(known.earlier_day);
    strbuf_release(&text);
    compiled_cache_release(&cache);
    compiled_cache_release(&other);
}

/* The code of a model that is in use stays when that of many others comes. */
static void folders_that_are_not_used_are_removed(void **state)
{
    struct compiled_cache cache = {0};
    struct compiled_origin other = origin;
    char *removed = NULL;

    (void)state;
    for (unsigned i = 0; i < 40; i++) {
        char source[16];

        snprintf(source, sizeof(source), "model %u", i);
        other.source = source;
        compiled_cache_open(&cache, &other);
        assert_true(file_exists(cache.folder));
        if (i == 0)
            removed = strdup(cache.folder);
        compiled_cache_release(&cache);
        compiled_cache_open(&cache, &origin);
        compiled_cache_release(&cache);
    }
    assert_false(file_exists(removed));
    free(removed);
}

static int enter_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    return setenv("XDG_CACHE_HOME", folder, 1);
}

static int leave_folder(void **state)
{
    (void)state;
    file_remove_folder(folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_code_depends_on_changes_the_folder),
        cmocka_unit_test(a_time_is_told_with_its_day),
        cmocka_unit_test(folders_that_are_not_used_are_removed),
    };

    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
