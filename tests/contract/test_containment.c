/*
 * Attempts to break out of `kforge-worker --contained`. The tests start this program again in three
 * roles: contained, as the judge, and as a program that a tool watches; its argument names one
 * attempt. The same attempt must succeed outside the containment, or the test would prove nothing.
 * KFORGE_WORKER is the path of kforge-worker.
 */
#include "tests/unit/unit.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/containment/containment.h"
#include "backends/containment/paths.h"
#include "core/judge/executor/enclosure.h"
#include "core/system/file.h"
#include "core/system/process.h"
#include "tests/contract/breakout.h"

/*
 * Contain this process as the judge, and then, when `is_watched`, as a program under a tool. Return
 * false when the system lacks a safeguard.
 */
static bool enter(bool is_watched)
{
    const char *scratch = getenv("KFORGE_SCRATCH");
    const struct containment watched = {.scratch = scratch, .is_under_tool = true};
    struct safeguards got = containment_enter_judge(scratch);

    if (is_watched)
        got = containment_enter(&watched);
    return got.in_force[SAFEGUARD_NETWORK] && got.in_force[SAFEGUARD_FILES];
}

/* The targets of the attempts: a home folder, two sockets and an enclosure. */
struct outside {
    char home[32];
    int tcp, local;
    struct enclosure enclosure;
};

static void write_there(const struct outside *outside, const char *name)
{
    char *path = file_join(outside->home, name);

    assert_int_equal(file_write(path, "x", 1, NULL), STATUS_OK);
    free(path);
}

static void listen_locally(struct outside *outside)
{
    struct sockaddr_un here = {.sun_family = AF_UNIX};

    snprintf(here.sun_path, sizeof(here.sun_path), "%s/socket", outside->home);
    outside->local = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(outside->local, (struct sockaddr *)&here, sizeof(here)), 0);
    assert_int_equal(listen(outside->local, 8), 0);
}

static void listen_on_loopback(struct outside *outside)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(here);
    char port[8];

    outside->tcp = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(outside->tcp, (struct sockaddr *)&here, size), 0);
    assert_int_equal(listen(outside->tcp, 8), 0);
    assert_int_equal(getsockname(outside->tcp, (struct sockaddr *)&here, &size), 0);
    snprintf(port, sizeof(port), "%u", ntohs(here.sin_port));
    setenv("KFORGE_TEST_PORT", port, 1);
}

static int open_outside(void **state)
{
    static struct outside outside = {.home = "/tmp/kforge-test-XXXXXX"};
    char address[32];

    assert_non_null(mkdtemp(outside.home));
    setenv("KFORGE_TEST_HOME", outside.home, 1);
    setenv("KFORGE_TEST_API_KEY", "sk-marked", 1);
    snprintf(address, sizeof(address), "%lx", (unsigned long)&outside);
    setenv("KFORGE_TEST_ADDRESS", address, 1);
    listen_locally(&outside);
    listen_on_loopback(&outside);
    assert_int_equal(enclosure_make(&outside.enclosure, NULL), STATUS_OK);
    setenv("KFORGE_SCRATCH", outside.enclosure.folder, 1);
    *state = &outside;
    return 0;
}

static int close_outside(void **state)
{
    struct outside *outside = *state;
    const char *const argv[] = {"rm", "-r", outside->home, NULL};
    int status;
    pid_t pid;

    close(outside->tcp);
    close(outside->local);
    enclosure_release(&outside->enclosure);
    assert_int_equal(process_start_here(&pid, argv, NULL), STATUS_OK);
    return waitpid(pid, &status, 0) == pid ? 0 : -1;
}

/* The enclosure's environment with the variables that name the targets; NULL-terminated. */
static char **environment_of(const struct outside *outside)
{
    static char *variables[128];
    size_t count = 0;

    for (char **v = outside->enclosure.environment; *v; v++)
        variables[count++] = *v;
    for (char **v = environ; *v; v++)
        if (strncmp(*v, "KFORGE_TEST_", 12) == 0 && strncmp(*v, "KFORGE_TEST_API", 15) != 0)
            variables[count++] = *v;
    variables[count] = NULL;
    return variables;
}

static int run(const char *const *argv, char *const *environment)
{
    const struct process_spec spec = {
        .argv = argv, .own_session = environment, .environment = environment};
    struct process process = {0};
    struct error err;
    char byte;
    int status;

    if (process_start(&process, &spec, &err))
        fail_msg("%s", err.text);
    while (read(process.out, &byte, 1) > 0)
        ;
    status = process_finish(&process, 10000000);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int run_contained(const struct outside *outside, const char *name)
{
    const char *const argv[] = {getenv("KFORGE_WORKER"), "--contained", "/proc/self/exe", name,
                                NULL};
    const char *const own[] = {argv[0], argv[1], getenv("KFORGE_TEST_PROGRAM"), name, NULL};

    return run(own, environment_of(outside));
}

/* Run an attempt as `role`, "judge" or "watched". */
static int run_as(const struct outside *outside, const char *role, const char *name)
{
    const char *const argv[] = {getenv("KFORGE_TEST_PROGRAM"), name, role, NULL};

    return run(argv, environment_of(outside));
}

static int run_outside(const char *name)
{
    const char *const argv[] = {getenv("KFORGE_TEST_PROGRAM"), name, NULL};

    return run(argv, NULL);
}

static void a_contained_program_reaches_nothing_outside(void **state)
{
    for (size_t i = 0; breakout_attempts[i].name; i++) {
        const char *name = breakout_attempts[i].name;

        write_there(*state, "secret");
        write_there(*state, "victim");
        if (run_outside(name) != DONE)
            print_message("%s: is refused on this machine anyhow\n", name);
        write_there(*state, "secret");
        write_there(*state, "victim");
        if (run_contained(*state, name) != REFUSED)
            fail_msg("contained, a program can %s", name);
    }
}

/* An attempt that is open to the role may succeed; any other must be refused. */
static void check_role(const struct outside *outside, const char *role, const struct attempt *tried,
                       bool is_open)
{
    int result;

    write_there(outside, "secret");
    write_there(outside, "victim");
    result = run_as(outside, role, tried->name);
    if (result == LACKING)
        print_message("%s: is not contained on this machine\n", role);
    else if (!is_open && result != REFUSED)
        fail_msg("the %s can %s", role, tried->name);
}

static void the_judge_and_watched_programs_are_contained_too(void **state)
{
    for (size_t i = 0; breakout_attempts[i].name; i++) {
        check_role(*state, "judge", &breakout_attempts[i], breakout_attempts[i].is_open_to_judge);
        check_role(*state, "watched", &breakout_attempts[i],
                   breakout_attempts[i].is_open_to_watched);
    }
}

static void permitted_operations_work(void **state)
{
    static const char *const roles[] = {"judge", "watched"};

    for (size_t i = 0; breakout_needs[i].name; i++) {
        if (run_contained(*state, breakout_needs[i].name) != DONE)
            fail_msg("contained, a program cannot %s", breakout_needs[i].name);
        for (size_t k = 0; k < sizeof(roles) / sizeof(*roles); k++)
            if (run_as(*state, roles[k], breakout_needs[i].name) == REFUSED)
                fail_msg("the %s cannot %s", roles[k], breakout_needs[i].name);
    }
}

/* In a child, because the restriction stays: open a file below `home` for reading. */
static bool can_read(const struct outside *outside, const char *name)
{
    char *path = file_join(outside->home, name);
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        if (!paths_restrict(NULL, NULL, NULL))
            _exit(2); /* no Landlock here */
        _exit(open(path, O_RDONLY | O_CLOEXEC) < 0);
    }
    free(path);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WEXITSTATUS(status) == 2)
        skip();
    return WEXITSTATUS(status) == 0;
}

/* A driver below a temporary folder can be read if the loader's variable leads to it. */
static void drivers_that_the_environment_names_are_readable(void **state)
{
    const struct outside *outside = *state;
    char *vendors = file_join(outside->home, "vendors"), *icd = file_join(vendors, "a.icd");
    char *folder = file_join(outside->home, "driver");
    struct strbuf line = {0};

    assert_int_equal(mkdir(vendors, 0700) || mkdir(folder, 0700), 0);
    write_there(outside, "driver/liba.so");
    write_there(outside, "private");
    strbuf_addf(&line, "%s/liba.so\n", folder);
    assert_int_equal(file_write(icd, strbuf_cstr(&line), line.len, NULL), STATUS_OK);
    assert_false(can_read(outside, "driver/liba.so"));
    setenv("OCL_ICD_VENDORS", vendors, 1);
    assert_true(can_read(outside, "vendors/a.icd"));
    assert_true(can_read(outside, "driver/liba.so"));
    assert_false(can_read(outside, "private"));
    unsetenv("OCL_ICD_VENDORS");
    strbuf_release(&line);
    free(folder);
    free(icd);
    free(vendors);
}

static void the_folder_is_gone_with_the_judge(void **state)
{
    struct enclosure enclosure = {0}, next = {0};
    char *left = NULL, *inner;

    (void)state;
    assert_int_equal(enclosure_make(&enclosure, NULL), STATUS_OK);
    left = strdup(enclosure.folder);
    inner = file_join(left, "deep/er");
    assert_int_equal(file_make_folder(inner, NULL), STATUS_OK);
    enclosure_release(&enclosure);
    assert_false(file_exists(left));
    free(inner);
    free(left);

    /* A killed judge leaves its folder without a lock; the next one removes it. */
    assert_int_equal(enclosure_make(&enclosure, NULL), STATUS_OK);
    close(enclosure.lock);
    enclosure.lock = -1;
    assert_int_equal(enclosure_make(&next, NULL), STATUS_OK);
    assert_false(file_exists(enclosure.folder));
    assert_true(file_exists(next.folder));
    enclosure_release(&enclosure);
    enclosure_release(&next);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_contained_program_reaches_nothing_outside),
        cmocka_unit_test(the_judge_and_watched_programs_are_contained_too),
        cmocka_unit_test(permitted_operations_work),
        cmocka_unit_test(drivers_that_the_environment_names_are_readable),
        cmocka_unit_test(the_folder_is_gone_with_the_judge),
    };

    if (argc > 2 && !enter(strcmp(argv[2], "watched") == 0))
        _exit(LACKING);
    if (argc > 1)
        _exit(breakout_try(argv[1])); /* skip the leak sanitizer, which traces the process */
    setenv("KFORGE_TEST_PROGRAM", argv[0], 1);
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests_name("containment", tests, open_outside, close_outside);
}
