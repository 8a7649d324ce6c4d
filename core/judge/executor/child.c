#include "core/judge/executor/child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/judge/device/safeguards.h"
#include "core/system/clock.h"
#include "core/system/file.h"

enum { WATCH_MS = 50 }; /* interval of the checks */

enum status child_start(struct child *child, const struct process_spec *spec, struct error *err)
{
    struct process_spec own = *spec;
    enum status st;

    own.stderr_fd = memfd_create("printed", MFD_CLOEXEC);
    if (own.stderr_fd < 0)
        return error_set(err, STATUS_IO, "cannot make a file in memory: %s", strerror(errno));
    (void)fcntl(own.stderr_fd, F_SETFL, O_APPEND);
    st = process_start(&child->process, &own, err);
    if (st)
        close(own.stderr_fd);
    else
        child->printed = own.stderr_fd;
    return st;
}

int64_t child_printed(const struct child *child)
{
    struct stat file = {0};

    (void)fstat(child->printed, &file);
    return file.st_size;
}

void child_add_printed(const struct child *child, struct strbuf *out)
{
    char text[4096];
    ssize_t len;

    for (off_t at = 0; (len = pread(child->printed, text, sizeof(text), at)) > 0; at += len)
        strbuf_add(out, text, (size_t)len);
}

enum status child_send(struct child *child, const char *line, struct error *err)
{
    (void)!ftruncate(child->printed, 0);
    return file_write_all(child->process.in, line, strlen(line), err);
}

/* From proc(5), statm: the second number is the resident pages, the third those that are shared. */
int64_t child_memory(const struct child *child)
{
    struct strbuf path = {0}, text = {0};
    int64_t private_pages = 0;

    strbuf_addf(&path, "/proc/%d/statm", (int)child->process.pid);
    if (!file_read(strbuf_cstr(&path), 4096, &text, NULL)) {
        char *rest;

        (void)strtoll(strbuf_cstr(&text), &rest, 10);
        private_pages = strtoll(rest, &rest, 10);
        private_pages -= strtoll(rest, &rest, 10);
    }
    strbuf_release(&path);
    strbuf_release(&text);
    return private_pages * sysconf(_SC_PAGESIZE);
}

double child_cpu_us(const struct child *child)
{
    clockid_t clock;
    struct timespec used = {0};

    if (clock_getcpuclockid(child->process.pid, &clock) == 0)
        (void)clock_gettime(clock, &used);
    return (double)used.tv_sec * 1e6 + (double)used.tv_nsec / 1e3;
}

/* Number of tasks on the machine (sysinfo(2)). */
static unsigned count_tasks(void)
{
    struct sysinfo info = {0};

    (void)sysinfo(&info);
    return info.procs;
}

/* True if `pid`, the name of an entry of /proc, is a process of the session. */
static bool is_member(const char *pid, pid_t session)
{
    return *pid >= '0' && *pid <= '9' && getsid((pid_t)strtol(pid, NULL, 10)) == session;
}

/* Number of processes in the child's session. The child leads it, and none of them can leave it. */
static unsigned count_processes(const struct child *child)
{
    DIR *processes = opendir("/proc");
    const struct dirent *entry;
    unsigned count = 0;

    /* cppcheck-suppress readdirCalled ; nobody else reads this stream, readdir(3) */
    while (processes && (entry = readdir(processes)))
        count += is_member(entry->d_name, child->process.pid);
    if (processes)
        closedir(processes);
    return count;
}

/* The session is counted only if the whole machine has many more tasks than before. */
static bool is_crowded(const struct child *child, unsigned tasks_before)
{
    return count_tasks() > tasks_before + CHILD_MAX_PROCESSES &&
           count_processes(child) > CHILD_MAX_PROCESSES;
}

/* Check the child's limits while it has not answered. */
static enum child_wait look_after(const struct child *child, unsigned tasks_before)
{
    if (child->is_watched && child_memory(child) > child->allowed_bytes)
        return CHILD_GREEDY;
    return is_crowded(child, tasks_before) ? CHILD_CROWDED : CHILD_WAITING;
}

/*
 * Number of threads on the machine that want a core (proc(5), loadavg: the number before the
 * slash).
 */
static double count_runnable(void)
{
    struct strbuf text = {0};
    double count = 0;

    if (!file_read("/proc/loadavg", 4096, &text, NULL)) {
        const char *slash = strchr(strbuf_cstr(&text), '/');

        while (slash && slash > text.data && slash[-1] != ' ')
            slash--;
        count = slash ? strtod(slash, NULL) : 0;
    }
    strbuf_release(&text);
    return count - 1; /* this thread is running now, but will wait */
}

static bool is_busy(void)
{
    return count_runnable() > (double)sysconf(_SC_NPROCESSORS_ONLN);
}

/*
 * True if a signal has stopped the child, which then waits for no core (proc(5), stat: the letter
 * after the name in parentheses).
 */
static bool is_stopped(const struct child *child)
{
    struct strbuf path = {0}, text = {0};
    bool is_stopped = false;

    strbuf_addf(&path, "/proc/%d/stat", (int)child->process.pid);
    if (!file_read(strbuf_cstr(&path), 4096, &text, NULL)) {
        const char *name_end = strrchr(strbuf_cstr(&text), ')');

        is_stopped = name_end && strncmp(name_end, ") T", 3) == 0;
    }
    strbuf_release(&path);
    strbuf_release(&text);
    return is_stopped;
}

/* The state of a wait. */
struct patience {
    int64_t looked_us; /* time of the last check */
    double cpu_us;     /* CPU time of the child at that moment */
    double left_us;
    unsigned tasks_before;
};

/*
 * The least share of the elapsed time that counts on a busy machine, so that a hanging child ends.
 */
static const double least_share = 0.05;

/*
 * Subtract the time since the last check. On a busy machine, only the CPU time of the child counts.
 */
static void take_time(const struct child *child, struct patience *patience)
{
    int64_t now_us = clock_now_us();
    double passed_us = (double)(now_us - patience->looked_us);
    double cpu_us = child_cpu_us(child), worked_us = cpu_us - patience->cpu_us;

    if (child->is_paused)
        passed_us = 0;
    else if (is_busy() && !is_stopped(child))
        passed_us = fmax(fmin(worked_us, passed_us), least_share * passed_us);
    patience->looked_us = now_us;
    patience->cpu_us = cpu_us;
    patience->left_us -= passed_us;
}

/* Wait for more of the line, until the next check. */
static enum child_wait wait_a_while(struct child *child, struct patience *patience,
                                    const struct child_cancel *cancel)
{
    struct pollfd fds[] = {{.fd = child->process.out, .events = POLLIN},
                           {.fd = cancel->is_cancelled ? cancel->fd : -1, .events = POLLIN}};
    double left_ms = patience->left_us / 1000 + 1;
    int ready;

    if (patience->left_us <= 0)
        return CHILD_LATE;
    ready = poll(fds, 2, left_ms < WATCH_MS ? (int)left_ms : WATCH_MS);
    if (ready == 0)
        take_time(child, patience);
    if (ready == 0)
        return look_after(child, patience->tasks_before);
    if (ready > 0 && fds[1].revents && cancel->is_cancelled && cancel->is_cancelled(cancel->data))
        return CHILD_CANCELLED;
    if (ready > 0 && fds[0].revents && lines_fill(&child->lines, child->process.out, NULL))
        return CHILD_GONE;
    return CHILD_WAITING;
}

enum child_wait child_await(struct child *child, int64_t limit_us,
                            const struct child_cancel *cancel, const char **line)
{
    struct patience patience = {clock_now_us(), child_cpu_us(child), (double)limit_us,
                                count_tasks()};
    enum child_wait wait = CHILD_WAITING;

    while (wait == CHILD_WAITING) {
        *line = lines_next(&child->lines);
        wait = *line ? CHILD_ANSWERED : wait_a_while(child, &patience, cancel);
    }
    return wait;
}

enum child_wait child_ask(struct child *child, const struct json *request, int64_t limit_us,
                          const struct child_cancel *cancel, struct json **answer)
{
    struct strbuf text = {0};
    const char *line = NULL;
    enum child_wait wait;

    json_print(request, &text);
    strbuf_adds(&text, "\n");
    /* if the write fails, the child has reported an error or has ended; the wait returns which */
    (void)!child_send(child, strbuf_cstr(&text), NULL);
    strbuf_release(&text);
    *answer = NULL;
    wait = child_await(child, limit_us, cancel, &line);
    if (wait != CHILD_ANSWERED)
        return wait;
    *answer = json_parse(line, strlen(line), NULL);
    return *answer ? CHILD_ANSWERED : CHILD_GARBLED;
}

int child_end(struct child *child, int64_t grace_us)
{
    int status = process_finish(&child->process, grace_us);

    lines_release(&child->lines);
    if (child->printed)
        close(child->printed);
    memset(child, 0, sizeof(*child));
    return status;
}

static const struct {
    int signal;
    enum outcome outcome;
    const char *text;
} ends[] = {
    {SIGKILL, OUTCOME_OUT_OF_MEMORY, "the kernel's process was killed: out of memory"},
    {SIGSEGV, OUTCOME_CRASHED,
     "the kernel crashed its process: Segmentation fault (an invalid pointer, an index far out of "
     "range, or private arrays too large)"},
};

/* Say which limit on files was exceeded: the engineer's own (`ulimit -f`) if it is lower. */
static enum outcome explain_flood(struct error *err)
{
    struct rlimit limit = {0};

    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_max < CONTAINED_FILE_BYTES)
        error_set(err, STATUS_INVALID,
                  "the kernel printed, or its compiler wrote, more than the %llu bytes that ulimit "
                  "-f allows; start kforge with a higher limit",
                  (unsigned long long)limit.rlim_max);
    else
        error_set(err, STATUS_INVALID, "the kernel printed, or its compiler wrote, more than %d MB",
                  CONTAINED_FILE_BYTES >> 20);
    return OUTCOME_FLOODED;
}

enum outcome child_outcome(int wait_status, struct error *err)
{
    int signal = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;

    if (signal == SIGXFSZ)
        return explain_flood(err);
    for (size_t i = 0; i < COUNT(ends); i++) {
        if (ends[i].signal != signal)
            continue;
        error_set(err, STATUS_INVALID, "%s", ends[i].text);
        return ends[i].outcome;
    }
    if (signal)
        error_set(err, STATUS_INVALID, "the kernel crashed its process: %s", strsignal(signal));
    else
        error_set(err, STATUS_INVALID, "the kernel ended its process with status %d",
                  WEXITSTATUS(wait_status));
    return OUTCOME_CRASHED;
}
