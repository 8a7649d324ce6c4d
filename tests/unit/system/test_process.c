#include "tests/unit/unit.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/strbuf.h"
#include "core/system/process.h"

/* Read the child's output until it ends. */
static void read_all(int fd, struct strbuf *out)
{
    char chunk[4096];
    ssize_t got;

    while ((got = read(fd, chunk, sizeof(chunk))) > 0)
        strbuf_add(out, chunk, (size_t)got);
}

static void run_shell(const char *command, bool without_secrets, struct strbuf *out)
{
    const char *const argv[] = {"sh", "-c", command, NULL};
    const struct process_spec spec = {.argv = argv, .without_secrets = without_secrets};
    struct process process = {0};
    struct error err;

    if (process_start(&process, &spec, &err))
        fail_msg("%s", err.text);
    read_all(process.out, out);
    process_end(&process);
}

static void a_child_answers(void **state)
{
    const char *const argv[] = {"cat", NULL};
    const struct process_spec spec = {.argv = argv};
    struct process process = {0};
    char answer[6] = "";

    (void)state;
    assert_int_equal(process_start(&process, &spec, NULL), STATUS_OK);
    assert_int_equal(write(process.in, "hello", 5), 5);
    assert_int_equal(read(process.out, answer, 5), 5);
    assert_string_equal(answer, "hello");
    process_end(&process);
    assert_int_equal(process.pid, 0);
}

static void a_missing_program_is_named(void **state)
{
    const char *const argv[] = {"/nowhere/worker", NULL};
    const struct process_spec spec = {.argv = argv};
    struct process process = {0};
    struct error err;

    (void)state;
    assert_int_equal(process_start(&process, &spec, &err), STATUS_UNAVAILABLE);
    assert_non_null(strstr(err.text, "/nowhere/worker"));
}

static void a_child_has_the_environment_it_is_given(void **state)
{
    char variable[] = "KFORGE_TEST_GIVEN=this", *const environment[] = {variable, NULL};
    const char *const argv[] = {"/usr/bin/env", NULL};
    const struct process_spec spec = {.argv = argv, .environment = environment};
    struct process process = {0};
    struct strbuf out = {0};

    (void)state;
    assert_int_equal(process_start(&process, &spec, NULL), STATUS_OK);
    read_all(process.out, &out);
    assert_string_equal(strbuf_cstr(&out), "KFORGE_TEST_GIVEN=this\n");
    strbuf_release(&out);
    process_end(&process);
}

static void a_session_of_its_own_has_no_terminal(void **state)
{
    const char *const argv[] = {"cat", NULL};
    const struct process_spec spec = {.argv = argv, .own_session = true};
    struct process process = {0};

    (void)state;
    assert_int_equal(process_start(&process, &spec, NULL), STATUS_OK);
    assert_int_equal(getsid(process.pid), process.pid);
    process_end(&process);
}

static void a_hidden_process_dumps_no_core(void **state)
{
    struct rlimit core;

    (void)state;
    process_hide();
    assert_int_equal(getrlimit(RLIMIT_CORE, &core), 0);
    assert_int_equal(core.rlim_max, 0);
    assert_int_equal(prctl(PR_GET_DUMPABLE), 0);
}

/* The grandchild ends with the child: it would hold the pipe open as long as it lives. */
static void the_whole_group_ends(void **state)
{
    const char *const argv[] = {"sh", "-c", "sleep 1000 & echo $!; wait", NULL};
    const struct process_spec spec = {.argv = argv};
    struct process process = {0};
    char line[32] = "";
    int out;
    struct strbuf rest = {0};

    (void)state;
    assert_int_equal(process_start(&process, &spec, NULL), STATUS_OK);
    assert_true(read(process.out, line, sizeof(line) - 1) > 0);
    out = dup(process.out);
    process_end(&process);
    read_all(out, &rest); /* ends when the last writer has closed the pipe */
    close(out);
    strbuf_release(&rest);
}

static void a_child_inherits_no_secrets(void **state)
{
    struct strbuf out = {0};

    (void)state;
    setenv("KFORGE_TEST_API_KEY", "sesame", 1);
    setenv("KFORGE_TEST_PLAIN", "daylight", 1);
    run_shell("env", true, &out);
    assert_null(strstr(strbuf_cstr(&out), "sesame"));
    assert_non_null(strstr(strbuf_cstr(&out), "daylight"));
    strbuf_release(&out);
    run_shell("env", false, &out);
    assert_non_null(strstr(strbuf_cstr(&out), "sesame"));
    strbuf_release(&out);
}

/* The child may write after its input has ended, and its exit status is reported. */
static void a_child_may_finish(void **state)
{
    const char *const argv[] = {"sh", "-c", "cat; exit 7", NULL};
    const struct process_spec spec = {.argv = argv};
    struct process process = {0};
    int status;

    (void)state;
    assert_int_equal(process_start(&process, &spec, NULL), STATUS_OK);
    status = process_finish(&process, 60000000);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
    assert_int_equal(process.pid, 0);
}

static void a_child_that_does_not_finish_is_killed(void **state)
{
    const char *const argv[] = {"sleep", "1000", NULL};
    const struct process_spec spec = {.argv = argv};
    struct process process = {0};

    (void)state;
    assert_int_equal(process_start(&process, &spec, NULL), STATUS_OK);
    assert_true(WIFSIGNALED(process_finish(&process, 1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_answers),
        cmocka_unit_test(a_missing_program_is_named),
        cmocka_unit_test(the_whole_group_ends),
        cmocka_unit_test(a_child_has_the_environment_it_is_given),
        cmocka_unit_test(a_session_of_its_own_has_no_terminal),
        cmocka_unit_test(a_hidden_process_dumps_no_core),
        cmocka_unit_test(a_child_inherits_no_secrets),
        cmocka_unit_test(a_child_may_finish),
        cmocka_unit_test(a_child_that_does_not_finish_is_killed),
    };

    return cmocka_run_group_tests_name("process", tests, NULL, NULL);
}
