/*
 * An executor that behaves like one that a malicious kernel has taken over. The kernel's name
 * selects the attack: "modest" reports times that are too long and "boastful" times that are too
 * short; "crowd" starts more processes than any compiler would, "fugitive" one process that tries
 * to outlive the executor; "belated" poisons the output in the last run of late batches. The
 * executor knows which run is the last because it reads the judge's requests before the real
 * executor does. For every source it returns a forged binary.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "backends/executor.h"
#include "backends/opencl/opencl.h"
#include "core/base/mem.h"
#include "core/judge/device/backend.h"
#include "core/system/lines.h"

/* Start a process that sleeps, in its own session if the system permits it. */
static void leave_sleeping(void)
{
    if (fork())
        return;
    (void)setsid();
    (void)prctl(PR_SET_PDEATHSIG, 0);
    sleep(1000);
    _exit(0);
}

static bool has_fugitive;

static void start_others(const char *kernel)
{
    const bool is_crowd = strcmp(kernel, "crowd") == 0;

    for (int i = 0; is_crowd && i < 200; i++)
        leave_sleeping();
    if (is_crowd)
        sleep(1000);
    if (strcmp(kernel, "fugitive") == 0 && !has_fugitive)
        leave_sleeping();
    has_fugitive = has_fugitive || strcmp(kernel, "fugitive") == 0;
}

/* Every timing has more batches than this (core/judge/timing.c). */
enum { EARLY_BATCHES = 3 };

static atomic_size_t timed_batches; /* of the latest loaded candidate */
static atomic_size_t runs_left;     /* in the latest requested batch */

static void note(const char *line)
{
    struct json *request = json_parse(line, strlen(line), NULL);
    size_t runs = json_count(json_get(request, "input_seeds"));

    atomic_store(&runs_left, runs);
    if (runs == 0)
        atomic_store(&timed_batches, 0);
    else if (runs > 1 && !json_get_bool(request, "without_launches", false))
        atomic_fetch_add(&timed_batches, 1);
    json_free(request);
}

/* Copy the judge's requests into the pipe that becomes the executor's standard input. */
static void *pass_on(void *data)
{
    const int *ends = data; /* from, to */
    struct lines lines = {0};
    enum status st = STATUS_OK;

    while (!st) {
        const char *line = lines_next(&lines);

        if (!line) {
            st = lines_fill(&lines, ends[0], NULL);
            continue;
        }
        note(line);
        if (dprintf(ends[1], "%s\n", line) < 0)
            st = STATUS_IO;
    }
    lines_release(&lines);
    close(ends[1]);
    return NULL;
}

static void listen_in(void)
{
    static int ends[2];
    int inner[2];
    pthread_t thread;

    ends[0] = dup(STDIN_FILENO);
    if (ends[0] < 0 || pipe(inner) || dup2(inner[0], STDIN_FILENO) < 0)
        abort();
    close(inner[0]);
    ends[1] = inner[1];
    if (pthread_create(&thread, NULL, pass_on, ends))
        abort();
    pthread_detach(thread);
}

static void spoil_the_last(const char *kernel, struct buffer *const *buffers)
{
    if (strcmp(kernel, "belated") == 0 && atomic_fetch_sub(&runs_left, 1) == 1 &&
        atomic_load(&timed_batches) > EARLY_BATCHES)
        (void)opencl_backend.buffer_poison(buffers[1], 0, NULL); /* y */
}

static enum status run(struct program *program, const struct launch_list *launches,
                       struct buffer *const *buffers, struct run_times *times, struct error *err)
{
    const char *kernel = launches->count ? launches->items[0].kernel : "";
    enum status st = opencl_backend.run(program, launches, buffers, times, err);

    if (strcmp(kernel, "modest") == 0)
        times->span_us = 1e6;
    if (strcmp(kernel, "boastful") == 0)
        times->span_us = 0.5;
    start_others(kernel);
    spoil_the_last(kernel, buffers);
    return st;
}

static enum status binary(const struct program *program, struct binary *made, struct error *err)
{
    (void)program;
    (void)err;
    *made = (struct binary){.log = mem_strdup(""), .ptx = mem_strdup("forged")};
    return STATUS_OK;
}

static struct backend_ops forged;
const struct backend_ops *const backend_list[] = {&forged, NULL};

int main(void)
{
    forged = opencl_backend;
    forged.run = run;
    forged.binary = binary;
    listen_in();
    return executor_serve(false);
}
