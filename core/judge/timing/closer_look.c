#include "core/judge/timing/closer_look.h"

#include <math.h>

#include "core/base/format.h"
#include "core/judge/oracle/fill.h"
#include "core/judge/stats/stats.h"
#include "core/system/clock.h"

enum { MOST_PAIRS = 24, LEAST_PAIRS = 8, ROUND_US = 20000, LEAST_ROUNDS = 2, MAX_ROUNDS = 6 };
_Static_assert(MAX_ROUNDS *MOST_PAIRS == CLOSER_LOOK_MAX_RUNS, "the runs of all rounds");

/* Clocks that disagree are compared again, because another program may have used the device. */
enum { MOST_LOOKS = 3 };

/* The share of the time for timing that further rounds may take. */
static const double round_share = 0.15;

/* The judge's own measurements of runs, with or without launches. */
struct watch {
    struct closer_look_run runs[CLOSER_LOOK_MAX_RUNS];
    double cpu_us; /* CPU time of the executor, sum of all runs */
    size_t count;
};

struct watches {
    struct watch with, without;
};

static enum status run(struct evaluation *e, bool without_launches, uint64_t seed,
                       struct watch *watch, struct error *err)
{
    const struct executor_run wanted = {.slot = e->slot,
                                        .input_seed = seed,
                                        .poison = poison_draw(fill_secret_seed()),
                                        .without_launches = without_launches};
    struct executor_times times = {0};
    double cpu_us = executor_cpu_us(e->executor);
    int64_t began_us = clock_now_us();
    enum status st = executor_run(e->executor, &wanted, &times, err);

    watch->runs[watch->count++] =
        (struct closer_look_run){(double)(clock_now_us() - began_us), times.span_us};
    watch->cpu_us += executor_cpu_us(e->executor) - cpu_us;
    return st;
}

/* Verify the run that has just ended, on data from `seed`. */
static enum status verify(struct evaluation *e, const struct inspection *inspection, uint64_t seed,
                          struct error *err)
{
    struct sampled_run sampled = {0};
    enum status st = inspect_collect(inspection, err);

    if (st || !inspect_surroundings(inspection, e->verdict))
        return st;
    sampled_run_copy(&sampled, inspection, seed);
    st = evaluation_check_sampled_run(e, inspection, &sampled, err);
    sampled_run_release(&sampled);
    return st;
}

/* As many pairs of runs as take ROUND_US, within limits. */
static size_t count_pairs(const struct closer_look *look)
{
    double pairs = ROUND_US / (2 * look->time->median_us + 1);

    return pairs < LEAST_PAIRS ? LEAST_PAIRS : pairs > MOST_PAIRS ? MOST_PAIRS : (size_t)pairs;
}

static enum status take_round(struct evaluation *e, const struct closer_look *look,
                              struct watches *watches, struct error *err)
{
    size_t pairs = count_pairs(look), chosen = fill_secret_seed() % pairs;
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < pairs && e->verdict->outcome == OUTCOME_NONE; i++) {
        uint64_t seed = fill_secret_seed();

        st = run(e, true, fill_secret_seed(), &watches->without, err);
        if (!st)
            st = run(e, false, seed, &watches->with, err);
        if (!st && i == chosen)
            st = verify(e, look->inspection, seed, err);
    }
    return st;
}

/* How much longer than reported runs may take: device and judge use different clocks. */
static const double slack = 1.5;

/* The share of the runs does not exceed this time beyond the reported one. */
static double quantile_us(const struct closer_look_run *runs, size_t count, double share)
{
    double beyond_us[CLOSER_LOOK_MAX_RUNS];

    for (size_t i = 0; i < count; i++)
        beyond_us[i] = runs[i].wall_us - slack * runs[i].reported_us;
    (void)stats_median(beyond_us, count); /* sorts */
    return stats_quantile(beyond_us, count, share);
}

double closer_look_beyond_us(const struct closer_look_run *with,
                             const struct closer_look_run *without, size_t count)
{
    return quantile_us(with, count, 0.25) - quantile_us(without, count, 0.5);
}

/*
 * The shortest time that the launches of a run can have taken, by the judge's own measurements. On
 * a CPU it is computed from the CPU time of the cores, because other programs may have delayed the
 * run. Making data takes longer after a kernel has displaced the cached data; that addition is not
 * counted. On a GPU another program may delay runs for as long as it works there, and the device
 * then reports longer times, too. So each run is held against its own report, and the lower
 * quartile counts; a run in which both agree is counted with the time that was reported before.
 */
static double least_us(const struct evaluation *e, const struct closer_look *look,
                       const struct watches *watches)
{
    double runs = (double)watches->with.count;

    if (e->device->is_cpu)
        return (watches->with.cpu_us - 1.5 * watches->without.cpu_us) / runs /
               (double)e->device->compute_units;
    return slack * look->time->median_us +
           closer_look_beyond_us(watches->with.runs, watches->without.runs, watches->with.count);
}

/*
 * The longest time that the launches may take by the judge's clock: 1.5 times what the device
 * reports, plus 150 us and 50 us for each launch.
 */
static double allowed_us(const struct evaluation *e, const struct closer_look *look)
{
    return slack * look->time->median_us + 150 + 50 * (double)e->dispatch.launches.count;
}

static void conclude_clocks(struct evaluation *e, const struct closer_look *look, double took_us)
{
    char reported[FORMAT_SIZE], took[FORMAT_SIZE];

    verdict_conclude(e->verdict, OUTCOME_SUSPECT,
                     "the device reports %s for a run, which is less than the graph's bound, "
                     "but by the judge's clock it takes at least %s",
                     format_time(reported, look->time->median_us), format_time(took, took_us));
}

/* As many rounds as fit into a share of the time for timing, but at least LEAST_ROUNDS. */
static size_t count_rounds(const struct evaluation *e, const struct closer_look *look)
{
    double round_us = expectations_cost_us(e->expectations) +
                      2 * (double)count_pairs(look) * look->time->median_us;
    double rounds = round_share * (double)evaluation_timing_us(e) / (round_us + 1);

    return rounds < LEAST_ROUNDS ? LEAST_ROUNDS : rounds > MAX_ROUNDS ? MAX_ROUNDS : (size_t)rounds;
}

/* Take all rounds once; `*took_us` receives the time of the launches by the judge's clock. */
static enum status look_once(struct evaluation *e, const struct closer_look *look, double *took_us,
                             struct error *err)
{
    struct watches watches = {.with = {.count = 0}};
    size_t rounds = count_rounds(e, look);
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < rounds && e->verdict->outcome == OUTCOME_NONE; i++) {
        evaluation_report(e, "looking closer", i, rounds);
        st = take_round(e, look, &watches, err);
    }
    if (!st && e->verdict->outcome == OUTCOME_NONE)
        *took_us = least_us(e, look, &watches);
    return st;
}

enum status closer_look_take(struct evaluation *e, const struct closer_look *look,
                             struct error *err)
{
    double took_us = (double)INFINITY, allowed = allowed_us(e, look);
    enum status st = STATUS_OK;

    for (int i = 0; i < MOST_LOOKS && !st && e->verdict->outcome == OUTCOME_NONE; i++) {
        st = look_once(e, look, &took_us, err);
        if (took_us <= allowed)
            return st;
    }
    if (!st && e->verdict->outcome == OUTCOME_NONE)
        conclude_clocks(e, look, took_us);
    return st;
}
