#include "core/judge/stats/program_rounds.h"

#include <math.h>

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
    double *sorted = mem_alloc_zeroed(count, sizeof(*sorted));
    double median;

    for (size_t i = 0; i < count; i++)
        sorted[i] = member_of(&runs[i], member);
    median = stats_median(sorted, count).median_us;
    free(sorted);
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

void program_rounds_add(struct program_rounds *rounds, size_t round, const struct run_time *runs,
                        size_t count)
{
    for (size_t i = 0; i < count; i++)
        note_share(rounds, &runs[i].work);
    if (rounds->count == PROGRAM_ROUNDS_MAX)
        return;
    rounds->items[rounds->count++] = (struct program_round){
        .round = round,
        .median = {.us = median_of(runs, count, WALL),
                   .work = {.total_us = median_of(runs, count, TOTAL),
                            .longest_us = median_of(runs, count, LONGEST),
                            .threads = most_threads(runs, count)}},
    };
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

double program_rounds_us(const struct program_rounds *rounds, size_t index, bool is_busy)
{
    const struct run_time *run = &rounds->items[index].median;
    double part = rounds->core_share > 0 ? rounds->core_share : 1.0 / count_threads(rounds);
    double work_us = rounds->shares_work ? run->work.total_us * part : run->work.longest_us;

    return is_busy && work_us > 0 ? fmin(run->us, work_us) : run->us;
}

double program_rounds_doubt(const struct program_rounds *rounds)
{
    if (!rounds->shares_work || rounds->core_share <= 0)
        return 1;
    return fmax(1, rounds->least_share / rounds->core_share);
}

size_t program_rounds_pair(const struct program_rounds *own_rounds,
                           const struct program_rounds *other_rounds, bool is_busy, double *own,
                           double *other)
{
    size_t count = 0, at = 0;

    for (size_t i = 0; i < own_rounds->count; i++) {
        while (at < other_rounds->count &&
               other_rounds->items[at].round < own_rounds->items[i].round)
            at++;
        if (at == other_rounds->count ||
            other_rounds->items[at].round != own_rounds->items[i].round)
            continue;
        own[count] = program_rounds_us(own_rounds, i, is_busy);
        other[count++] = program_rounds_us(other_rounds, at, is_busy);
    }
    return count;
}
