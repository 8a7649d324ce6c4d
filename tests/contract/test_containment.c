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
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/containment/containment.h"
#include "core/judge/executor/enclosure.h"
#include "core/system/file.h"
#include "core/system/process.h"

enum { REFUSED = 10, DONE = 11, LACKING = 12 };

/*
 * The target of an attempt, such as a path or a port. The parent prepares it and names it in the
 * environment.
 */
static const char *target(const char *name)
{
    return getenv(name) ? getenv(name) : "";
}

static bool creates(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static bool opens(const char *path)
{
    char byte;
    int fd = open(path, O_RDONLY);
    bool got = fd >= 0 && read(fd, &byte, 1) == 1;

    if (fd >= 0)
        close(fd);
    return got;
}

static bool reach_network(void)
{
    struct sockaddr_in there = {.sin_family = AF_INET,
                                .sin_port =
                                    htons((uint16_t)strtoul(target("KFORGE_TEST_PORT"), NULL, 10)),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

    return connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&there, sizeof(there)) == 0;
}

static bool send_datagram(void)
{
    struct sockaddr_in6 there = {
        .sin6_family = AF_INET6, .sin6_port = htons(9), .sin6_addr = IN6ADDR_LOOPBACK_INIT};

    return sendto(socket(AF_INET6, SOCK_DGRAM, 0), "x", 1, 0, (struct sockaddr *)&there,
                  sizeof(there)) == 1;
}

static bool reach_local_socket(void)
{
    struct sockaddr_un there = {.sun_family = AF_UNIX};

    snprintf(there.sun_path, sizeof(there.sun_path), "%s/socket", target("KFORGE_TEST_HOME"));
    return connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&there, sizeof(there)) == 0;
}

static bool change_in_home(const char *name, bool (*change)(const char *path))
{
    char *path = file_join(target("KFORGE_TEST_HOME"), name);
    bool changed = change(path);

    free(path);
    return changed;
}

static bool write_home(void)
{
    return change_in_home("written", creates);
}

static bool read_home(void)
{
    return change_in_home("secret", opens);
}

static bool removes(const char *path)
{
    return unlink(path) == 0;
}

static bool remove_from_home(void)
{
    return change_in_home("victim", removes);
}

static bool cuts(const char *path)
{
    return truncate(path, 0) == 0;
}

static bool cut_short(void)
{
    return change_in_home("secret", cuts);
}

static bool write_temporary(void)
{
    return creates("/tmp/kforge-test-containment") && removes("/tmp/kforge-test-containment");
}

static bool signal_parent(void)
{
    return kill(getppid(), 0) == 0;
}

static bool trace_parent(void)
{
    return ptrace(PTRACE_SEIZE, getppid(), NULL, NULL) == 0;
}

static bool read_parents_memory(void)
{
    const unsigned long at = strtoul(target("KFORGE_TEST_ADDRESS"), NULL, 16);
    char byte = 0;
    struct iovec here = {&byte, 1}, there = {.iov_len = 1};

    memcpy(&there.iov_base, &at, sizeof(at));
    return process_vm_readv(getppid(), &here, 1, &there, 1, 0) == 1;
}

static bool read_parents_environment(void)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/%d/environ", (int)getppid());
    return opens(path);
}

static bool read_parents_command_line(void)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)getppid());
    return opens(path);
}

static bool limit_parent(void)
{
    struct rlimit now;

    return prlimit(getppid(), RLIMIT_NOFILE, NULL, &now) == 0;
}

/* The child is no group leader, so that only the containment can make setsid() fail. */
static bool leave_session(void)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0)
        _exit(setsid() == getpid() ? 0 : 1);
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool make_namespace(void)
{
    return unshare(CLONE_NEWUSER) == 0;
}

static bool keep_shared_memory(void)
{
    int id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);

    return id >= 0 && shmctl(id, IPC_RMID, NULL) == 0;
}

static bool write_large_file(void)
{
    char *path = file_join(target("KFORGE_SCRATCH"), "large");
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    bool grown;

    free(path);
    signal(SIGXFSZ, SIG_IGN);
    grown = fd >= 0 && ftruncate(fd, 65 << 20) == 0;
    close(fd);
    return grown;
}

static bool leave_core(void)
{
    struct rlimit core = {1, RLIM_INFINITY};

    return setrlimit(RLIMIT_CORE, &core) == 0;
}

/*
 * Only root may change its user, so an ordinary user's attempt fails outside the containment as
 * well.
 */
static bool become_another(void)
{
    return setresuid(1, 1, 1) == 0;
}

static bool find_secret(void)
{
    return getenv("KFORGE_TEST_API_KEY") || getenv("SSH_AUTH_SOCK");
}

struct attempt {
    const char *name;
    bool (*succeeds)(void);
    bool is_open_to_judge;   /* the judge must start and end programs */
    bool is_open_to_watched; /* it talks to its tool; its only network is its own */
};

static const struct attempt attempts[] = {
    {"reach the network", reach_network, false, false},
    {"send a datagram", send_datagram, true, true},
    {"reach a local socket", reach_local_socket, true, true},
    {"write in a home folder", write_home, false, false},
    {"read in a home folder", read_home, true, false},
    {"cut a file short", cut_short, false, false},
    {"remove from a home folder", remove_from_home, false, false},
    {"write a temporary file", write_temporary, false, false},
    {"send a signal to the parent", signal_parent, true, false},
    {"trace the parent", trace_parent, false, false},
    {"read the parent's memory", read_parents_memory, false, false},
    {"read the parent's environment", read_parents_environment, true, false},
    {"read the parent's command line", read_parents_command_line, true, false},
    {"look at the parent's limits", limit_parent, true, false},
    {"leave the session", leave_session, true, false},
    {"make a namespace", make_namespace, true, false},
    {"keep shared memory", keep_shared_memory, true, false},
    {"write a large file", write_large_file, true, false},
    {"leave a core file", leave_core, true, false},
    {"become another user", become_another, true, false},
    {"find a secret in the environment", find_secret, false, false},
};

/* Operations that the containment must permit. */
static bool write_scratch(void)
{
    char *path = file_join(target("KFORGE_SCRATCH"), "written");
    bool written = creates(path) && removes(path);

    free(path);
    return written;
}

static bool start_program(void)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        execl("/bin/true", "true", NULL);
        _exit(1);
    }
    return waitpid(child, &status, 0) == child && status == 0;
}

static bool abort_itself(void)
{
    return kill(getpid(), 0) == 0 && raise(0) == 0;
}

static bool use_local_sockets(void)
{
    int pair[2], local = socket(AF_UNIX, SOCK_SEQPACKET, 0);

    if (local < 0)
        return false;
    close(local);
    return socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0;
}

static bool read_system(void)
{
    return opens("/proc/self/maps") && opens("/proc/cpuinfo") && opens("/etc/passwd") &&
           opens("/sys/devices/system/cpu/online") && opens("/dev/urandom") &&
           !creates("/etc/kforge-test");
}

static const struct attempt needs[] = {
    {"write its own folder", write_scratch, false, false},
    {"start a program", start_program, false, false},
    {"send signals to itself", abort_itself, false, false},
    {"use local sockets", use_local_sockets, false, false},
    {"read the system", read_system, false, false},
};

static int attempt(const char *name)
{
    for (size_t i = 0; i < sizeof(attempts) / sizeof(*attempts); i++)
        if (strcmp(attempts[i].name, name) == 0)
            return attempts[i].succeeds() ? DONE : REFUSED;
    for (size_t i = 0; i < sizeof(needs) / sizeof(*needs); i++)
        if (strcmp(needs[i].name, name) == 0)
            return needs[i].succeeds() ? DONE : REFUSED;
    return EXIT_FAILURE;
}

/*
 * Contain this process as the judge, and then, when `is_watched`, as a program under a tool. Return
 * false when the system lacks a safeguard.
 */
static bool enter(bool is_watched)
{
    const char *scratch = target("KFORGE_SCRATCH");
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
    for (size_t i = 0; i < sizeof(attempts) / sizeof(*attempts); i++) {
        const char *name = attempts[i].name;

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
    for (size_t i = 0; i < sizeof(attempts) / sizeof(*attempts); i++) {
        check_role(*state, "judge", &attempts[i], attempts[i].is_open_to_judge);
        check_role(*state, "watched", &attempts[i], attempts[i].is_open_to_watched);
    }
}

static void permitted_operations_work(void **state)
{
    static const char *const roles[] = {"judge", "watched"};

    for (size_t i = 0; i < sizeof(needs) / sizeof(*needs); i++) {
        if (run_contained(*state, needs[i].name) != DONE)
            fail_msg("contained, a program cannot %s", needs[i].name);
        for (size_t k = 0; k < sizeof(roles) / sizeof(*roles); k++)
            if (run_as(*state, roles[k], needs[i].name) == REFUSED)
                fail_msg("the %s cannot %s", roles[k], needs[i].name);
    }
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
        cmocka_unit_test(the_folder_is_gone_with_the_judge),
    };

    if (argc > 2 && !enter(strcmp(argv[2], "watched") == 0))
        _exit(LACKING);
    if (argc > 1)
        _exit(attempt(argv[1])); /* skip the leak sanitizer, which traces the process */
    setenv("KFORGE_TEST_PROGRAM", argv[0], 1);
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests_name("containment", tests, open_outside, close_outside);
}
