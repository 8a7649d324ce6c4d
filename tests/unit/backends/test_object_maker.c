#include "backends/host/object_maker.h"

#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/mem.h"
#include "core/system/file.h"

/* A compiler that prints its arguments and makes nothing. */
static const char script[] = "#!/bin/sh\necho \" $* \"\n";

static const struct compiler row = {"cc", "c", "int given;\n", {"-O3", NULL}};

/* The log for a source of `bytes` with these options. The caller frees it. */
static char *log_of(struct object_maker *maker, size_t bytes, const char *options)
{
    char *text = mem_alloc_zeroed(bytes + 1, 1);
    const struct object_source source = {.language = "", .text = text, .options = options};
    struct strbuf object = {0}, log = {0};

    memset(text, ' ', bytes);
    assert_false(object_maker_make(maker, &source, &object, &log));
    strbuf_release(&object);
    free(text);
    return strbuf_take(&log);
}

static void expect(struct object_maker *maker, size_t bytes, const char *options,
                   const char *const *wanted)
{
    char *log = log_of(maker, bytes, options);

    assert_non_null(strstr(log, wanted[0]));
    if (wanted[1])
        assert_non_null(strstr(log, wanted[1]));
    else
        assert_null(strstr(log, "-include-pch"));
    free(log);
}

/* The header was compiled without -O2, so it does not go with that. */
static void long_sources_are_compiled_with_less_effort(void **state)
{
    static const char *const short_one[] = {" -O3 kernel.c ", "-include-pch"};
    static const char *const long_one[] = {" -O3 -O2 kernel.c ", NULL};
    static const char *const own[] = {" -O3 -O2 -O1 kernel.c ", NULL};
    struct found_compiler found[COMPILER_LANGUAGES] = {{.row = &row}};
    struct object_maker maker;

    (void)state;
    assert_true(object_maker_open(&maker, found));
    found[0].path = file_join(maker.folder, "cc");
    assert_int_equal(file_write_text(".", "cc", script, NULL), STATUS_OK);
    assert_int_equal(chmod(found[0].path, 0700), 0);
    expect(&maker, 400000, "", short_one);
    expect(&maker, 400001, "", long_one);
    expect(&maker, 400001, "-O1", own);
    object_maker_close(&maker);
    free(found[0].path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_sources_are_compiled_with_less_effort),
    };

    return cmocka_run_group_tests_name("object_maker", tests, NULL, NULL);
}
