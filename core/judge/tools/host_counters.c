#include "core/judge/tools/host_counters.h"

#include <stdarg.h>

#include "core/base/mem.h"
#include "core/base/strbuf.h"
#include "core/base/vec.h"

enum { LINE_BYTES = 64 };

/* Limits of findings: the share of busy cores, and the numbers of instructions per cycle. */
static const double busy_share = 0.7, slow_ipc = 1, fast_ipc = 2;
/*
 * The number of last-level cache misses per thousand instructions from which on they slow a kernel
 * down.
 */
static const double many_misses = 5;

/* The kernel to report, and the list that its findings are added to. */
struct report {
    struct kernel_profile kernel;
    struct profile *profile;
    const struct host_counts *counted;
};

static bool has(const struct report *report, enum perf_counter counter)
{
    return report->counted->counts.of[counter].is_present;
}

/* The count in one run; 0 if it is absent. */
static double in_run(const struct report *report, enum perf_counter counter)
{
    return report->counted->counts.of[counter].count / report->counted->runs;
}

static void add(struct report *report, const char *name, double value, const char *unit)
{
    vec_push(&report->kernel.metrics,
             ((struct profile_metric){
                 .name = mem_strdup(name), .value = value, .unit = mem_strdup(unit)}));
}

static void find(struct report *report, const char *name, const char *fmt, ...) PRINTF_LIKE(3, 4);

static void find(struct report *report, const char *name, const char *fmt, ...)
{
    struct profile_rule rule = {.name = mem_strdup(name),
                                .kernel = mem_strdup(report->kernel.name)};
    struct strbuf text = {0};
    va_list args;

    va_start(args, fmt);
    strbuf_vaddf(&text, fmt, args);
    va_end(args);
    rule.text = strbuf_take(&text);
    vec_push(&report->profile->rules, rule);
}

static void add_cores(struct report *report)
{
    double busy = in_run(report, PERF_TASK_CLOCK_NS) / 1e3 / report->counted->span_us;
    double waited = report->counted->waited_us / report->counted->runs / report->counted->span_us;
    unsigned cores = report->counted->cores;

    add(report, "busy_cores", busy, "");
    add(report, "context_switches", in_run(report, PERF_CONTEXT_SWITCHES), "");
    add(report, "page_faults", in_run(report, PERF_PAGE_FAULTS), "");
    if (busy + waited < busy_share * cores)
        find(report, "idle_cores",
             "the threads use %.2f of %u cores: the work has too few parts, or they differ in size",
             busy, cores);
}

static void add_instructions(struct report *report)
{
    double instructions = in_run(report, PERF_INSTRUCTIONS), cycles = in_run(report, PERF_CYCLES);
    double misses = in_run(report, PERF_CACHE_MISSES);
    double ipc = cycles > 0 ? instructions / cycles : 0;
    double per_thousand = instructions > 0 ? misses / instructions * 1000 : 0;

    if (!has(report, PERF_INSTRUCTIONS) || !has(report, PERF_CYCLES))
        return;
    add(report, "instructions", instructions, "");
    add(report, "cycles", cycles, "");
    add(report, "instructions_per_cycle", ipc, "");
    if (has(report, PERF_CACHE_REFERENCES))
        add(report, "cache_references", in_run(report, PERF_CACHE_REFERENCES), "");
    if (has(report, PERF_CACHE_MISSES)) {
        add(report, "cache_misses", misses, "");
        add(report, "cache_miss_bytes", misses * LINE_BYTES, "B");
    }
    if (ipc > 0 && ipc < slow_ipc && per_thousand > many_misses)
        find(report, "memory",
             "%.2f instructions per cycle, and %.1f misses of the last cache in 1000 instructions",
             ipc, per_thousand);
    else if (ipc > fast_ipc)
        find(report, "compute", "%.2f instructions per cycle: the cores do not wait", ipc);
}

static void add_vectors(struct report *report)
{
    static const double widths[] = {1, 4, 8, 16};
    double count = 0, floats = 0;

    for (int i = 0; i < 4; i++) {
        double of_width = in_run(report, (enum perf_counter)(PERF_FLOATS_1 + i));

        count += of_width;
        floats += of_width * widths[i];
    }
    if (!has(report, PERF_FLOATS_1) || count <= 0)
        return;
    add(report, "floats_per_instruction", floats / count, "");
    if (floats / count < 4)
        find(report, "narrow_vectors", "%.1f floats in an instruction of floating point",
             floats / count);
}

void host_counters_report(const char *name, const struct host_counts *counted,
                          struct profile *profile)
{
    struct report report = {
        .kernel = {.name = mem_strdup(name), .us = counted->span_us, .share = 1},
        .profile = profile,
        .counted = counted};

    if (counted->span_us > 0)
        add_cores(&report);
    add_instructions(&report);
    add_vectors(&report);
    vec_push(&profile->kernels, report.kernel);
}
