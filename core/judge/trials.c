#include "core/judge/trials.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/base/strbuf.h"
#include "core/judge/executor/program_compiler.h"
#include "core/judge/oracle/variation.h"

enum { MOST_REBUILT = 2 }; /* the most brief cases for which a program is compiled */

static bool is_open(const struct evaluation *e)
{
    return e->verdict->outcome == OUTCOME_NONE;
}

/*
 * Run once more on the same data, with other poison and without preparing again. If the outputs are
 * wrong this time, the candidate has a race or depends on the previous run: it is nondeterministic.
 * If they are right but differ in bits, that is a hazard.
 */
static enum status run_again(struct evaluation *e, const struct inspection *in, struct error *err)
{
    const struct executor_run run = {
        .slot = e->slot, .input_seed = in->input_seed, .poison = POISON_LARGE};
    struct inspection again = *in;
    struct executor_times times = {0};
    enum status st;

    again.side = !in->side;
    again.is_again = true;
    st = evaluation_run(e, &again, &run, &times, err);
    if (st || !is_open(e) || !inspect_surroundings(&again, e->verdict))
        return st;
    st = inspect_repetition(&again, in->side, e->verdict, err);
    if (!is_open(e))
        e->verdict->outcome = OUTCOME_NONDETERMINISTIC;
    return st;
}

/* Run a trial; the first one of a case without a variation runs twice. */
static enum status run_trial(struct evaluation *e, const struct inspection *in, bool *runs_again,
                             struct executor_times *times, struct error *err)
{
    enum status st = evaluation_run_trial(e, in, times, err);

    if (st || !is_open(e) || !*runs_again || variation_of(in->input_seed))
        return st;
    *runs_again = false;
    return run_again(e, in, err);
}

/* Open the verdict again after a wrong trial, and keep the first fault. */
static void reopen(struct evaluation *e)
{
    if (e->verdict->outcome != OUTCOME_WRONG_VALUES)
        return;
    if (!e->fault)
        e->fault = mem_strdup(e->verdict->detail);
    e->verdict->outcome = OUTCOME_NONE;
}

static void conclude_fault(struct evaluation *e)
{
    if (e->fault && is_open(e))
        verdict_conclude(e->verdict, OUTCOME_WRONG_VALUES, "%s", e->fault);
}

/*
 * The poison for a trial. Brief cases, which run once, have each kind in turn. In others the first
 * trial has NaN, because its second run has large numbers; after it come usual numbers.
 */
static enum poison_kind poison_for(size_t index, unsigned trial, bool is_brief)
{
    static const enum poison_kind in_turn[] = {POISON_NAN, POISON_USUAL};

    return is_brief ? (enum poison_kind)(index % POISON_COUNT) : in_turn[trial % COUNT(in_turn)];
}

/* Run the trials of the case that is loaded. */
static enum status run_trials(struct evaluation *e, size_t index, struct error *err)
{
    struct timing *timing = &e->verdict->timing;
    unsigned count = expectations_trials(e->expectations, index);
    struct executor_times times = {0};
    bool is_brief = expectations_case_is_brief(e->expectations, index), runs_again = !is_brief;
    enum status st = STATUS_OK;

    for (unsigned t = 0; !st && t < count && is_open(e); t++) {
        struct inspection in;

        evaluation_report(e, "verifying", t, count);
        st = evaluation_inspection(e, index, t, &in, err);
        in.poison = poison_for(index, t, is_brief);
        if (!st && !in.expected->is_unfair)
            st = run_trial(e, &in, &runs_again, &times, err);
        if (!st && e->options->makes_all_trials)
            reopen(e);
    }
    timing->has_prepare = e->dispatch.prepare.count > 0;
    timing->prepare_us = times.prepare_us;
    return st;
}

/*
 * Load a case. A brief case that needs a compilation of its own is skipped, except for the first
 * few. `*is_loaded` is false if the case was skipped.
 */
static enum status load(struct evaluation *e, size_t index, bool *is_loaded, struct error *err)
{
    bool is_brief = expectations_case_is_brief(e->expectations, index);
    enum status st;

    if (is_brief) {
        evaluation_resolve(e, index);
        *is_loaded = is_open(e) && (dispatch_has_program(&e->dispatch, e->program) ||
                                    e->rebuilt++ < MOST_REBUILT);
        if (!*is_loaded)
            return STATUS_OK;
    }
    st = evaluation_load(e, index, err);
    *is_loaded = !st && is_open(e);
    return st;
}

/*
 * A plan that is refused at larger dimensions says so itself, unlike one that is wrong there: it
 * may be meant for the main ones.
 */
static void allow_refusal(struct evaluation *e, size_t index)
{
    struct verdict *verdict = e->verdict;
    const struct expectations_case *shape = expectations_case(e->expectations, index);
    bool is_refused =
        verdict->outcome == OUTCOME_BAD_PLAN || verdict->outcome == OUTCOME_LAUNCH_FAILED;
    struct strbuf evidence = {0};

    if (!is_refused || !shape->is_larger)
        return;
    strbuf_addf(&evidence, "does not run at %s, which is no error: %s", shape->text,
                verdict->detail);
    verdict_add_hazard(verdict, "not_larger", strbuf_cstr(&evidence));
    strbuf_release(&evidence);
    verdict->outcome = OUTCOME_NONE;
}

/* The main dimensions are verified last. */
static size_t first_case(const struct evaluation *e)
{
    return expectations_cases(e->expectations) - 1;
}

/* Announce the program of a case, unless load() would skip the case. */
static bool foresee_case(const struct evaluation *e, size_t choice, size_t index,
                         const char *program, unsigned *rebuilt)
{
    struct dispatch dispatch = {0};
    bool is_brief = expectations_case_is_brief(e->expectations, index), has_room = true;

    if (!evaluation_dispatch(e, choice, index, &dispatch))
        return true;
    if (!is_brief || dispatch_has_program(&dispatch, program) || (*rebuilt)++ < MOST_REBUILT)
        has_room = program_compiler_foresee(evaluation_compiler(e), &dispatch);
    dispatch_release(&dispatch);
    return has_room;
}

bool trials_foresee(const struct evaluation *e, size_t choice)
{
    struct dispatch main = {0};
    unsigned rebuilt = 0;
    bool has_room = true;
    char *program;

    if (!evaluation_compiler(e) || !evaluation_dispatch(e, choice, EXPECTATIONS_MAIN, &main))
        return true;
    program = dispatch_program(&main);
    for (size_t i = first_case(e) + 1; has_room && i-- > 0;)
        has_room = foresee_case(e, choice, i, program, &rebuilt);
    free(program);
    dispatch_release(&main);
    return has_room;
}

/* Wipe copies of another case, which lie at other places, and load this one. */
static enum status enter(struct evaluation *e, size_t index, bool *is_loaded, struct error *err)
{
    if (!expectations_are_deferred(e->expectations))
        executor_wipe(e->executor);
    return load(e, index, is_loaded, err);
}

/*
 * Resolve the plan at the main dimensions first, so that its errors name the dimensions that the
 * agent knows, and not drawn ones.
 */
enum status trials_begin(struct evaluation *e, struct error *err)
{
    evaluation_resolve(e, EXPECTATIONS_MAIN);
    e->program = dispatch_program(&e->dispatch);
    e->has_begun = true;
    (void)trials_foresee(e, e->choice);
    return is_open(e) ? enter(e, first_case(e), &e->is_first_loaded, err) : STATUS_OK;
}

/* The main dimensions come last, because they stay loaded for timing. */
enum status trials_verify(struct evaluation *e, struct error *err)
{
    enum status st = e->has_begun ? STATUS_OK : trials_begin(e, err);

    for (size_t i = first_case(e) + 1; !st && i-- > 0 && is_open(e);) {
        bool is_loaded = e->is_first_loaded;

        if (i != first_case(e))
            st = enter(e, i, &is_loaded, err);
        if (!st && is_loaded)
            st = run_trials(e, i, err);
        allow_refusal(e, i);
    }
    conclude_fault(e);
    e->is_verified = !st && is_open(e);
    return st;
}
