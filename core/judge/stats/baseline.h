#ifndef CORE_JUDGE_STATS_BASELINE_H
#define CORE_JUDGE_STATS_BASELINE_H

#include "core/base/status.h"
#include "core/judge/stats/program_rounds.h"
#include "core/judge/stats/stats.h"

/*
 * A baseline: a program that candidates are compared with. It runs between the rounds of a
 * candidate's timing, and only the ratios of its time to the candidate's in the same round count: a
 * ratio of times from different moments would depend on other load of the machine.
 *
 * A verdict must not wait for a slow baseline again and again. So a baseline is timed in several
 * rounds of the first candidate, and after that only within a small share of the time that
 * candidates take: a slow baseline in few rounds or none. The ratios of earlier candidates still
 * count: multiplied with the candidate's own time on the scale of relative_times.h, each gives the
 * baseline's time on that scale, whichever candidate it was measured with. Their median, divided by
 * the time of the current candidate, is the speedup. Only the last few times count.
 */

enum { BASELINE_SAMPLES = 24, BASELINE_ROUNDS = 8 };
enum { BASELINE_LOW, BASELINE_MIDDLE, BASELINE_HIGH, BASELINE_BOUNDS };

struct baseline {
    const char *name;
    double samples[BASELINE_SAMPLES]; /* ring buffer; in microseconds, as they were measured */
    /* the samples on the scale; those taken while other programs ran have the interval of their
       evaluation (load_ratio.h), the others one value three times */
    double relative[BASELINE_BOUNDS][BASELINE_SAMPLES];
    size_t count; /* number of samples since the scale began */
    /* number of samples taken in turn with the current candidate */
    size_t fresh;
    /* rounds of the current evaluation, which are not among the samples yet */
    struct program_rounds rounds;
    double place_us;  /* time of preparing it for an evaluation */
    double cost_us;   /* wall-clock time of taking one sample */
    double credit_us; /* time that may be spent on both */
    double first_us;  /* in the first evaluation, samples that take this long are enough; 0: 1 s */
    bool is_placed;   /* it is ready for samples of this evaluation */
    bool is_broken;   /* it does not run and is left out */
};

/* The time of the current candidate on the scale. */
struct baseline_scale {
    double time;
    double low, high; /* 95 % interval of the ratio that put it there, over the ratio itself */
    double unseen;    /* what runs of a single process do not show of a ratio, as a logarithm */
};

/* Begin an evaluation. */
void baseline_begin(struct baseline *baseline);

/* Drop the samples, because a new scale begins. */
void baseline_restart(struct baseline *baseline);

/* Grant the baseline its share of `elapsed_us`, the time that a candidate took. */
void baseline_allow(struct baseline *baseline, double elapsed_us);

/*
 * True if a sample should be taken in the next round, for which the baseline may have to be made
 * ready. The first time, several are taken.
 */
bool baseline_is_due(const struct baseline *baseline);

/* Record that the baseline is prepared, which took `place_us` in addition to the samples. */
void baseline_place(struct baseline *baseline, double place_us);

/* Store the runs of a round, one sample. Taking it cost `cost_us`. */
void baseline_add(struct baseline *baseline, size_t round, const struct run_time *runs,
                  size_t count, double cost_us);

/*
 * Turn the rounds into samples, because the candidate was found correct. `own` are the candidate's
 * rounds, and `time` is its time on the scale.
 */
void baseline_fold(struct baseline *baseline, const struct program_rounds *own, bool is_busy,
                   double time);

/* The median of the samples on the scale, with its interval. */
struct estimate baseline_relative(const struct baseline *baseline);

/*
 * Check a baseline like a candidate: STATUS_INVALID, with the reason, if a sample is not finite or
 * if the median is not above `least_us`, the shortest time that a correct program may take, or 0 if
 * that is unknown.
 */
enum status baseline_check(const struct baseline *baseline, double least_us,
                           struct error *why) MUST_CHECK;

/*
 * The candidate's speedup over a baseline with samples. The interval is that of the samples; it is
 * widened by the scale's interval if some were measured with earlier candidates, and by what is
 * unseen. The baseline's time is the speedup times the candidate's own time.
 */
struct comparison baseline_compare(const struct baseline *baseline,
                                   const struct baseline_scale *scale, const struct estimate *own);

#endif
