#include "tests/contract/breakout.h"

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

#include "core/system/file.h"

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

const struct attempt breakout_attempts[] = {
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
    {0},
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

const struct attempt breakout_needs[] = {
    {"write its own folder", write_scratch, false, false},
    {"start a program", start_program, false, false},
    {"send signals to itself", abort_itself, false, false},
    {"use local sockets", use_local_sockets, false, false},
    {"read the system", read_system, false, false},
    {0},
};

static const struct attempt *find(const struct attempt *list, const char *name)
{
    while (list->name && strcmp(list->name, name) != 0)
        list++;
    return list->name ? list : NULL;
}

int breakout_try(const char *name)
{
    const struct attempt *attempt = find(breakout_attempts, name);

    if (!attempt)
        attempt = find(breakout_needs, name);
    if (!attempt)
        return EXIT_FAILURE;
    return attempt->succeeds() ? DONE : REFUSED;
}
