/*
 * An executor that does what a kernel could do that has taken over its
 * process.  Launches of a kernel called "modest" are said to take long, those
 * of one called "boastful" next to nothing; one called "crowd" starts more
 * processes than any compiler, "fugitive" one that would outlive it.
 * Of every source it says that something else came of compiling it.
 */
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "backends/executor.h"
#include "backends/opencl/opencl.h"
#include "core/judge/backend.h"

/* A process that goes on by itself, in a session of its own if it may have one. */
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
    return st;
}

static const struct binary *binary(const struct program *program)
{
    static char log[] = "", ptx[] = "forged";
    static const struct binary other = {.log = log, .ptx = ptx};

    (void)program;
    return &other;
}

static struct backend_ops forged;
const struct backend_ops *const backend_list[] = {&forged, NULL};

int main(void)
{
    forged = opencl_backend;
    forged.run = run;
    forged.binary = binary;
    return executor_serve(false);
}
