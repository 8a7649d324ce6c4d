#include "core/judge/tools/perf_counters.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/base/vec.h"

/* FP_ARITH_INST_RETIRED (Intel 64 and IA-32 SDM, volume 3B): event 0xc7, a mask for each width. */
#define INTEL_FLOATS(mask) ((uint64_t)(mask) << 8 | 0xc7)

static const struct event {
    uint64_t config;
    uint32_t type;
    bool is_of_intel;
} events[PERF_COUNTER_COUNT] = {
    [PERF_TASK_CLOCK_NS] = {PERF_COUNT_SW_TASK_CLOCK, PERF_TYPE_SOFTWARE, false},
    [PERF_CONTEXT_SWITCHES] = {PERF_COUNT_SW_CONTEXT_SWITCHES, PERF_TYPE_SOFTWARE, false},
    [PERF_PAGE_FAULTS] = {PERF_COUNT_SW_PAGE_FAULTS, PERF_TYPE_SOFTWARE, false},
    [PERF_INSTRUCTIONS] = {PERF_COUNT_HW_INSTRUCTIONS, PERF_TYPE_HARDWARE, false},
    [PERF_CYCLES] = {PERF_COUNT_HW_CPU_CYCLES, PERF_TYPE_HARDWARE, false},
    [PERF_CACHE_REFERENCES] = {PERF_COUNT_HW_CACHE_REFERENCES, PERF_TYPE_HARDWARE, false},
    [PERF_CACHE_MISSES] = {PERF_COUNT_HW_CACHE_MISSES, PERF_TYPE_HARDWARE, false},
    [PERF_FLOATS_1] = {INTEL_FLOATS(0x02), PERF_TYPE_RAW, true},
    [PERF_FLOATS_4] = {INTEL_FLOATS(0x08), PERF_TYPE_RAW, true},
    [PERF_FLOATS_8] = {INTEL_FLOATS(0x20), PERF_TYPE_RAW, true},
    [PERF_FLOATS_16] = {INTEL_FLOATS(0x80), PERF_TYPE_RAW, true},
};

/* One counter of one thread. */
struct open_counter {
    int fd;
    enum perf_counter counter;
};

struct perf_counters {
    struct open_counter *items;
    size_t count, capacity;
};

static bool is_intel(void)
{
#ifdef __x86_64__
    return __builtin_cpu_is("intel") != 0;
#else
    return false;
#endif
}

/* Open an event for a thread; its descriptor, or -1 with errno set. */
static int open_event(const struct event *event, pid_t thread)
{
    struct perf_event_attr attributes = {.type = event->type,
                                         .size = sizeof(attributes),
                                         .config = event->config,
                                         .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
                                                        PERF_FORMAT_TOTAL_TIME_RUNNING,
                                         .disabled = 1,
                                         .exclude_kernel = 1,
                                         .exclude_hv = 1};

    return (int)syscall(SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static void explain(int error, struct error *why)
{
    if (!why || *why->text)
        return;
    if (error == EACCES || error == EPERM)
        error_set(why, STATUS_UNAVAILABLE,
                  "the system does not allow hardware counters: set "
                  "/proc/sys/kernel/perf_event_paranoid to 2 or less");
    else
        error_set(why, STATUS_UNAVAILABLE,
                  "this processor, or the virtual machine, gives no hardware counters");
}

static void open_thread(struct perf_counters *counters, pid_t thread, struct error *why)
{
    for (size_t i = 0; i < COUNT(events); i++) {
        int fd = events[i].is_of_intel && !is_intel() ? -1 : open_event(&events[i], thread);

        if (fd >= 0)
            vec_push(counters, ((struct open_counter){fd, (enum perf_counter)i}));
        else if (i == PERF_INSTRUCTIONS)
            explain(errno, why);
    }
}

enum status perf_counters_open(pid_t process, struct perf_counters **counters, struct error *why,
                               struct error *err)
{
    struct perf_counters *opened = mem_alloc_zeroed(1, sizeof(*opened));
    const struct dirent *entry;
    char path[64];
    DIR *threads;

    if (why)
        *why->text = '\0';
    snprintf(path, sizeof(path), "/proc/%d/task", (int)process);
    threads = opendir(path);
    /* cppcheck-suppress readdirCalled ; nobody else reads this stream, readdir(3) */
    while (threads && (entry = readdir(threads)))
        if (*entry->d_name >= '0' && *entry->d_name <= '9')
            open_thread(opened, (pid_t)strtol(entry->d_name, NULL, 10), why);
    if (threads)
        closedir(threads);
    if (opened->count > 0) {
        *counters = opened;
        return STATUS_OK;
    }
    perf_counters_close(opened);
    return error_set(err, STATUS_UNAVAILABLE,
                     "the system does not allow perf_event_open(2): set kernel.perf_event_paranoid "
                     "to 2 or less");
}

void perf_counters_start(struct perf_counters *counters)
{
    for (size_t i = 0; i < counters->count; i++)
        (void)ioctl(counters->items[i].fd, PERF_EVENT_IOC_ENABLE, 0);
}

void perf_counters_stop(struct perf_counters *counters)
{
    for (size_t i = 0; i < counters->count; i++)
        (void)ioctl(counters->items[i].fd, PERF_EVENT_IOC_DISABLE, 0);
}

struct perf_counts perf_counters_read(const struct perf_counters *counters)
{
    struct perf_counts counts = {0};

    for (size_t i = 0; i < counters->count; i++) {
        uint64_t read_words[3] = {0}; /* the count, then the times enabled and running */
        enum perf_counter counter = counters->items[i].counter;

        if (read(counters->items[i].fd, read_words, sizeof(read_words)) !=
            (ssize_t)sizeof(read_words))
            continue;
        counts.of[counter].is_present = true;
        if (read_words[2] > 0)
            counts.of[counter].count +=
                (double)read_words[0] * ((double)read_words[1] / (double)read_words[2]);
    }
    return counts;
}

void perf_counters_close(struct perf_counters *counters)
{
    if (!counters)
        return;
    for (size_t i = 0; i < counters->count; i++)
        close(counters->items[i].fd);
    free(counters->items);
    free(counters);
}
