#include "core/system/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/system/clock.h"

enum { CHILD_PASSED_FD = 3, CHILD_LENT_FD = 4 };

void process_keep_standard(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

void process_hide(void)
{
    const struct rlimit none = {0};

    (void)setrlimit(RLIMIT_CORE, &none);
    (void)prctl(PR_SET_DUMPABLE, 0);
}

/* A child gets default signal handling, and the given further POSIX_SPAWN_ flags. */
static void set_attributes(posix_spawnattr_t *attributes, short flags)
{
    sigset_t none, all;

    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_init(attributes);
    posix_spawnattr_setflags(attributes,
                             (short)(flags | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
    posix_spawnattr_setpgroup(attributes, 0);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &all);
}

static void set_descriptors(posix_spawn_file_actions_t *actions, const struct process_spec *spec,
                            int in, int out)
{
    posix_spawn_file_actions_init(actions);
    posix_spawn_file_actions_adddup2(actions, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(actions, out, STDOUT_FILENO);
    if (spec->stderr_fd)
        posix_spawn_file_actions_adddup2(actions, spec->stderr_fd, STDERR_FILENO);
    if (spec->passed_fd)
        posix_spawn_file_actions_adddup2(actions, spec->passed_fd, CHILD_PASSED_FD);
    if (spec->lent_fd)
        posix_spawn_file_actions_adddup2(actions, spec->lent_fd, CHILD_LENT_FD);
}

/* True when the value is an address that contains a password: "http://ada:1234@proxy:3128". */
static bool has_password(const char *value)
{
    const char *host = strstr(value, "://");

    return host && host[3 + strcspn(host + 3, "/@")] == '@';
}

static bool is_secret(const char *variable)
{
    static const char *const marks[] = {"KEY", "TOKEN", "SECRET", "PASSWORD"};
    const char *named = getenv("KFORGE_API_KEY_ENV");
    size_t name_len = strcspn(variable, "=");

    if (named && strlen(named) == name_len && strncmp(named, variable, name_len) == 0)
        return true;
    if (has_password(variable + name_len))
        return true;
    for (size_t i = 0; i < COUNT(marks); i++)
        if (memmem(variable, name_len, marks[i], strlen(marks[i])))
            return true;
    return false;
}

/* The child's environment. The strings are borrowed; the caller frees the array. */
static char **make_environment(const struct process_spec *spec)
{
    char *const *from = spec->environment ? spec->environment : environ;
    size_t count = 0, kept = 0;
    char **environment;

    while (from[count])
        count++;
    environment = mem_alloc_zeroed(count + 1, sizeof(*environment));
    for (size_t i = 0; i < count; i++)
        if (!spec->without_secrets || !is_secret(from[i]))
            environment[kept++] = from[i];
    return environment;
}

static int spawn(pid_t *pid, const struct process_spec *spec, int in, int out)
{
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    char **environment = make_environment(spec);
    char *const *argv;
    int failure;

    /* A session leader also leads a process group. */
    set_attributes(&attributes, spec->own_session ? POSIX_SPAWN_SETSID : POSIX_SPAWN_SETPGROUP);
    set_descriptors(&actions, spec, in, out);
    /* POSIX promises not to write to the strings; the type of its parameter is older than const. */
    argv = (char *const *)(uintptr_t)spec->argv;
    failure = posix_spawnp(pid, argv[0], &actions, &attributes, argv, environment);
    free(environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return failure;
}

static void close_pair(const int pair[2])
{
    close(pair[0]);
    close(pair[1]);
}

enum status process_start(struct process *process, const struct process_spec *spec,
                          struct error *err)
{
    int to_child[2], from_child[2];
    pid_t pid;
    int failure;

    if (pipe2(to_child, O_CLOEXEC) != 0)
        return error_set(err, STATUS_IO, "cannot make a pipe: %s", strerror(errno));
    if (pipe2(from_child, O_CLOEXEC) != 0) {
        close_pair(to_child);
        return error_set(err, STATUS_IO, "cannot make a pipe: %s", strerror(errno));
    }
    failure = spawn(&pid, spec, to_child[0], from_child[1]);
    if (failure) {
        close_pair(to_child);
        close_pair(from_child);
        return error_set(err, STATUS_UNAVAILABLE, "%s: cannot start: %s", spec->argv[0],
                         strerror(failure));
    }
    close(to_child[0]);
    close(from_child[1]);
    *process = (struct process){.pid = pid, .in = to_child[1], .out = from_child[0]};
    return STATUS_OK;
}

enum status process_start_here(pid_t *pid, const char *const *argv, struct error *err)
{
    posix_spawnattr_t attributes;
    int failure;

    set_attributes(&attributes, 0);
    failure =
        posix_spawnp(pid, argv[0], NULL, &attributes, (char *const *)(uintptr_t)argv, environ);
    posix_spawnattr_destroy(&attributes);
    if (failure)
        return error_set(err, STATUS_UNAVAILABLE, "%s: cannot start: %s", argv[0],
                         strerror(failure));
    return STATUS_OK;
}

enum status process_start_behind(pid_t *pid, const char *const *argv, const char *log,
                                 struct error *err)
{
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    int failure;

    set_attributes(&attributes, POSIX_SPAWN_SETSID);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_APPEND,
                                     0666);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    failure =
        posix_spawnp(pid, argv[0], &actions, &attributes, (char *const *)(uintptr_t)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (failure)
        return error_set(err, STATUS_UNAVAILABLE, "%s: cannot start, with its output in %s: %s",
                         argv[0], log, strerror(failure));
    return STATUS_OK;
}

/* True when the child has ended. It stays a zombie, so that process_end() can read its status. */
static bool has_ended(const struct process *process)
{
    siginfo_t info = {0};

    return waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid != 0;
}

enum { GLANCE_US = 5000 }; /* between two checks whether the child has ended */

int process_finish(struct process *process, int64_t limit_us)
{
    int64_t deadline_us = clock_now_us() + limit_us;

    if (!process->pid)
        return 0;
    close(process->in);
    process->in = -1;
    while (!has_ended(process) && clock_now_us() < deadline_us)
        usleep(GLANCE_US);
    return process_end(process);
}

int process_end(struct process *process)
{
    int status = 0;

    if (!process->pid)
        return 0;
    kill(-process->pid, SIGKILL);
    while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (process->in >= 0)
        close(process->in);
    close(process->out);
    *process = (struct process){0};
    return status;
}
