#include "core/judge/roofs/roof_measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/codegen/dialect.h"
#include "core/judge/roofs/roof_probe.h"
#include "core/judge/task/expectations.h"
#include "core/model/language.h"
#include "core/model/plan/plan.h"
#include "core/model/problem_reader.h"
#include "core/system/cache.h"
#include "core/system/clock.h"
#include "core/system/log.h"

/* Runs at small sizes take little time, and other load disturbs them most. */
enum { PROBE_MIN_RUNS = 3, PROBE_MAX_RUNS = 30, PROBE_ELEMENTS = 1 << 22 };
enum { PROBE_DRAWN_ELEMENTS = 1 << 18 };

/* A kernel this much slower than the fastest will not become the fastest. */
static const double hopeless = 0.7;

/* A roof, and what measures it. Rates are work per microsecond. */
struct target {
    const struct roof_probe *probe;
    int64_t n;                          /* the dimension N */
    double rate;                        /* the roof */
    double reached[ROOF_PROBE_KERNELS]; /* by each kernel in this measurement */
    bool is_settled;                    /* a round did not raise the roof */
};

static double best_of(const struct target *target)
{
    double best = 0;

    for (size_t i = 0; i < ROOF_PROBE_KERNELS; i++)
        best = fmax(best, target->reached[i]);
    return best;
}

/* True if an earlier run of the kernel was much slower than one of another kernel. */
static bool is_hopeless(const struct target *target, size_t kernel)
{
    double reached = target->reached[kernel];

    return reached > 0 && reached < hopeless * best_of(target);
}

static size_t probe_runs(int64_t n)
{
    int64_t runs = PROBE_ELEMENTS / n;

    return (size_t)(runs < PROBE_MIN_RUNS   ? PROBE_MIN_RUNS
                    : runs > PROBE_MAX_RUNS ? PROBE_MAX_RUNS
                                            : runs);
}

/*
 * Time the loaded kernel of this index. Small data are drawn before each run, as for candidates: it
 * wakes the driver's threads. Large data would take longer than the runs.
 */
static enum status time_runs(struct executor *executor, struct target *target, size_t kernel,
                             struct error *err)
{
    const double work = target->probe->kernels[kernel].work * (double)target->n;
    struct executor_run run = {.slot = SLOT_PLAIN};
    size_t count = probe_runs(target->n);
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < count; i++) {
        struct executor_times times = {0};

        if (i >= PROBE_MIN_RUNS && is_hopeless(target, kernel))
            break;
        st = executor_run(executor, &run, &times, err);
        if (!st && times.span_us > 0)
            target->reached[kernel] = fmax(target->reached[kernel], work / times.span_us);
        run.keeps_data = target->n > PROBE_DRAWN_ELEMENTS;
    }
    return st;
}

/* Load a kernel of the probe. Its tensors are on the device. */
static enum status load_kernel(struct executor *executor, const char *source, const char *plan_text,
                               const struct expectations_case *shape, struct error *err)
{
    struct dispatch dispatch = {0};
    const struct executor_load load = {SLOT_PLAIN, source, &dispatch, NULL};
    struct executor_build build = {0};
    struct plan plan = {0};
    enum status st = plan_parse(&plan, plan_text, strlen(plan_text), err);

    if (!st)
        st = plan_resolve(&plan, &shape->graph, &shape->scope, &dispatch, err);
    if (!st)
        st = executor_load(executor, &load, &build, err);
    if (!st && !build.is_accepted)
        st =
            error_set(err, STATUS_UNAVAILABLE, "the device's compiler rejects the roof kernels: %s",
                      build.report.log ? build.report.log : "no log");
    executor_build_release(&build);
    dispatch_release(&dispatch);
    plan_release(&plan);
    return st;
}

/* Time the kernels in the device's language. The tensors are on the device. */
static enum status time_loaded(struct executor *executor, struct target *target,
                               const struct expectations_case *shape, struct error *err)
{
    const struct device_info *device;
    struct strbuf source = {0};
    const char *language;
    enum status st = executor_device(executor, &device, err);

    if (st)
        return st;
    language = device->language;
    if (!dialect_of(language))
        return error_set(err, STATUS_UNAVAILABLE,
                         "kforge has no kernels in %s to measure the roofs with", language);
    roof_probe_source(target->probe, dialect_of(language), &source);
    for (size_t i = 0; !st && target->probe->kernels[i].plan; i++) {
        const struct roof_kernel *kernel = &target->probe->kernels[i];
        bool is_other = kernel->dialect ? kernel->dialect != language_of(language)->dialect
                                        : dialect_of(language)->has_calls;

        if (is_other || is_hopeless(target, i))
            continue;
        st = load_kernel(executor, strbuf_cstr(&source), kernel->plan, shape, err);
        if (!st)
            st = time_runs(executor, target, i, err);
    }
    strbuf_release(&source);
    return st;
}

static enum status time_kernels(struct executor *executor, struct target *target,
                                const struct problem *problem, struct error *err)
{
    struct binding bindings[1];
    struct expectations_case shape = {.scope = problem_scope(problem, 0, bindings)};
    enum status st = graph_build(&shape.graph, problem, &shape.scope, err);

    if (!st)
        st = executor_set_tensors(executor, problem, &shape.graph, err);
    if (!st)
        st = time_loaded(executor, target, &shape, err);
    graph_release(&shape.graph);
    return st;
}

/*
 * Raise the roof to the rate of the fastest kernel. The roof is settled if it rises by no more than
 * the noise.
 */
static enum status time_target(struct executor *executor, struct target *target, struct error *err)
{
    const double noise = 1.03;
    struct problem problem = {0};
    struct strbuf text = {0};
    int64_t began_us = clock_now_us();
    enum status st;

    strbuf_addf(&text,
                "{\"kforge\":1,\"name\":\"roof\",\"summary\":\"A microbenchmark.\","
                "\"dims\":{\"N\":%lld},\"tensors\":%s,\"graph\":%s,"
                "\"tolerance\":{\"class\":\"f32\"}}",
                (long long)target->n, target->probe->tensors, target->probe->graph);
    st = problem_parse(&problem, strbuf_cstr(&text), text.len, "roof", err);
    if (!st)
        st = time_kernels(executor, target, &problem, err);
    target->is_settled = best_of(target) <= noise * target->rate;
    target->rate = fmax(target->rate, best_of(target));
    log_long("to measure a roof", began_us);
    problem_release(&problem);
    strbuf_release(&text);
    return st;
}

/*
 * Number of elements of each of the three vectors, from sizes for the first cache to main memory.
 */
static const int64_t memory_elements[ROOFS_MEMORY_LEVELS] = {1 << 14, 1 << 16, 1 << 18,
                                                             1 << 20, 1 << 22, 1 << 24};

/* Choose the levels that fit the device's memory. Their bandwidths are not changed. */
static void lay_out(const struct device_info *device, struct roofs *roofs)
{
    roofs->memory_count = 0;
    for (size_t i = 0; i < ROOFS_MEMORY_LEVELS; i++) {
        roofs->memory[i].bytes = 3.0 * F32_BYTES * (double)memory_elements[i];
        if (roofs->memory[i].bytes <= (double)device->memory_bytes / 4)
            roofs->memory_count++;
    }
}

enum { TARGETS = ROOFS_MEMORY_LEVELS + 3 };

static struct target target_of(const struct roof_probe *probe, int64_t n, double rate)
{
    return (struct target){.probe = probe, .n = n, .rate = rate};
}

/* List the targets of a measurement, with the roofs so far. Returns their number. */
static size_t list_targets(const struct device_info *device, const struct roofs *roofs,
                           struct target targets[TARGETS])
{
    int64_t items = (int64_t)device->compute_units * (device->is_cpu ? 256 : 2048);
    double per_us = roofs->launch_us > 0 ? 1 / roofs->launch_us : 0;
    size_t count = 0;

    for (; count < roofs->memory_count; count++)
        targets[count] = target_of(&roof_memory_probe, memory_elements[count],
                                   roofs->memory[count].bytes_per_us);
    targets[count++] = target_of(&roof_compute_probe, items, roofs->flops_per_us);
    targets[count++] = target_of(&roof_matrix_probe, items, roofs->matrix_flops_per_us);
    targets[count++] = target_of(&roof_launch_probe, 1, per_us);
    return count;
}

/* Store the measured rates, in the order of list_targets(). */
static void enter_rates(const struct target *targets, struct roofs *roofs)
{
    size_t i = 0;

    for (; i < roofs->memory_count; i++)
        roofs->memory[i].bytes_per_us = targets[i].rate;
    roofs->flops_per_us = targets[i++].rate;
    roofs->matrix_flops_per_us = targets[i++].rate;
    roofs->launch_us = targets[i].rate > 0 ? 1 / targets[i].rate : 0;
}

/* CPU time on the host's cores of all processes but the executor and this one. */
static double work_of_others_us(const struct executor *executor)
{
    struct timespec own = {0};

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
    return (double)clock_host_work_us() - executor_cpu_us(executor) - (double)own.tv_sec * 1e6 -
           (double)own.tv_nsec / 1e3;
}

/* The first round includes compiling. No round after the second begins later than ROUNDS_US. */
enum { MIN_ROUNDS = 2, MAX_ROUNDS = 4, ROUNDS_US = 5000000 };

/* Measure the targets that are not settled; `*is_settled` tells whether all are afterwards. */
static enum status run_round(struct executor *executor, struct target *targets, size_t count,
                             bool *is_settled, struct error *err)
{
    enum status st = STATUS_OK;

    *is_settled = true;
    for (size_t i = 0; !st && i < count; i++) {
        if (!targets[i].is_settled)
            st = time_target(executor, &targets[i], err);
        *is_settled = *is_settled && targets[i].is_settled;
    }
    return st;
}

/* Raise the roofs, round by round, until they no longer rise. */
static enum status run_rounds(struct executor *executor, const struct device_info *device,
                              struct roofs *roofs, struct error *err)
{
    double others_us = work_of_others_us(executor);
    int64_t began_us = clock_now_us();
    struct target targets[TARGETS];
    bool is_settled = false;
    enum status st = STATUS_OK;
    size_t count;

    lay_out(device, roofs);
    count = list_targets(device, roofs, targets);
    for (size_t round = 0; !st && !is_settled && round < MAX_ROUNDS; round++) {
        if (round >= MIN_ROUNDS && clock_now_us() > began_us + ROUNDS_US)
            break;
        st = run_round(executor, targets, count, &is_settled, err);
    }
    enter_rates(targets, roofs);
    others_us = work_of_others_us(executor) - others_us;
    roofs->busy_cores = fmax(0, others_us / (double)(clock_now_us() - began_us));
    return st;
}

/*
 * The key of a device's roofs: the device, its driver, and the latest kind of roof, so that roofs
 * without it are measured again. The caller frees.
 */
static char *cache_key(const struct device_info *device)
{
    struct strbuf key = {0};

    strbuf_addf(&key, "%s\n%s\n%s\nlaunch", device->id, device->name, device->platform);
    return strbuf_take(&key);
}

static bool is_known(const struct roofs *roofs)
{
    return roofs->memory_count > 0 && roofs->flops_per_us > 0;
}

bool roof_measure_recall(const struct device_info *device, struct roofs *roofs)
{
    char *key = cache_key(device);
    struct json *encoded = cache_recall("roofs", key);

    roofs_decode(roofs, encoded);
    json_free(encoded);
    free(key);
    return is_known(roofs);
}

static void keep(const struct device_info *device, const struct roofs *roofs)
{
    char *key = cache_key(device);
    struct json *encoded = roofs_encode(roofs);

    cache_keep("roofs", key, encoded);
    json_free(encoded);
    free(key);
}

/* Measure, starting from the values of `*roofs`, and cache the result. */
static enum status measure_and_keep(struct executor *executor, struct roofs *roofs,
                                    struct error *err)
{
    const struct device_info *device;
    struct roofs measured = *roofs;
    enum status st = executor_device(executor, &device, err);

    if (!st)
        st = run_rounds(executor, device, &measured, err);
    if (st && executor_outcome(executor) != OUTCOME_NONE) {
        executor_distrust(executor); /* a candidate may have damaged it */
        st = run_rounds(executor, device, &measured, err);
    }
    if (st)
        return st;
    keep(device, &measured);
    *roofs = measured;
    return STATUS_OK;
}

/* Measure without regard to the cache, and store the result in it. */
static enum status measure_anew(struct executor *executor, struct roofs *roofs, struct error *err)
{
    struct roofs measured = {0};
    enum status st = measure_and_keep(executor, &measured, err);

    if (!st)
        *roofs = measured;
    return st;
}

enum status roof_measure_device(const struct executor_options *options, const char *device,
                                struct roofs *roofs, struct error *err)
{
    struct executor_options apart = *options;
    struct executor *executor;
    enum status st;

    apart.device = device;
    executor = executor_new(&apart);
    st = measure_anew(executor, roofs, err);
    executor_free(executor);
    return st;
}

/* Keep the lower load: roofs measured on a quieter machine are included in the result. */
enum status roof_measure_raise(struct executor *executor, struct roofs *roofs, struct error *err)
{
    double busy_cores = is_known(roofs) ? roofs->busy_cores : (double)INFINITY;
    enum status st = measure_and_keep(executor, roofs, err);

    roofs->busy_cores = fmin(roofs->busy_cores, busy_cores);
    return st;
}

/* Disturbed roofs are due when the machine's load of the last minute has halved. */
bool roof_measure_is_due(const struct roofs *roofs)
{
    bool is_disturbed = roofs->busy_cores >= ROOFS_DISTURBED_CORES;
    double load = 0;

    return !is_known(roofs) ||
           (is_disturbed && getloadavg(&load, 1) == 1 && load < roofs->busy_cores / 2);
}
