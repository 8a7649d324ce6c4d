/*
 * An executor that behaves like one that a malicious kernel has taken over. The kernel's name
 * selects the attack: "modest" reports times that are too long, "boastful" times that are too
 * short, and "hasty" times that no correct kernel can have; "crowd" starts more processes than any
 * compiler would, "fugitive" one process that tries to outlive the executor; "belated" poisons the
 * output from some run on, "lapsing" that of every other sixteen runs. Kernels that are right and
 * fast until a closer look is taken: then "unobserved" poisons the output, and "sluggish" works for
 * longer than it reports. Once "burglar" has run, the executor returns a forged binary for every
 * source. Damage that a kernel leaves in its process shows in a later one: the table below.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "backends/executor.h"
#include "backends/opencl/opencl.h"
#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/judge/device/backend.h"

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

static bool is_burgled;

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

/*
 * The kernel that does damage, and the one that it shows in: that one aborts the process, or gets a
 * poisoned output. The last but one is kforge's plain kernel, the last measures a roof.
 */
static struct {
    const char *by, *shows_in;
    bool aborts, is_done;
} damages[] = {
    {"boastful", "trespasser", .aborts = true}, {"trespasser", "twice", .aborts = false},
    {"overrun", "twice", .aborts = false},      {"undermining", "mul_0", .aborts = true},
    {"hasty", "add1", .aborts = true},
};

static void erase(struct buffer *const *buffers, size_t number)
{
    const struct buffer_poison zeros = {.guard = buffer_guard_byte(number)};

    (void)opencl_backend.buffer_poison(buffers[number], zeros, NULL);
}

/* Show the damage that an earlier kernel has left. The output is the second buffer. */
static void suffer_damage(const char *kernel, struct buffer *const *buffers)
{
    for (size_t i = 0; i < COUNT(damages); i++) {
        bool is_shown = damages[i].is_done && strcmp(kernel, damages[i].shows_in) == 0;

        if (is_shown && damages[i].aborts)
            abort();
        if (is_shown)
            erase(buffers, 1);
        damages[i].is_done = damages[i].is_done || strcmp(kernel, damages[i].by) == 0;
    }
}

/* More than the trials at one size, and fewer than these and the runs of any timing. */
enum { EARLY_RUNS = 20 };

static size_t runs; /* of the kernel that spoils its output, on the current tensors */

static enum status buffer_new(struct device *device, size_t bytes, struct buffer **buffer,
                              struct error *err)
{
    runs = 0;
    return opencl_backend.buffer_new(device, bytes, buffer, err);
}

/* Poison the output of late runs of such a kernel, of all or of every other sixteen. */
static void spoil_late_runs(const char *kernel, struct buffer *const *buffers)
{
    bool lapses = strcmp(kernel, "lapsing") == 0, is_even;

    if (!lapses && strcmp(kernel, "belated") != 0)
        return;
    runs++;
    is_even = runs / 16 % 2 == 0;
    if (runs > EARLY_RUNS && (!lapses || is_even))
        erase(buffers, 1); /* y */
}

/*
 * In a closer look, runs without and with launches alternate. Each of them begins with a call
 * without launches (bench_run()), so that three such calls precede one with launches; at most two
 * do where a prepare step is empty.
 */
enum { IDLE_CALLS = 3, PAIRS_ELSEWHERE = 9, SLUGGISH_MS = 3 };

static size_t pairs, idle_calls;

static void count_pairs(bool is_idle)
{
    if (!is_idle)
        pairs = idle_calls >= IDLE_CALLS ? pairs + 1 : 0;
    idle_calls = is_idle ? idle_calls + 1 : 0;
}

static void work(int ms)
{
    clock_t end = clock() + ms * (CLOCKS_PER_SEC / 1000);

    while (clock() < end)
        ;
}

/* The output is the third buffer of the problem "pairs". */
static void change_when_looked_at(const char *kernel, struct buffer *const *buffers)
{
    if (pairs <= PAIRS_ELSEWHERE)
        return;
    if (strcmp(kernel, "unobserved") == 0)
        erase(buffers, 2);
    if (strcmp(kernel, "sluggish") == 0)
        work(SLUGGISH_MS);
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
    if (strcmp(kernel, "hasty") == 0)
        times->span_us = 0.01;
    is_burgled = is_burgled || strcmp(kernel, "burglar") == 0;
    start_others(kernel);
    count_pairs(launches->count == 0);
    if (launches->count) {
        suffer_damage(kernel, buffers);
        spoil_late_runs(kernel, buffers);
        change_when_looked_at(kernel, buffers);
    }
    return st;
}

static enum status binary(const struct program *program, struct binary *made, struct error *err)
{
    if (!is_burgled)
        return opencl_backend.binary(program, made, err);
    *made = (struct binary){.log = mem_strdup(""), .ptx = mem_strdup("forged")};
    return STATUS_OK;
}

static struct backend_ops forged;
const struct backend_ops *const backend_list[] = {&forged, NULL};

int main(void)
{
    forged = opencl_backend;
    forged.run = run;
    forged.buffer_new = buffer_new;
    forged.binary = binary;
    return executor_serve(false);
}
