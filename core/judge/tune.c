#include "core/judge/tune.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "core/base/vec.h"
#include "core/judge/executor/program_compiler.h"
#include "core/judge/oracle/fill.h"
#include "core/judge/stats/stats.h"
#include "core/judge/trials.h"
#include "core/system/clock.h"

enum { TUNE_RUNS = 5 };

/*
 * Multiples of the golden section leave no large gap at any time (Knuth, The Art of Computer
 * Programming 3, section 6.4). A step without a divisor in common with `count` reaches every
 * choice.
 */
size_t tune_choice(size_t count, size_t turn)
{
    size_t step = (size_t)((double)count * 0.6180339887498949);

    while (number_gcd((int64_t)step, (int64_t)count) != 1)
        step++;
    return turn * step % count;
}

/* Store the median of a few runs of the loaded choice. */
static enum status time_choice(struct evaluation *e, struct tuned_choice *choice, struct error *err)
{
    double spans_us[TUNE_RUNS];
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < TUNE_RUNS; i++) {
        const struct executor_run run = {.slot = e->slot, .input_seed = fill_secret_seed()};
        struct executor_times times = {0};

        st = executor_run(e->executor, &run, &times, err);
        spans_us[i] = times.span_us;
    }
    if (!st) {
        choice->median_us = stats_median(spans_us, TUNE_RUNS).median_us;
        choice->has_time = true;
    }
    return evaluation_absorb(e, st, err);
}

/* Run the current choice in one trial and time it. The verdict is that of the evaluation. */
static enum status run_choice(struct evaluation *e, struct tuned_choice *choice, struct error *err)
{
    const struct verdict *verdict = e->verdict;
    struct executor_times times = {0};
    struct inspection in;
    enum status st = evaluation_load(e, EXPECTATIONS_MAIN, err);

    if (!st && verdict->outcome == OUTCOME_NONE)
        st = evaluation_inspection(e, EXPECTATIONS_MAIN, 0, &in, err);
    if (!st && verdict->outcome == OUTCOME_NONE)
        st = evaluation_run_trial(e, &in, &times, err);
    if (!st && verdict->outcome == OUTCOME_NONE)
        st = time_choice(e, choice, err);
    return st;
}

/* Try a choice with a verdict of its own, so that a wrong choice is only passed over. */
static enum status try_choice(struct evaluation *e, struct tuned_choice *choice, struct error *err)
{
    struct verdict *real = e->verdict;
    struct verdict own = {0};
    enum status st;

    e->verdict = &own;
    executor_announce(e->executor); /* an earlier choice may have damaged the process */
    st = run_choice(e, choice, err);
    if (!st && own.outcome == OUTCOME_CRASHED && evaluation_may_be_innocent(e)) {
        verdict_release(&own);
        st = run_choice(e, choice, err);
    }
    e->verdict = real;
    choice->outcome = own.outcome == OUTCOME_NONE ? OUTCOME_CORRECT : own.outcome;
    verdict_release(&own);
    return st;
}

static bool is_faster(const struct tuned_choice *a, const struct tuned_choice *b)
{
    return a->has_time && (!b->has_time || a->median_us < b->median_us);
}

/* For qsort(): the fastest first. */
static int compare_choices(const void *a, const void *b)
{
    return is_faster(b, a) - is_faster(a, b);
}

static bool is_likely(const struct evaluation *e, size_t choice)
{
    char *values = plan_describe_choice(&e->plan, choice);
    bool is = e->likely && strcmp(values, e->likely) == 0;

    free(values);
    return is;
}

/* Announce what the trials of the likely choice will build, or of the other ones. */
static bool foresee_trials(const struct evaluation *e, bool likely, size_t most)
{
    size_t choices = plan_choices(&e->plan);
    bool has_room = true;

    for (size_t turn = 0; has_room && turn < most; turn++)
        if (is_likely(e, tune_choice(choices, turn)) == likely)
            has_room = trials_foresee(e, tune_choice(choices, turn));
    return has_room;
}

/*
 * Announce the choices to a compiler outside of the executor, then what their trials will build,
 * those of the likely choice first.
 */
static void foresee(const struct evaluation *e, size_t choices, size_t most)
{
    struct program_compiler *compiler = evaluation_compiler(e);
    bool has_room = compiler;

    for (size_t turn = 0; has_room && turn < most; turn++) {
        struct dispatch dispatch = {0};

        if (evaluation_dispatch(e, tune_choice(choices, turn), EXPECTATIONS_MAIN, &dispatch))
            has_room = program_compiler_foresee(compiler, &dispatch);
        dispatch_release(&dispatch);
    }
    if (has_room && foresee_trials(e, true, most))
        (void)foresee_trials(e, false, most);
}

/*
 * Try choices until a limit is reached. `*best` receives the number of the fastest choice; it is
 * not changed if none is correct.
 */
static enum status search(struct evaluation *e, struct tuning *tuning, size_t *best,
                          struct error *err)
{
    const struct tune_limits *limits = &e->options->tune;
    size_t most = tuning->choices < limits->choices ? tuning->choices : limits->choices;
    int64_t end_us = clock_now_us() + limits->budget_us;
    struct tuned_choice fastest = {0};
    enum status st = STATUS_OK;

    foresee(e, tuning->choices, most);
    for (size_t turn = 0; !st && (turn == 0 || (turn < most && clock_now_us() < end_us)); turn++) {
        struct tuned_choice choice = {0};

        evaluation_report(e, "tuning", turn, most);
        e->choice = tune_choice(tuning->choices, turn);
        choice.values = plan_describe_choice(&e->plan, e->choice);
        st = try_choice(e, &choice, err);
        if (is_faster(&choice, &fastest)) {
            *best = e->choice;
            fastest = choice;
        }
        vec_push(&tuning->tried, choice);
    }
    return st;
}

enum status tune_candidate(struct evaluation *e, struct error *err)
{
    struct tuning *tuning = &e->verdict->tuning;
    size_t best = 0;
    enum status st;

    if (plan_choices(&e->plan) < 2)
        return STATUS_OK;
    tuning->is_present = true;
    tuning->choices = plan_choices(&e->plan);
    st = search(e, tuning, &best, err);
    qsort(tuning->tried.items, tuning->tried.count, sizeof(*tuning->tried.items), compare_choices);
    e->choice = best;
    tuning->chosen = plan_describe_choice(&e->plan, best);
    return st;
}
