#include "tui/panels/candidate_measures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/vec.h"

/*
 * The maximum over the kernels of a candidate for which the value is known; NaN if there is none.
 */
static double most(const struct verdict *verdict,
                   double (*of)(const struct kernel_resources *resources))
{
    double value = (double)NAN;

    for (size_t i = 0; i < verdict->resources.count; i++)
        value = fmax(value, of(&verdict->resources.items[i]));
    return value;
}

static double kernel_registers(const struct kernel_resources *resources)
{
    return resources->has_registers ? (double)resources->registers : (double)NAN;
}

static double kernel_spills(const struct kernel_resources *resources)
{
    return resources->has_spills ? (double)resources->spill_bytes : (double)NAN;
}

static double kernel_local(const struct kernel_resources *resources)
{
    return resources->has_local ? (double)resources->local_bytes : (double)NAN;
}

static double kernel_private(const struct kernel_resources *resources)
{
    return resources->has_private ? (double)resources->private_bytes : (double)NAN;
}

static double registers_of(const struct verdict *verdict)
{
    return most(verdict, kernel_registers);
}

static double spills_of(const struct verdict *verdict)
{
    return most(verdict, kernel_spills);
}

static double local_of(const struct verdict *verdict)
{
    return most(verdict, kernel_local);
}

static double private_of(const struct verdict *verdict)
{
    return most(verdict, kernel_private);
}

static double error_of(const struct verdict *verdict)
{
    double worst = (double)NAN;

    for (size_t i = 0; i < verdict->trials.count; i++)
        worst = fmax(worst, verdict->trials.items[i].worst_over_tolerance);
    return worst;
}

static double build_us_of(const struct verdict *verdict)
{
    return verdict->build.is_present ? verdict->build.ms * 1e3 : (double)NAN;
}

static const char *format_number(char text[FORMAT_SIZE], double value)
{
    snprintf(text, FORMAT_SIZE, "%.3g", value);
    return text;
}

static const char *format_percent(char text[FORMAT_SIZE], double value)
{
    snprintf(text, FORMAT_SIZE, "%.0f%%", value);
    return text;
}

/* clang-format off */
const struct candidate_measure candidate_measures[CANDIDATE_MEASURES] = {
    {"registers", "regs",    "registers", NULL, registers_of, format_number, -1},
    {"spills",    "spills",  "spilled bytes", NULL, spills_of,    format_bytes,  -1},
    {"local",     "local",   "local memory", NULL, local_of,     format_bytes,  0},
    {"private",   "private", "private memory", NULL, private_of,   format_bytes,  -1},
    {"error",     "err/tol", "error / tolerance", NULL, error_of,     format_number, -1},
    {"build",     "build",   "build", NULL, build_us_of,  format_time,   -1},
    {"occupancy", "occup.",  "occupancy", "occupancy_percent", NULL, format_percent, 1},
    {"dram",      "dram",    "DRAM", "dram_percent",      NULL, format_percent, 1},
    {"l2",        "l2",      "L2 cache", "l2_percent",        NULL, format_percent, 0},
    {"l1",        "l1",      "L1 cache", "l1_percent",        NULL, format_percent, 0},
    {"fma",       "fma",     "FMA pipe", "fma_percent",       NULL, format_percent, 1},
    {"tensor",    "tensor",  "tensor cores", "tensor_percent",    NULL, format_percent, 1},
};
/* clang-format on */

static const struct kernel_profile *hottest(const struct profile *profile)
{
    const struct kernel_profile *hottest = NULL;

    for (size_t i = 0; i < profile->kernels.count; i++)
        if (!hottest || profile->kernels.items[i].share > hottest->share)
            hottest = &profile->kernels.items[i];
    return hottest;
}

double candidate_measure_of(size_t measure, const struct verdict *verdict)
{
    const struct candidate_measure *row = &candidate_measures[measure];
    const struct kernel_profile *kernel;
    const struct profile_metric *metric;

    if (!row->counter)
        return row->of(verdict);
    kernel = hottest(&verdict->profile);
    metric = kernel ? profile_find_metric(kernel, row->counter) : NULL;
    return metric ? metric->value : (double)NAN;
}

void candidate_measures_fit(struct candidate_measure_cache *cache, const struct session *session)
{
    while (cache->count < session->attempts.count)
        vec_push(cache, (struct candidate_measured){0});
}

bool candidate_measures_are_missing(const struct candidate_measure_cache *cache,
                                    const struct session *session, size_t index)
{
    const char *id = session->attempts.items[index].verdict;

    return id[0] && strcmp(cache->items[index].verdict_id, id) != 0;
}

void candidate_measures_read(struct candidate_measure_cache *cache,
                             const struct view_model *view_model, size_t index)
{
    struct candidate_measured *measured = &cache->items[index];
    struct verdict verdict = {0};

    snprintf(measured->verdict_id, sizeof(measured->verdict_id), "%s",
             view_model->session->attempts.items[index].verdict);
    if (view_model_read_verdict(view_model, measured->verdict_id, &verdict, NULL))
        verdict = (struct verdict){0};
    for (size_t i = 0; i < CANDIDATE_MEASURES; i++)
        measured->values[i] = candidate_measure_of(i, &verdict);
    verdict_release(&verdict);
}

double candidate_measures_value(const struct candidate_measure_cache *cache, size_t index,
                                size_t measure)
{
    return index < cache->count && cache->items[index].verdict_id[0]
               ? cache->items[index].values[measure]
               : (double)NAN;
}

void candidate_measures_release(struct candidate_measure_cache *cache)
{
    vec_release(cache);
}
