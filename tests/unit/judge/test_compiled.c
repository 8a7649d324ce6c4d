#include "core/judge/executor/compiled.h"

#include "tests/unit/unit.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/judge/device/binary.h"
#include "core/system/cache.h"
#include "core/system/file.h"

static const struct compiled_source source = {
    .compiler = "NVRTC 13.0, sm_90a", .text = "__global__ void f() {}", .options = "-DN=4"};

static int set_cache(void **state)
{
    static char folder[] = "/tmp/kforge-compiled-XXXXXX";

    *state = mkdtemp(folder);
    return *state ? setenv("XDG_CACHE_HOME", folder, 1) : -1;
}

static int remove_cache(void **state)
{
    file_remove_folder(*state);
    return 0;
}

static struct json *make_binary(const char *ptx)
{
    char log[] = "ptxas info", text[256];
    struct binary binary = {.log = log, .ptx = text};
    struct json *made;

    snprintf(text, sizeof(text), "%s", ptx);
    strbuf_add(&binary.machine,
               "\x7f"
               "ELF\0\xff",
               6);
    made = binary_encode(&binary);
    strbuf_release(&binary.machine);
    return made;
}

static void keep(const struct compiled_source *of, const char *ptx)
{
    struct json *binary = make_binary(ptx);

    compiled_keep(of, binary);
    json_free(binary);
}

static void assert_nothing(const struct compiled_source *of)
{
    struct json *found = compiled_recall(of);

    assert_null(found);
    json_free(found);
}

static void a_compiled_binary_is_found_again(void **state)
{
    struct json *found;
    struct binary binary = {0};
    struct json_ref root;

    (void)state;
    assert_nothing(&source);
    keep(&source, ".entry f()");
    found = compiled_recall(&source);
    assert_non_null(found);
    root = json_ref_root(found, "binary");
    assert_int_equal(binary_decode(&binary, &root, NULL), STATUS_OK);
    assert_string_equal(binary.ptx, ".entry f()");
    assert_string_equal(binary.log, "ptxas info");
    assert_int_equal(binary.machine.len, 6);
    assert_memory_equal(binary.machine.data,
                        "\x7f"
                        "ELF\0\xff",
                        6);
    binary_release(&binary);
    json_free(found);
}

static void another_source_option_or_compiler_is_another_binary(void **state)
{
    struct compiled_source other = source;

    (void)state;
    keep(&source, ".entry f()");
    other.options = "-DN=8";
    assert_nothing(&other);
    other = source;
    other.text = "__global__ void g() {}";
    assert_nothing(&other);
    other = source;
    other.compiler = "NVRTC 12.4, sm_90a";
    assert_nothing(&other);
}

/* The path of the only cached file; the caller frees it. */
static char *only_file(const char *folder)
{
    struct strbuf pattern = {0};
    glob_t found = {0};
    char *path;

    strbuf_addf(&pattern, "%s/kforge/compiled-*.json", folder);
    assert_int_equal(glob(strbuf_cstr(&pattern), 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, 1);
    path = strdup(found.gl_pathv[0]);
    globfree(&found);
    strbuf_release(&pattern);
    return path;
}

/* A truncated entry, or one with a changed byte, is either read as it was written or not found. */
static void a_broken_entry_is_ignored(void **state)
{
    struct strbuf text = {0}, broken = {0};
    char *path;

    cache_bound("compiled", 0);
    keep(&source, ".entry f()");
    path = only_file(*state);
    assert_int_equal(file_read(path, 1 << 20, &text, NULL), STATUS_OK);
    for (size_t cut = 0; cut + 2 < text.len; cut += 7) {
        assert_int_equal(file_write(path, text.data, cut, NULL), STATUS_OK);
        assert_nothing(&source);
    }
    strbuf_add(&broken, text.data, text.len);
    *strstr(broken.data, "entry") = 'E';
    assert_int_equal(file_write(path, broken.data, broken.len, NULL), STATUS_OK);
    assert_nothing(&source);
    strbuf_release(&text);
    strbuf_release(&broken);
    free(path);
}

/*
 * Files other than the compiler's own may change, so the binary of a source that includes one is
 * not cached.
 */
static void a_source_that_reads_files_is_not_kept(void **state)
{
    static const char *const texts[] = {
        "#include \"mine.h\"\n",     "#include </home/me/mine.h>\n",  "#include <../mine.h>\n",
        "#inc\\\nlude \"mine.h\"\n", "#define H \"x\"\n#include H\n", "#include <mine.h\n",
    };
    const struct compiled_source usual = {.text = "#include <cuda_fp16.h>\nint a;"};

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        struct compiled_source reads = source;

        reads.text = texts[i];
        keep(&reads, ".entry f()");
        assert_nothing(&reads);
    }
    assert_true(compiled_can_keep(&usual));
}

static void the_oldest_go_first(void **state)
{
    struct json *value = json_string_new("about forty bytes of text, that are kept.");

    (void)state;
    cache_keep("aged", "one", value);
    cache_keep("aged", "two", value);
    cache_keep("other", "one", value);
    cache_bound("aged", 60);
    json_free(value);
    assert_null(cache_recall("aged", "one"));
    value = cache_recall("aged", "two");
    assert_non_null(value);
    json_free(value);
    value = cache_recall("other", "one");
    assert_non_null(value);
    json_free(value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_compiled_binary_is_found_again),
        cmocka_unit_test(another_source_option_or_compiler_is_another_binary),
        cmocka_unit_test(a_broken_entry_is_ignored),
        cmocka_unit_test(a_source_that_reads_files_is_not_kept),
        cmocka_unit_test(the_oldest_go_first),
    };

    return cmocka_run_group_tests(tests, set_cache, remove_cache);
}
