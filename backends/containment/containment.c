#include "backends/containment/containment.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "backends/containment/calls.h"
#include "backends/containment/network.h"
#include "backends/containment/paths.h"
#include "core/judge/device/safeguards.h"

/*
 * The limits are above what a compiler's temporary files and a kernel's stack need. NOT_STARTED is
 * the exit status if a program cannot be started.
 */
enum { STACK_BYTES = 256 << 20, OPEN_FILES = 4096, NOT_STARTED = 127 };

static bool limit(int resource, rlim_t value)
{
    struct rlimit now = {0};

    if (getrlimit((__rlimit_resource_t)resource, &now) == 0 && now.rlim_max < value)
        value = now.rlim_max;
    now = (struct rlimit){value, value};
    return setrlimit((__rlimit_resource_t)resource, &now) == 0;
}

static bool limit_files(size_t bytes)
{
    bool core = limit(RLIMIT_CORE, 0),
         size = limit(RLIMIT_FSIZE, bytes ? bytes : CONTAINED_FILE_BYTES);

    return limit(RLIMIT_NOFILE, OPEN_FILES) && core && size;
}

/*
 * Linux kills the process with the highest score first when memory runs out (proc(5),
 * oom_score_adj).
 */
static void be_killed_first(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    (void)!write(fd, "1000", 4);
    close(fd);
}

/* CPU drivers keep the private memory of a whole work-group on one thread's stack. */
static void enlarge_stacks(void)
{
    pthread_attr_t attributes;

    pthread_attr_init(&attributes);
    if (pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0)
        (void)pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
}

static bool give_up_new_privileges(void)
{
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

/*
 * Give up all capabilities, including those that set-user-ID programs could bring back
 * (capabilities(7), prctl(2)).  With `but_counters` the process keeps CAP_SYS_ADMIN if it has it,
 * because some drivers restrict performance counters to root.  Returns true if no capability is
 * left.
 */
static bool give_up_privileges(bool but_counters)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct had[_LINUX_CAPABILITY_U32S_3] = {{0}}, kept = {0},
                                  now[_LINUX_CAPABILITY_U32S_3] = {{0}};

    (void)syscall(SYS_capget, &header, had);
    for (unsigned long i = 0; prctl(PR_CAPBSET_READ, i) >= 0; i++)
        (void)prctl(PR_CAPBSET_DROP, i);
    if (but_counters)
        kept.permitted = had[0].permitted & CAP_TO_MASK(CAP_SYS_ADMIN);
    kept.effective = kept.permitted;
    now[0] = kept;
    return give_up_new_privileges() && syscall(SYS_capset, &header, now) == 0 && !kept.permitted;
}

struct containment containment_from_environment(void)
{
    const char *file_bytes = getenv("KFORGE_FILE_BYTES");

    return (struct containment){.scratch = getenv("KFORGE_SCRATCH"),
                                .kept = getenv("KFORGE_KEPT"),
                                .readable = getenv("KFORGE_READABLE"),
                                .file_bytes = file_bytes ? strtoull(file_bytes, NULL, 10) : 0};
}

struct safeguards containment_enter(const struct containment *containment)
{
    struct safeguards got = {0};

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    be_killed_first();
    enlarge_stacks();
    got.in_force[SAFEGUARD_LIMITS] = limit_files(containment->file_bytes);
    got.in_force[SAFEGUARD_PRIVILEGES] = give_up_privileges(containment->is_under_tool);
    got.in_force[SAFEGUARD_FILES] =
        paths_restrict(containment->scratch, containment->kept, containment->readable);
    got.in_force[SAFEGUARD_PROCESSES] = calls_restrict(containment->is_under_tool);
    got.in_force[SAFEGUARD_NETWORK] =
        got.in_force[SAFEGUARD_PROCESSES] && (!containment->is_under_tool || network_is_left());
    return got;
}

void containment_give_up_files(void)
{
    (void)paths_restrict_writing("");
}

void containment_give_up_processes(void)
{
    (void)calls_refuse_processes();
}

struct safeguards containment_enter_judge(const char *writable)
{
    struct safeguards got = {0};

    got.in_force[SAFEGUARD_NETWORK] = network_leave();
    got.in_force[SAFEGUARD_PRIVILEGES] = give_up_new_privileges();
    got.in_force[SAFEGUARD_FILES] = paths_restrict_writing(writable);
    return got;
}

/*
 * Like execvp(3), but argv[0] becomes the full path: otherwise Python searches for its own folders
 * along PATH, and may find those of another Python, which cannot be read here.
 */
static void find_and_run(const char *name, char **argv)
{
    const char *path = strchr(name, '/') ? NULL : getenv("PATH");
    char whole[PATH_MAX];

    if (strchr(name, '/'))
        execv(name, argv);
    for (size_t len; path && *path; path += len + (path[len] == ':')) {
        len = strcspn(path, ":");
        if (snprintf(whole, sizeof(whole), "%.*s/%s", (int)len, path, name) >= PATH_MAX)
            continue;
        argv[0] = whole;
        execv(whole, argv);
    }
}

void containment_run(char **argv)
{
    const struct containment containment = containment_from_environment();
    const char *name = argv[0];

    (void)containment_enter(&containment);
    find_and_run(name, argv);
    fprintf(stderr, "kforge-worker: %s: cannot start: %s\n", name, strerror(errno));
    _exit(NOT_STARTED); /* not exit(): the exit handlers of sanitizers need calls that are now
                           refused */
}
