#include "core/judge/batches/timing_repeats.h"

#include <math.h>

#include "core/judge/oracle/fill.h"
#include "core/system/clock.h"

/* The time of the repeated runs is drawn below twice these runs, within limits. */
enum { RUNS = 6, LEAST_US = 6000, MOST_US = 30000 };

/* Programs whose runs take longer use each line of the caches many times, or need other memory. */
enum { LONG_US = 20000 };

/* Timings that may take less are to be quick, not certain. */
enum { LEAST_BUDGET_US = 100000 };

bool timing_repeats_are_due(bool is_disturbed, int64_t budget_us)
{
    return is_disturbed && budget_us >= LEAST_BUDGET_US;
}

static void add(struct timing_repeats *repeats, const struct repeat_times *times)
{
    for (size_t i = 0; i < times->count && repeats->count < TIMING_REPEATS_MAX; i++) {
        const struct repeat_time *time = &times->items[i];

        repeats->sum_us += time->span_us;
        repeats->has_zero |= time->span_us <= 0;
        repeats->times[repeats->count++] = (struct run_time){time->span_us, time->work};
    }
}

enum status timing_repeats_take(struct executor *executor, unsigned slot, double run_us,
                                struct timing_repeats *repeats, struct error *err)
{
    double mean_us = fmin(fmax(RUNS * run_us, LEAST_US), MOST_US);
    const struct executor_repeat repeat = {
        .slot = slot,
        .poison = fill_secret_seed() % 2 ? POISON_NAN : POISON_LARGE,
        .for_us = (int64_t)(fill_secret_seed() % (uint64_t)(2 * mean_us)),
    };
    int64_t began_us = clock_now_us();
    struct repeat_times times = {0};
    enum status st;

    if (run_us > LONG_US)
        return STATUS_OK;
    st = executor_repeat_run(executor, &repeat, &times, err);
    repeats->wall_us += (double)(clock_now_us() - began_us);
    if (!st)
        add(repeats, &times);
    return st;
}
