#include "core/judge/executor/internal_kernels.h"

#include "core/judge/executor/executor.h"
#include "tests/unit/unit.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/strbuf.h"
#include "core/model/problem_reader.h"
#include "core/system/file.h"

/*
 * A shell script in the role of an executor. For the tensors of a task it asks for one internal
 * kernel for their type and for the one that poisons buffers. It returns binaries of all internal
 * kernels, wanted or not, after 0.2 seconds. It logs every request to the file "asked", and exits
 * on a source that contains "crash".
 */
static const char script[] =
    "device='{\"id\":\"d:0\",\"name\":\"D\",\"platform\":\"P\",\"language\":\"opencl\","
    "\"is_cpu\":true}'\n"
    "binary='{\"log\":\"\",\"ptx\":\"\",\"machine\":\"AAAA\"}'\n"
    "while read -r line; do\n"
    "  printf '%s\\n' \"$line\" >>\"$TMPDIR/../asked\"\n"
    "  case $line in\n"
    "  *'\"do\":\"open\"'*) echo \"{\\\"device\\\":$device,\\\"draws\\\":\\\"$0\\\"}\" ;;\n"
    "  *'\"do\":\"tensors\"'*'\"i32\"'*) echo '{\"internal_kernels\":[\"whole\",\"poison\"]}' ;;\n"
    "  *'\"do\":\"tensors\"'*) echo '{\"internal_kernels\":[\"real\",\"poison\"]}' ;;\n"
    "  *'\"do\":\"internal_kernels\"'*) sleep 0.2; echo "
    "\"{\\\"kernels\\\":{\\\"whole\\\":$binary,\\\"real\\\":$binary,"
    "\\\"poison\\\":$binary}}\" ;;\n"
    "  *'\"do\":\"binary\"'*) echo \"{\\\"binary\\\":$binary}\" ;;\n"
    "  *crash*) exit 1 ;;\n"
    "  *) echo "
    "'{\"built\":false,\"build\":{\"ms\":1,\"log\":\"\",\"options\":\"\",\"diagnostics\":[]},"
    "\"resources\":{}}' ;;\n"
    "  esac\n"
    "done\n";

/* `draws` is what the executor says that it draws; the judge draws "own". */
static struct executor *start_that_draws(const char *draws, int64_t build_limit_us)
{
    static const char *argv[] = {"/bin/sh", "-c", script, NULL, NULL};
    const struct executor_options options = {
        .argv = argv, .build_limit_us = build_limit_us, .run_limit_us = 60000000, .draws = "own"};

    argv[3] = draws;
    return executor_new(&options);
}

static struct executor *start_with(int64_t build_limit_us)
{
    return start_that_draws("own", build_limit_us);
}

static struct executor *start(void)
{
    return start_with(60000000);
}

/* Send a tensor of that type to the device. */
static void place(struct executor *executor, const char *dtype)
{
    struct strbuf text = {0};
    struct problem problem = {0};
    struct binding bindings[1];
    struct scope scope;
    struct graph graph = {0};
    struct error err = {0};

    strbuf_addf(&text,
                "{\"kforge\":1,\"name\":\"p\",\"summary\":\"\",\"dims\":{\"N\":4},"
                "\"tensors\":{\"x\":{\"role\":\"input\",\"dtype\":\"%s\",\"shape\":[\"N\"],"
                "\"fill\":{\"integers\":[0,9]}},\"y\":{\"role\":\"output\",\"dtype\":\"%s\","
                "\"shape\":[\"N\"]}},"
                "\"graph\":[{\"op\":\"add\",\"in\":[\"x\",\"x\"],\"out\":\"y\"}],"
                "\"tolerance\":{\"class\":\"f32\"}}",
                dtype, dtype);
    if (problem_parse(&problem, strbuf_cstr(&text), text.len, "p", &err))
        fail_msg("%s", err.text);
    scope = problem_scope(&problem, 0, bindings);
    if (graph_build(&graph, &problem, &scope, &err) ||
        executor_set_tensors(executor, &problem, &graph, &err))
        fail_msg("%s", err.text);
    graph_release(&graph);
    problem_release(&problem);
    strbuf_release(&text);
}

static enum status send_program(struct executor *executor, const char *source)
{
    const struct dispatch dispatch = {0};
    const struct executor_load load = {.source = source, .dispatch = &dispatch};
    struct executor_build build = {0};
    enum status st = executor_load(executor, &load, &build, NULL);

    executor_build_release(&build);
    return st;
}

static size_t count_kept(const char *folder)
{
    struct strbuf pattern = {0};
    glob_t found = {0};
    size_t count;

    strbuf_addf(&pattern, "%s/kforge/compiled-*.json", folder);
    (void)glob(strbuf_cstr(&pattern), 0, NULL, &found);
    count = found.gl_pathc;
    globfree(&found);
    strbuf_release(&pattern);
    return count;
}

/* The latest request whose "do" is `what`; the caller frees it. */
static struct json *last_asked(const char *folder, const char *what)
{
    char *path = file_join(folder, "asked"), *line, *rest;
    struct strbuf text = {0};
    struct json *asked = NULL;

    assert_int_equal(file_read(path, 1 << 20, &text, NULL), STATUS_OK);
    rest = text.data;
    while ((line = strsep(&rest, "\n"))) {
        struct json *request = json_parse(line, strlen(line), NULL);
        bool is_meant = strcmp(json_get_string(request, "do", ""), what) == 0;

        json_free(is_meant ? asked : request);
        asked = is_meant ? request : asked;
    }
    assert_non_null(asked);
    strbuf_release(&text);
    free(path);
    return asked;
}

static void what_a_fresh_executor_makes_is_handed_to_the_next(void **state)
{
    struct executor *executor = start();
    struct json *asked;

    place(executor, "f32");
    executor_free(executor);
    assert_int_equal(count_kept(*state), 2);
    asked = last_asked(*state, "internal_kernels");
    assert_true(json_get_bool(asked, "make", false));
    assert_int_equal(json_count(json_get(asked, "kernels")), 0);
    json_free(asked);
    executor = start();
    place(executor, "i32");
    executor_free(executor);
    asked = last_asked(*state, "internal_kernels");
    assert_int_equal(json_count(json_get(asked, "kernels")), 1);
    assert_string_equal(
        json_get_string(json_get(json_get(asked, "kernels"), "poison"), "machine", ""), "AAAA");
    json_free(asked);
    assert_int_equal(count_kept(*state), 3);
}

/* A program that has run may control the process, so its binaries are not to be trusted. */
static void binaries_from_after_a_program_are_not_kept(void **state)
{
    struct executor *executor = start();
    struct json *asked;

    place(executor, "f32");
    assert_int_equal(send_program(executor, "kernel void k() {}"), STATUS_OK);
    place(executor, "i32");
    asked = last_asked(*state, "internal_kernels");
    assert_false(json_get_bool(asked, "make", true));
    assert_int_equal(json_count(json_get(asked, "kernels")), 1);
    json_free(asked);
    assert_int_equal(count_kept(*state), 2);
    executor_free(executor);
}

static void after_a_crash_the_process_is_a_fresh_one(void **state)
{
    struct executor *executor = start();

    place(executor, "f32");
    assert_int_equal(send_program(executor, "crash"), STATUS_INVALID);
    place(executor, "i32");
    assert_int_equal(count_kept(*state), 3);
    executor_free(executor);
}

static const struct executor_load reference = {SLOT_PLAIN, "kernel void r() {}",
                                               &(const struct dispatch){0}, NULL};

/*
 * Load the plain kernel; return the cached binary that was sent with it, or NULL. The caller frees
 * it.
 */
static struct json *load_reference(struct executor *executor, const char *folder)
{
    struct executor_build build = {0};
    struct json *asked, *binary;

    assert_int_equal(executor_load(executor, &reference, &build, NULL), STATUS_OK);
    executor_build_release(&build);
    asked = last_asked(folder, "load");
    binary = json_get(asked, "binary") ? json_dup(json_get(asked, "binary")) : NULL;
    json_free(asked);
    return binary;
}

static void the_reference_is_kept_for_the_next(void **state)
{
    struct executor *executor = start();
    struct json *binary;

    place(executor, "f32");
    assert_true(executor_may_keep(executor, &reference));
    assert_null(load_reference(executor, *state));
    executor_keep(executor, &reference);
    assert_int_equal(count_kept(*state), 3);
    executor_free(executor);
    executor = start();
    place(executor, "f32");
    assert_int_equal(send_program(executor, "kernel void k() {}"), STATUS_OK);
    binary = load_reference(executor, *state);
    assert_string_equal(json_get_string(binary, "machine", ""), "AAAA");
    json_free(binary);
    executor_free(executor);
}

/* The binary that was sent with the latest program: base64, or "" for none. The caller frees it. */
static char *sent_binary(const char *folder)
{
    struct json *asked = last_asked(folder, "load");
    char *machine = mem_strdup(json_get_string(json_get(asked, "binary"), "machine", ""));

    json_free(asked);
    return machine;
}

static void the_first_candidate_is_kept_for_the_next(void **state)
{
    const struct executor_load candidate = {SLOT_CANDIDATE, "kernel void c() {}",
                                            reference.dispatch, NULL};
    struct executor *executor = start();
    char *machine;

    place(executor, "f32");
    assert_true(executor_may_keep(executor, &candidate));
    assert_int_equal(send_program(executor, candidate.source), STATUS_OK);
    executor_keep(executor, &candidate);
    executor_free(executor);
    executor = start();
    place(executor, "f32");
    assert_false(executor_may_keep(executor, &candidate)); /* it is cached */
    assert_int_equal(send_program(executor, candidate.source), STATUS_OK);
    machine = sent_binary(*state);
    assert_string_equal(machine, "AAAA");
    free(machine);
    executor_free(executor);
}

static void nothing_is_kept_after_a_candidate(void **state)
{
    const struct executor_load candidate = {SLOT_CANDIDATE, "kernel void second() {}",
                                            reference.dispatch, NULL};
    struct executor *executor = start();
    char *machine;

    place(executor, "f32");
    assert_true(executor_may_keep(executor, &candidate));
    assert_int_equal(send_program(executor, "kernel void first() {}"), STATUS_OK);
    assert_false(executor_may_keep(executor, &candidate));
    assert_false(
        executor_may_keep(executor, &(struct executor_load){SLOT_PLAIN, "kernel void s() {}",
                                                            reference.dispatch, NULL}));
    assert_int_equal(send_program(executor, candidate.source), STATUS_OK);
    machine = sent_binary(*state);
    assert_string_equal(machine, "");
    free(machine);
    executor_free(executor);
}

/* The included file is not in the key. */
static void a_source_that_includes_a_file_is_not_kept(void **state)
{
    const struct executor_load candidate = {SLOT_CANDIDATE, "#include \"other.cl\"\n",
                                            reference.dispatch, NULL};
    struct executor *executor = start();

    (void)state;
    place(executor, "f32");
    assert_false(executor_may_keep(executor, &candidate));
    executor_free(executor);
}

/* The limit on build time does not apply to internal kernels. */
static void the_limit_of_builds_is_for_candidates(void **state)
{
    struct executor *executor = start_with(100000);

    place(executor, "f32");
    assert_int_equal(count_kept(*state), 2);
    executor_free(executor);
}

/* An executor of another build would draw other data, and every candidate would be wrong. */
static void an_executor_of_another_build_is_not_asked(void **state)
{
    struct executor *executor = start_that_draws("other", 60000000);
    const struct device_info *device;
    struct error err = {0};

    (void)state;
    assert_int_equal(executor_device(executor, &device, &err), STATUS_UNAVAILABLE);
    assert_non_null(strstr(err.text, "of another build than the judge"));
    assert_non_null(strstr(err.text, "start kforge"));
    executor_free(executor);
}

static int set_folder(void **state)
{
    char template[] = "/tmp/kforge-own-XXXXXX";

    *state = mkdtemp(template) ? strdup(template) : NULL;
    if (!*state || setenv("XDG_CACHE_HOME", *state, 1))
        return -1;
    return setenv("TMPDIR", *state, 1);
}

static int remove_folder(void **state)
{
    file_remove_folder(*state);
    free(*state);
    return 0;
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(what_a_fresh_executor_makes_is_handed_to_the_next),
        IN_FOLDER(binaries_from_after_a_program_are_not_kept),
        IN_FOLDER(after_a_crash_the_process_is_a_fresh_one),
        IN_FOLDER(the_reference_is_kept_for_the_next),
        IN_FOLDER(the_first_candidate_is_kept_for_the_next),
        IN_FOLDER(nothing_is_kept_after_a_candidate),
        IN_FOLDER(a_source_that_includes_a_file_is_not_kept),
        IN_FOLDER(an_executor_of_another_build_is_not_asked),
        IN_FOLDER(the_limit_of_builds_is_for_candidates),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
