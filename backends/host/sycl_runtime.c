#include "backends/host/sycl_runtime.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "backends/host/compiler_child.h"
#include "backends/host/host_calls.h"
#include "backends/host/object_maker.h"
#include "backends/host/sycl_runtime.inc.h"
#include "core/base/mem.h"
#include "core/system/file.h"

enum { THREADS = 256, TEXT_SIZE = 256 };

struct sycl_runtime {
    void *handle; /* of the object, which stays loaded: its threads end with the process only */
    struct host_calls *calls;
    void *queue;
    bool (*call)(void (*work)(void *data), void *data, char *why, unsigned long size);
    clockid_t clocks[THREADS]; /* of the CPU time of the implementation's threads */
    size_t count;
    double ended_us; /* their sum at the end of the last call */
    char thrown[TEXT_SIZE];
};

/* The threads of this process; `number` of them at most. */
static size_t list_threads(pid_t *threads, size_t number)
{
    DIR *entries = opendir("/proc/self/task");
    const struct dirent *entry;
    size_t count = 0;

    /* cppcheck-suppress readdirCalled ; nobody else reads this stream, readdir(3) */
    while (entries && count < number && (entry = readdir(entries)))
        if (*entry->d_name != '.')
            threads[count++] = (pid_t)strtol(entry->d_name, NULL, 10);
    if (entries)
        closedir(entries);
    return count;
}

static bool is_among(pid_t thread, const pid_t *threads, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (threads[i] == thread)
            return true;
    return false;
}

/* The clock of a thread's CPU time; the kernel's encoding, of which pthread_getcpuclockid() is part
 */
static clockid_t clock_of(pid_t thread)
{
    enum { OF_THREAD = 4, SCHEDULED = 2 };

    return (clockid_t)((~(unsigned)thread << 3) | OF_THREAD | SCHEDULED);
}

/* Keep the clocks of the threads that did not exist `before`. */
static void keep_clocks(struct sycl_runtime *runtime, const pid_t *before, size_t count)
{
    pid_t now[THREADS];
    size_t found = list_threads(now, THREADS);

    for (size_t i = 0; i < found; i++)
        if (!is_among(now[i], before, count))
            runtime->clocks[runtime->count++] = clock_of(now[i]);
}

static double worked_us(const struct sycl_runtime *runtime)
{
    double sum = 0;

    for (size_t i = 0; i < runtime->count; i++) {
        struct timespec time = {0};

        if (clock_gettime(runtime->clocks[i], &time) == 0)
            sum += (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
    }
    return sum;
}

/* Work of thread 0: make the queue. */
static void make_queue(void *data, unsigned number)
{
    struct sycl_runtime *runtime = data;
    void *(*make)(void) = NULL;

    (void)number;
    *(void **)&make = dlsym(runtime->handle, "kforge_sycl_queue");
    *(void **)&runtime->call = dlsym(runtime->handle, "kforge_sycl_call");
    runtime->queue = make && runtime->call ? make() : NULL;
}

/*
 * Load the object from a file in memory. False if the loader refuses it. The file stays open like
 * the object: the loader would take the next file with this number for the same object.
 */
static bool load(struct sycl_runtime *runtime, const struct strbuf *object)
{
    int file = memfd_create("sycl", MFD_CLOEXEC);
    char path[64];

    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    if (file < 0 || file_write_all(file, strbuf_cstr(object), object->len, NULL))
        return false;
    runtime->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return runtime->handle;
}

/* Load the object, and make its queue with the team's threads. */
static enum status begin(struct team *team, struct sycl_runtime *runtime,
                         const struct strbuf *object, struct error *err)
{
    const struct host_calls **connection;
    pid_t before[THREADS];
    size_t count = list_threads(before, THREADS);

    /* AdaptiveCpp: give a kernel to its thread at once, and not by way of another thread. */
    (void)setenv("ACPP_ALLOW_INSTANT_SUBMISSION", "1", 0);
    /* LLVM's OpenMP, which AdaptiveCpp links: threads without work sleep, and do not spin. */
    (void)setenv("OMP_WAIT_POLICY", "passive", 0);
    (void)setenv("KMP_BLOCKTIME", "0", 0);
    if (!load(runtime, object))
        return error_set(err, STATUS_UNAVAILABLE, "cannot load SYCL: %s", dlerror());
    runtime->calls = host_calls_new(team_size(team));
    connection = dlsym(runtime->handle, "kforge_host");
    if (connection)
        *connection = runtime->calls;
    host_calls_begin(team);
    team_call(team, make_queue, runtime);
    if (!runtime->queue)
        return error_set(err, STATUS_UNAVAILABLE, "SYCL has no device here");
    keep_clocks(runtime, before, count);
    runtime->ended_us = worked_us(runtime);
    return STATUS_OK;
}

enum status sycl_runtime_load(struct compiler_child *child, struct team *team,
                              struct sycl_runtime **runtime, struct error *err)
{
    const struct object_source source = {
        .language = "sycl", .text = sycl_runtime_inc, .options = ""};
    struct sycl_runtime *made = mem_alloc_zeroed(1, sizeof(*made));
    struct compilation compiled = {0};
    enum status st = compiler_child_compile(child, &source, &compiled, err);

    if (!st && !compiled.is_accepted)
        st = error_set(err, STATUS_UNAVAILABLE, "the SYCL compiler does not work: %.300s",
                       strbuf_cstr(&compiled.log));
    if (!st)
        st = begin(team, made, &compiled.object, err);
    compilation_release(&compiled);
    if (st)
        sycl_runtime_free(made);
    else
        *runtime = made;
    return st;
}

void sycl_runtime_free(struct sycl_runtime *runtime)
{
    if (runtime)
        free(runtime->calls);
    free(runtime);
}

void *sycl_runtime_queue(const struct sycl_runtime *runtime)
{
    return runtime->queue;
}

bool sycl_runtime_call(struct sycl_runtime *runtime, void (*work)(void *data), void *data)
{
    bool is_done = runtime->call(work, data, runtime->thrown, sizeof(runtime->thrown));

    runtime->ended_us = worked_us(runtime);
    return is_done;
}

const char *sycl_runtime_thrown(const struct sycl_runtime *runtime)
{
    return runtime->thrown;
}

double sycl_runtime_late_us(const struct sycl_runtime *runtime)
{
    return worked_us(runtime) - runtime->ended_us;
}
