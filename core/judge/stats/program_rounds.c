#include "core/judge/stats/program_rounds.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/judge/stats/stats.h"

enum member { WALL, TOTAL, LONGEST };

static double member_of(const struct run_time *run, enum member member)
{
    switch (member) {
    case TOTAL:
        return run->work.total_us;
    case LONGEST:
        return run->work.longest_us;
    case WALL:
    default:
        return run->us;
    }
}

static double median_of(const struct run_time *runs, size_t count, enum member member)
{
    double *values = mem_alloc_zeroed(count, sizeof(*values));
    double median;

    for (size_t i = 0; i < count; i++)
        values[i] = member_of(&runs[i], member);
    median = stats_median(values, count).median_us;
    free(values);
    return median;
}

static unsigned most_threads(const struct run_time *runs, size_t count)
{
    unsigned most = 0;

    for (size_t i = 0; i < count; i++)
        most = runs[i].work.threads > most ? runs[i].work.threads : most;
    return most;
}

static void note_share(struct program_rounds *rounds, const struct thread_work *work)
{
    double part = work->total_us > 0 ? work->longest_us / work->total_us : 0;

    if (part > 0 && (part < rounds->least_share || rounds->least_share <= 0))
        rounds->least_share = part;
}

/* The run whose members are those of the median. */
static struct run_time median_run(const struct run_time *runs, size_t count)
{
    return (struct run_time){
        .us = median_of(runs, count, WALL),
        .work = {.total_us = median_of(runs, count, TOTAL),
                 .longest_us = median_of(runs, count, LONGEST),
                 .threads = most_threads(runs, count)},
    };
}

void program_rounds_clear(struct program_rounds *rounds)
{
    rounds->count = rounds->fresh.count = rounds->repeated.count = 0;
}

static void add_runs(struct program_rounds *rounds, struct program_runs *to,
                     const struct run_time *runs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        note_share(rounds, &runs[i].work);
        to->items[to->count++ % PROGRAM_RUNS_MAX] = runs[i];
    }
}

void program_rounds_add_repeats(struct program_rounds *rounds, const struct run_time *runs,
                                size_t count)
{
    add_runs(rounds, &rounds->repeated, runs, count);
}

void program_rounds_add(struct program_rounds *rounds, size_t round, const struct run_time *runs,
                        size_t count)
{
    add_runs(rounds, &rounds->fresh, runs, count);
    if (rounds->count == PROGRAM_ROUNDS_MAX)
        return;
    rounds->items[rounds->count++] =
        (struct program_round){.round = round, .median = median_run(runs, count)};
}

/*
 * The number of threads, as the maximum over all rounds: a thread that gets no core during a run
 * leaves its share to others.
 */
static unsigned count_threads(const struct program_rounds *rounds)
{
    unsigned most = 1;

    for (size_t i = 0; i < rounds->count; i++) {
        unsigned threads = rounds->items[i].median.work.threads;

        most = threads > most ? threads : most;
    }
    return most;
}

/* The share of the work of all threads that one core has when all are free. */
static double core_part(const struct program_rounds *rounds)
{
    return rounds->core_share > 0 ? rounds->core_share
                                  : fmax(1.0 / count_threads(rounds), rounds->least_share);
}

/* The work that determines a run's time. `part` is core_part(). */
static double work_of(const struct program_rounds *rounds, const struct thread_work *work,
                      double part)
{
    return rounds->shares_work ? work->total_us * part : work->longest_us;
}

/* The time of a run that worked for `work_us`, if that is known. */
static double time_of(const struct run_time *run, double work_us)
{
    return work_us > 0 ? fmin(run->us, work_us) : run->us;
}

double program_rounds_us(const struct program_rounds *rounds, size_t index, bool is_busy)
{
    const struct run_time *run = &rounds->items[index].median;

    return is_busy ? time_of(run, work_of(rounds, &run->work, core_part(rounds))) : run->us;
}

size_t program_rounds_times(const struct program_rounds *rounds, const struct program_runs *runs,
                            enum division division, double *times)
{
    size_t count = runs->count < PROGRAM_RUNS_MAX ? runs->count : PROGRAM_RUNS_MAX;
    double part = core_part(rounds);

    for (size_t i = 0; i < count; i++) {
        const struct run_time *run = &runs->items[i];
        double longest_us = run->work.longest_us > 0 ? run->work.longest_us : run->work.total_us;

        times[i] = time_of(run, division == DIVISION_SEEN ? longest_us
                                                          : work_of(rounds, &run->work, part));
    }
    return count;
}

double program_rounds_doubt(const struct program_rounds *rounds)
{
    return rounds->shares_work && !rounds->is_even
               ? fmax(1, rounds->least_share / core_part(rounds))
               : 1;
}

/* The round of `rounds` with that number, from place `*at` on; NULL if there is none. */
static const struct program_round *find_round(const struct program_rounds *rounds, size_t round,
                                              size_t *at)
{
    while (*at < rounds->count && rounds->items[*at].round < round)
        ++*at;
    return *at < rounds->count && rounds->items[*at].round == round ? &rounds->items[*at] : NULL;
}

size_t program_rounds_pair(const struct program_rounds *own_rounds,
                           const struct program_rounds *other_rounds, bool is_busy, double *own,
                           double *other)
{
    size_t count = 0, at = 0;

    for (size_t i = 0; i < own_rounds->count; i++) {
        if (!find_round(other_rounds, own_rounds->items[i].round, &at))
            continue;
        own[count] = program_rounds_us(own_rounds, i, is_busy);
        other[count++] = program_rounds_us(other_rounds, at, is_busy);
    }
    return count;
}
