#include "core/judge/stats/program_rounds.h"

#include <math.h>

#include "core/base/mem.h"
#include "core/judge/stats/stats.h"

static const double quick_share = 0.1; /* of the runs of a round are quicker than its quick time */

/*
 * Repeated runs that find their data in the caches are quicker than those that other programs
 * disturbed, and how many these were is not known: the time is taken as the median, a quarter and
 * nearly the least of them.
 */
static const double warm_shares[REFILLS] = {0.5, 0.25, 0.1};

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

/* The value of a member of which `share` of the runs have less; 0.5 is the median. */
static double quantile_of(const struct run_time *runs, size_t count, enum member member,
                          double share)
{
    double *sorted = mem_alloc_zeroed(count, sizeof(*sorted));
    double value;

    for (size_t i = 0; i < count; i++)
        sorted[i] = member_of(&runs[i], member);
    stats_median(sorted, count); /* sorts */
    value = stats_quantile(sorted, count, share);
    free(sorted);
    return value;
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

/* The run whose members are those quantiles. */
static struct run_time quantile_run(const struct run_time *runs, size_t count, double share)
{
    return (struct run_time){
        .us = quantile_of(runs, count, WALL, share),
        .work = {.total_us = quantile_of(runs, count, TOTAL, share),
                 .longest_us = quantile_of(runs, count, LONGEST, share),
                 .threads = most_threads(runs, count)},
    };
}

void program_rounds_add(struct program_rounds *rounds, size_t round, const struct run_time *runs,
                        size_t count)
{
    for (size_t i = 0; i < count; i++)
        note_share(rounds, &runs[i].work);
    if (rounds->count == PROGRAM_ROUNDS_MAX)
        return;
    rounds->items[rounds->count++] =
        (struct program_round){.round = round,
                               .median = quantile_run(runs, count, 0.5),
                               .quick = quantile_run(runs, count, quick_share)};
}

void program_rounds_add_repeats(struct program_rounds *rounds, const struct run_time *runs,
                                size_t count)
{
    struct program_round *last = rounds->count ? &rounds->items[rounds->count - 1] : NULL;

    for (size_t i = 0; i < count; i++)
        note_share(rounds, &runs[i].work);
    if (!last || !count)
        return;
    last->has_repeats = true;
    for (unsigned part = 0; part < REFILLS; part++)
        last->repeats[part] = quantile_run(runs, count, warm_shares[part]);
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
    return rounds->core_share > 0 ? rounds->core_share : 1.0 / count_threads(rounds);
}

/* The time of a run; on a busy machine that which its work suggests. */
static double time_of(const struct program_rounds *rounds, const struct run_time *run, bool is_busy)
{
    double work_us =
        rounds->shares_work ? run->work.total_us * core_part(rounds) : run->work.longest_us;

    return is_busy && work_us > 0 ? fmin(run->us, work_us) : run->us;
}

double program_rounds_us(const struct program_rounds *rounds, size_t index, bool is_busy)
{
    return time_of(rounds, &rounds->items[index].median, is_busy);
}

double program_rounds_doubt(const struct program_rounds *rounds)
{
    return rounds->shares_work ? fmax(1, rounds->least_share / core_part(rounds)) : 1;
}

double program_rounds_slowdown(const struct program_rounds *rounds)
{
    double usual[PROGRAM_ROUNDS_MAX], quick[PROGRAM_ROUNDS_MAX];

    if (!rounds->is_disturbed)
        return 1;
    for (size_t i = 0; i < rounds->count; i++) {
        usual[i] = program_rounds_us(rounds, i, true);
        quick[i] = time_of(rounds, &rounds->items[i].quick, true);
    }
    return stats_slowdown(usual, quick, rounds->count);
}

double program_rounds_refill_us(const struct program_rounds *rounds)
{
    return rounds->is_disturbed ? rounds->refill_us * core_part(rounds) : 0;
}

/*
 * What emptied caches may still cost repeated runs: the bound without what repeating saved, the
 * median over the rounds.
 */
static double rest_us(const struct program_rounds *rounds)
{
    double saved[PROGRAM_ROUNDS_MAX];
    size_t count = 0;

    for (size_t i = 0; i < rounds->count; i++)
        if (rounds->items[i].has_repeats)
            saved[count++] = time_of(rounds, &rounds->items[i].median, true) -
                             time_of(rounds, &rounds->items[i].repeats[REFILL_HALF], true);
    return fmax(0,
                program_rounds_refill_us(rounds) - fmax(0, stats_median(saved, count).median_us));
}

/*
 * The time of a round's repeated runs. No cache saves more than two thirds of a run; a program that
 * only remembers what it has computed on the same inputs gains no more.
 */
static double repeated_us(const struct program_rounds *rounds, const struct program_round *round,
                          unsigned part)
{
    return fmax(time_of(rounds, &round->repeats[part], true),
                time_of(rounds, &round->median, true) / 3);
}

/* The round of `rounds` with that number, from place `*at` on; NULL if there is none. */
static const struct program_round *find_round(const struct program_rounds *rounds, size_t round,
                                              size_t *at)
{
    while (*at < rounds->count && rounds->items[*at].round < round)
        ++*at;
    return *at < rounds->count && rounds->items[*at].round == round ? &rounds->items[*at] : NULL;
}

size_t program_rounds_repeated(const struct program_rounds *own_rounds,
                               const struct program_rounds *other_rounds,
                               double ratios[REFILLS][PROGRAM_ROUNDS_MAX])
{
    double refill_us = rest_us(own_rounds);
    size_t count = 0, at = 0;

    for (size_t i = 0; i < own_rounds->count; i++) {
        const struct program_round *own = &own_rounds->items[i],
                                   *other = find_round(other_rounds, own->round, &at);

        if (!own->has_repeats || !other || !other->has_repeats)
            continue;
        for (unsigned part = 0; part < REFILLS; part++)
            ratios[part][count] =
                stats_refilled(repeated_us(other_rounds, other, part), refill_us, part) /
                stats_refilled(repeated_us(own_rounds, own, part), refill_us, part);
        count++;
    }
    return count < REPEATED_LEAST ? 0 : count;
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
