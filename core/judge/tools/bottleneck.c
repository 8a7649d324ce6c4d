#include "core/judge/tools/bottleneck.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/format.h"
#include "core/base/strbuf.h"
#include "core/base/vec.h"

/* Launches with less than this share of the time are ignored. */
static const double least_share = 0.05;

/* A unit that is busier than this is the limiter. If none is, no unit is near its peak. */
static const double busy_percent = 60;

/* A launch, and the list that its findings are added to. */
struct launch_profile {
    struct profile *profile;
    const struct kernel_profile *kernel;
};

/* NaN if it was not measured, so that every comparison is false. */
static double value(const struct launch_profile *launch, const char *name)
{
    const struct profile_metric *metric = profile_find_metric(launch->kernel, name);

    return metric ? metric->value : nan("");
}

/* An `estimate` of 0 is unknown. */
static void add(const struct launch_profile *launch, const char *name, double estimate,
                const char *fmt, ...) PRINTF_LIKE(4, 5);

static void add(const struct launch_profile *launch, const char *name, double estimate,
                const char *fmt, ...)
{
    struct profile_rule rule = {.name = mem_strdup(name),
                                .kernel = mem_strdup(launch->kernel->name),
                                .has_estimate = estimate > 1,
                                .estimate = estimate > 1 ? estimate : 0};
    struct strbuf text = {0};
    va_list args;

    va_start(args, fmt);
    strbuf_vaddf(&text, fmt, args);
    va_end(args);
    rule.text = strbuf_take(&text);
    vec_push(&launch->profile->rules, rule);
}

/* The reasons for which warps wait, with plain descriptions. */
static const struct {
    const char *metric, *text;
} stalls[] = {
    {"stall_memory", "for data from global or local memory"},
    {"stall_memory_queue", "for room in the queue of global memory"},
    {"stall_shared", "for data from shared memory"},
    {"stall_shared_queue", "for room in the queue of shared memory and special functions"},
    {"stall_barrier", "at barriers"},
    {"stall_math", "for an arithmetic pipe"},
    {"stall_result", "for the result of an earlier instruction"},
    {"stall_code", "for instructions"},
};

enum { STALL_COUNT = COUNT(stalls) };

/* The index of the most expensive stall; STALL_COUNT if none was measured. */
static size_t worst_stall(const struct launch_profile *launch)
{
    size_t worst = STALL_COUNT;

    for (size_t i = 0; i < STALL_COUNT; i++)
        if (value(launch, stalls[i].metric) >= 0 &&
            (worst == STALL_COUNT ||
             value(launch, stalls[i].metric) > value(launch, stalls[worst].metric)))
            worst = i;
    return worst;
}

static void find_latency(const struct launch_profile *launch)
{
    size_t worst = worst_stall(launch);

    if (worst == STALL_COUNT)
        return;
    add(launch, "latency", 0,
        "no unit is near its peak (arithmetic %.0f %%, L1 %.0f %%, L2 %.0f %%, DRAM %.0f %%): "
        "warps wait, most of all %s (%s = %.2f cycles per issue)",
        value(launch, "sm_percent"), value(launch, "l1_percent"), value(launch, "l2_percent"),
        value(launch, "dram_percent"), stalls[worst].text, stalls[worst].metric,
        value(launch, stalls[worst].metric));
}

/* Add the limiter of the launch. */
static void find_limit(const struct launch_profile *launch)
{
    double dram = value(launch, "dram_percent"), sm = value(launch, "sm_percent");
    double cache = fmax(value(launch, "l1_percent"), value(launch, "l2_percent"));
    char read[FORMAT_SIZE], written[FORMAT_SIZE];

    if (dram >= busy_percent && !(sm > dram))
        add(launch, "memory", 100 / dram,
            "DRAM works at %.0f %% of its peak (dram_percent), read %s, written %s: only less "
            "traffic helps much",
            dram, format_bytes(read, value(launch, "dram_read_bytes")),
            format_bytes(written, value(launch, "dram_write_bytes")));
    else if (sm >= busy_percent && !(cache > sm))
        add(launch, "compute", 100 / sm,
            "arithmetic and issue work at %.0f %% of their peak (sm_percent): only fewer or "
            "cheaper instructions help much",
            sm);
    else if (cache >= busy_percent)
        add(launch, "cache", 100 / cache,
            "the caches work at %.0f %% of their peak (l1_percent %.0f, l2_percent %.0f), DRAM at "
            "%.0f %%: reuse in registers and shared memory helps",
            cache, value(launch, "l1_percent"), value(launch, "l2_percent"), dram);
    else
        find_latency(launch);
}

static void find_uncoalesced(const struct launch_profile *launch)
{
    double loads = value(launch, "load_used_percent"), stores = value(launch, "store_used_percent");
    bool loads_are_worse = !(stores < loads);
    double used = loads_are_worse ? loads : stores;

    if (used > 0 && used < 80)
        add(launch, "uncoalesced", 100 / used,
            "of the bytes %s by global %s only %.0f %% are used (%s_used_percent): neighbouring "
            "threads should access neighbouring elements",
            loads_are_worse ? "fetched" : "written", loads_are_worse ? "loads" : "stores", used,
            loads_are_worse ? "load" : "store");
}

static void find_bank_conflicts(const struct launch_profile *launch)
{
    double conflicts =
        value(launch, "shared_load_conflicts") + value(launch, "shared_store_conflicts");
    double wavefronts = value(launch, "shared_wavefronts");

    if (conflicts > 0.1 * wavefronts)
        add(launch, "bank_conflicts", 0,
            "%.0f %% of the passes through shared memory are bank conflicts (%.4g of "
            "shared_wavefronts = %.4g): pad or swizzle the tile",
            100 * fmin(1, conflicts / wavefronts), conflicts, wavefronts);
}

static void find_spills(const struct launch_profile *launch)
{
    double spills = value(launch, "local_instructions");

    if (spills > 0)
        add(launch, "spills", 0,
            "%.4g instructions go to local memory (local_instructions, %.2g %% of all) with %.0f "
            "registers a thread: registers spill, or an array is indexed at run time",
            spills, 100 * spills / value(launch, "instructions"), value(launch, "registers"));
}

/* The resource that limits the number of blocks on a multiprocessor. */
static const char *block_limit(const struct launch_profile *launch)
{
    double registers = value(launch, "blocks_by_registers"),
           shared = value(launch, "blocks_by_shared");
    double warps = value(launch, "blocks_by_warps");

    if (registers < warps && !(shared < registers))
        return "registers";
    return shared < warps ? "shared memory" : "the size of the block";
}

static void find_occupancy(const struct launch_profile *launch)
{
    double reached = value(launch, "occupancy_percent");
    double allowed = value(launch, "occupancy_limit_percent"), waves = value(launch, "waves");

    if (waves < 1)
        add(launch, "small_grid", 0,
            "the grid fills %.0f %% of the multiprocessors once (waves = %.2f): more blocks, each "
            "with less work, use all of them",
            100 * waves, waves);
    else if (reached < 50)
        add(launch, "occupancy", 0,
            "%.0f %% of the warps that fit are active (occupancy_percent), %.0f %% could be, "
            "limited by %s; it matters only where warps wait",
            reached, allowed, block_limit(launch));
}

static void find_divergence(const struct launch_profile *launch)
{
    double threads = value(launch, "threads_per_instruction");

    if (threads < 24)
        add(launch, "divergence", 0,
            "an instruction works for %.1f of 32 threads (threads_per_instruction): branches "
            "diverge, or the block size is no multiple of 32",
            threads);
}

static void find_tensor_unused(const struct launch_profile *launch)
{
    double fma = value(launch, "fma_percent"), tensor = value(launch, "tensor_percent");

    if (tensor < 1 && fma >= 40)
        add(launch, "tensor_unused", 0,
            "the tensor cores are idle (tensor_percent = %.2g) while multiply-adds take %.0f %% of "
            "their pipe (fma_percent): products may go there where the tolerance allows",
            tensor, fma);
}

static void (*const finders[])(const struct launch_profile *launch) = {
    find_limit,     find_uncoalesced, find_bank_conflicts, find_spills,
    find_occupancy, find_divergence,  find_tensor_unused,
};

void bottleneck_find(struct profile *profile)
{
    for (size_t k = 0; k < profile->kernels.count; k++) {
        const struct launch_profile launch = {profile, &profile->kernels.items[k]};

        for (size_t i = 0; launch.kernel->share >= least_share && i < COUNT(finders); i++)
            finders[i](&launch);
    }
}
