#include "core/agent/reply/kernel_files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/system/file.h"
#include "tests/unit/unit.h"

static const char reply[] =
    "Tiles.\n\n```opencl\n__kernel void f(__global float *y) { y[0] = N; }\n"
    "```\n\n```json\n{\"tune\": {\"T\": [4, 8]}, \"build\": [\"-DN={N}\", "
    "\"-DT={T}\", \"-cl-mad-enable\"]}\n```\n";

static int make_folder(void **state)
{
    char *folder = file_join(file_temporary_folder(), "kernel-files-XXXXXX");

    *state = mkdtemp(folder);
    return *state ? 0 : -1;
}

static int remove_folder(void **state)
{
    file_remove_folder(*state);
    free(*state);
    return 0;
}

static void write_in(const char *folder, const char *name, const char *text)
{
    char *path = file_join(folder, name);

    assert_false(file_write(path, text, strlen(text), &(struct error){0}));
    free(path);
}

static char *read_in(const char *folder, const char *name)
{
    char *path = file_join(folder, name);
    struct strbuf text = {0};

    assert_false(file_read(path, 1 << 20, &text, &(struct error){0}));
    free(path);
    return strbuf_take(&text);
}

static void kernel_and_plan_have_files_with_their_endings(void **state)
{
    char *text;

    assert_false(kernel_files_write(*state, "opencl", reply, &(struct error){0}));
    text = read_in(*state, "kernel.cl");
    assert_string_equal(text, "__kernel void f(__global float *y) { y[0] = N; }\n");
    free(text);
    text = read_in(*state, "plan.json");
    assert_non_null(strstr(text, "\"tune\""));
    free(text);
}

static void clangd_learns_language_and_macros(void **state)
{
    char *flags;

    assert_false(kernel_files_write(*state, "opencl", reply, &(struct error){0}));
    flags = read_in(*state, "compile_flags.txt");
    assert_non_null(strstr(flags, "-xcl\n"));
    assert_non_null(strstr(flags, "-DT=4\n"));
    assert_non_null(strstr(flags, "-DN="));
    assert_null(strstr(flags, "mad-enable"));
    free(flags);
}

static void unchanged_files_give_the_reply(void **state)
{
    struct strbuf edited = {0};

    assert_false(kernel_files_write(*state, "opencl", reply, &(struct error){0}));
    assert_false(kernel_files_read(*state, "opencl", reply, &edited, &(struct error){0}));
    assert_string_equal(strbuf_cstr(&edited), reply);
    strbuf_release(&edited);
}

static void a_changed_file_changes_its_part_only(void **state)
{
    struct strbuf edited = {0};

    assert_false(kernel_files_write(*state, "opencl", reply, &(struct error){0}));
    write_in(*state, "kernel.cl", "__kernel void f(__global float *y) { /* ``` */ y[0] = 2; }");
    assert_false(kernel_files_read(*state, "opencl", reply, &edited, &(struct error){0}));
    assert_non_null(strstr(strbuf_cstr(&edited), "Tiles."));
    assert_non_null(strstr(strbuf_cstr(&edited), "/* ``` */ y[0] = 2;"));
    assert_non_null(strstr(strbuf_cstr(&edited), "\"-cl-mad-enable\""));
    strbuf_release(&edited);
}

/* A full disk makes an editor leave an empty file. */
static void empty_and_missing_files_are_no_kernel(void **state)
{
    struct strbuf edited = {0};
    struct error err = {0};
    char *path = kernel_files_source(*state, "opencl");

    assert_false(kernel_files_write(*state, "opencl", reply, &err));
    write_in(*state, "kernel.cl", "\n");
    assert_int_equal(kernel_files_read(*state, "opencl", reply, &edited, &err), STATUS_INVALID);
    assert_non_null(strstr(err.text, "kernel.cl: the file is empty"));
    unlink(path);
    assert_int_equal(kernel_files_read(*state, "opencl", reply, &edited, &err), STATUS_NOT_FOUND);
    assert_int_equal(edited.len, 0);
    free(path);
}

static void a_kernel_alone_takes_the_plan_beside_it(void **state)
{
    char *path = file_join(*state, "fast.cl");
    struct strbuf text = {0};

    write_in(*state, "fast.cl", "__kernel void f() {}\n");
    assert_false(kernel_files_read_alone(path, "opencl", &text, &(struct error){0}));
    assert_string_equal(strbuf_cstr(&text), "```opencl\n__kernel void f() {}\n```\n");
    strbuf_release(&text);
    write_in(*state, "plan.json", "{\"launches\": []}");
    assert_false(kernel_files_read_alone(path, "opencl", &text, &(struct error){0}));
    assert_non_null(strstr(strbuf_cstr(&text), "```json\n{\"launches\": []}\n```"));
    strbuf_release(&text);
    write_in(*state, "fast.json", "{\"launches\": [1]}");
    assert_false(kernel_files_read_alone(path, "opencl", &text, &(struct error){0}));
    assert_non_null(strstr(strbuf_cstr(&text), "{\"launches\": [1]}"));
    strbuf_release(&text);
    free(path);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(kernel_and_plan_have_files_with_their_endings),
        TEST(clangd_learns_language_and_macros),
        TEST(unchanged_files_give_the_reply),
        TEST(a_changed_file_changes_its_part_only),
        TEST(empty_and_missing_files_are_no_kernel),
        TEST(a_kernel_alone_takes_the_plan_beside_it),
    };

    return cmocka_run_group_tests_name("kernel_files", tests, NULL, NULL);
}
