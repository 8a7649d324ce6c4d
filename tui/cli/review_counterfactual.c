#include "tui/cli/review_counterfactual.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/format.h"
#include "core/base/vec.h"
#include "core/session/recorded/counterfactual.h"
#include "core/session/recorded/duel.h"
#include "core/session/recorded/fork.h"
#include "core/suite/statistics/student.h"
#include "tui/cli/session_run.h"
#include "tui/cli/text/report_table.h"

/* The result of comparing the session with a fork. */
enum forked_result {
    FORKED_TIMED, /* `ratio` has the result; 0: it could not be timed */
    FORKED_SAME,  /* both have the same kernel */
    FORKED_FORK_HAS_NONE,
    FORKED_SESSION_HAS_NONE,
    FORKED_NEITHER,
};

static const char *const forked_names[] = {
    [FORKED_TIMED] = "timed",
    [FORKED_SAME] = "the same kernel",
    [FORKED_FORK_HAS_NONE] = "the fork kept nothing",
    [FORKED_SESSION_HAS_NONE] = "the session kept nothing",
    [FORKED_NEITHER] = "neither kept anything",
};

struct forked {
    char fork[CATALOG_ID_SIZE];
    enum forked_result result;
    struct ratio ratio; /* speed of the session's best kernel over the fork's */
};

/* A decision with its forks. */
struct measured {
    const struct counterfactual *decision;
    struct forked *forks;
    size_t count;
};

struct work {
    const struct counterfactual_options *options;
    struct recording session;
    struct counterfactual_list decisions;
    struct duel *duel; /* NULL until two kernels are timed */
    struct measured *measured;
    size_t count;
};

static unsigned repeats_of(const struct work *work)
{
    return work->options->repeats ? work->options->repeats : 1;
}

/* Make a fork that waits at the step, with the policy auto. */
static enum status make_fork(const struct work *work, const struct counterfactual *decision,
                             char id[CATALOG_ID_SIZE], struct error *err)
{
    struct fork_options options;
    enum status st = fork_read_options(&work->session, &options, err);

    if (st)
        return st;
    options.limits = decision->limits;
    gate_preset("auto", &options.gate);
    return fork_session(&work->session, decision->step->number, &options, id, err);
}

/* Run the fork to its end: a rule accepts what the agent proposed, the policy decides the rest. */
static enum exit_code run_fork(const struct work *work, const struct counterfactual *decision,
                               const char *id)
{
    struct rule rule = {.step = decision->step->number, .decision = DECISION_ACCEPTED};
    struct rules rules = {.items = &rule, .count = 1};
    struct run_options run = {.driver = {.agent = "builtin",
                                         .resume = id,
                                         .evaluator = work->options->worker,
                                         .rules = &rules},
                              .is_quiet = true};

    return session_run(&run);
}

static const struct attempt *best_of(const struct recording *recording)
{
    return session_attempt(&recording->session, recording->session.now.best);
}

static enum status compare(struct work *work, const struct recording *fork, struct forked *forked,
                           struct error *err)
{
    const struct attempt *own = best_of(&work->session), *other = best_of(fork);
    enum status st = STATUS_OK;

    if (!own || !other) {
        forked->result = own     ? FORKED_FORK_HAS_NONE
                         : other ? FORKED_SESSION_HAS_NONE
                                 : FORKED_NEITHER;
        return STATUS_OK;
    }
    if (strcmp(own->candidate, other->candidate) == 0) {
        forked->result = FORKED_SAME;
        forked->ratio = (struct ratio){1, 1, 1};
        return STATUS_OK;
    }
    if (!work->duel)
        st = duel_open(&work->session, &work->options->worker, &work->duel, err);
    return st ? st : duel_compare(work->duel, &work->session, fork, &forked->ratio, err);
}

static void print_fork(const struct work *work, const struct counterfactual *decision,
                       const struct forked *forked)
{
    char value[FORMAT_SIZE];

    if (work->options->as_json)
        return;
    command_print("step %u as proposed: session %s: %s\n", decision->step->number, forked->fork,
                  forked->result != FORKED_TIMED ? forked_names[forked->result]
                  : forked->ratio.value > 0      ? format_speedup(value, forked->ratio.value)
                                                 : "not timed");
    fflush(stdout);
}

static enum exit_code try_once(struct work *work, const struct counterfactual *decision,
                               struct forked *forked)
{
    struct recording fork = {0};
    struct error err;
    enum exit_code code = EXIT_CODE_IMPROVED;
    enum status st = make_fork(work, decision, forked->fork, &err);

    if (!st)
        code = run_fork(work, decision, forked->fork);
    if (code == EXIT_CODE_INTERRUPTED || code == EXIT_CODE_UNAVAILABLE || code == EXIT_CODE_USAGE)
        return code;
    if (!st)
        st = recording_open(forked->fork, &fork, &err);
    if (!st)
        st = compare(work, &fork, forked, &err);
    recording_release(&fork);
    if (st)
        return command_fail(&err);
    print_fork(work, decision, forked);
    return EXIT_CODE_IMPROVED;
}

static enum exit_code try_decision(struct work *work, const struct counterfactual *decision)
{
    struct measured *measured = &work->measured[work->count++];
    enum exit_code code = EXIT_CODE_IMPROVED;

    measured->decision = decision;
    measured->forks = mem_alloc_zeroed(repeats_of(work), sizeof(*measured->forks));
    for (unsigned i = 0; !code && decision->is_comparable && i < repeats_of(work); i++) {
        code = try_once(work, decision, &measured->forks[i]);
        measured->count += !code;
    }
    return code;
}

/*
 * The mean over the forks that were timed. For one fork the interval is the measurement's, for
 * several it is Student's.
 */
static struct ratio worth_of(const struct measured *measured, size_t *timed)
{
    double *ratios = mem_alloc_zeroed(measured->count + 1, sizeof(*ratios));
    struct ratio worth = {0};

    *timed = 0;
    for (size_t i = 0; i < measured->count; i++) {
        if (measured->forks[i].ratio.value <= 0)
            continue;
        worth = measured->forks[i].ratio;
        ratios[(*timed)++] = worth.value;
    }
    if (*timed > 1)
        worth = student_mean(ratios, *timed);
    free(ratios);
    return worth;
}

static const char *finding_of(const struct measured *measured, const struct ratio *worth)
{
    if (!measured->decision->is_comparable)
        return "no attempt followed: nothing to compare";
    if (measured->count == 0)
        return "not run";
    if (worth->value <= 0)
        return measured->forks[0].result ? forked_names[measured->forks[0].result] : "not timed";
    if (worth->low >= 1 && worth->high <= 1)
        return forked_names[FORKED_SAME];
    if (worth->low > 1)
        return "the decision gained";
    if (worth->low > 0 && worth->high < 1)
        return "the proposal was better";
    return "no difference is certain";
}

static void add_row(const struct measured *measured, struct report_table *table)
{
    const struct step *step = measured->decision->step;
    char value[FORMAT_SIZE], interval[FORMAT_SIZE];
    size_t timed;
    struct ratio worth = worth_of(measured, &timed);

    report_table_add(table, "%u", step->number);
    report_table_add(table, "%s", step_kind_name(step->kind));
    report_table_add(table, "%s", decision_name(step->decision));
    report_table_add(table, "%u", measured->decision->followed);
    report_table_add(table, "%zu of %zu", timed, measured->count);
    if (worth.value <= 0)
        report_table_add(table, "-");
    else if (worth.low > 0 && isfinite(worth.high))
        report_table_add(table, "%s %s", format_speedup(value, worth.value),
                         format_interval(interval, worth.low, worth.high));
    else
        report_table_add(table, "%s, interval unknown", format_speedup(value, worth.value));
    report_table_add(table, "%s", finding_of(measured, &worth));
    report_table_add(table, "%s", step->title);
}

static void print_text(const struct work *work)
{
    struct report_table table = {0};
    struct strbuf out = {0};

    report_table_begin(&table,
                       "step|kind|decision|attempts after it|compared|worth|finding|proposal");
    for (size_t i = 0; i < work->count; i++)
        add_row(&work->measured[i], &table);
    report_table_print(&table, false, &out);
    command_print(
        "\n%s\nWorth is the speed of the session's best kernel over the speed of the fork's, "
        "timed in turn, with the\n95 %% interval of %s.\n"
        "A fork accepts the proposal and continues by policy, with as many attempts as the "
        "session made\nafter the step.  The session's side includes the engineer's later "
        "decisions.\n",
        strbuf_cstr(&out),
        repeats_of(work) > 1 ? "Student's t over the forks"
                             : "the measurement (--repeats N varies the forks)");
    strbuf_release(&out);
}

static struct json *encode_fork(const struct forked *forked)
{
    struct json *object = json_object_new();

    json_put_string(object, "fork", forked->fork);
    json_put_string(object, "result", forked_names[forked->result]);
    if (forked->ratio.value > 0)
        json_put_number(object, "ratio", forked->ratio.value);
    return object;
}

static void print_json(const struct work *work)
{
    for (size_t i = 0; i < work->count; i++) {
        const struct measured *measured = &work->measured[i];
        const struct step *step = measured->decision->step;
        struct json *object = json_object_new(), *forks, *worth_at;
        size_t timed;
        struct ratio worth = worth_of(measured, &timed);

        json_put_string(object, "session", work->session.session.id);
        json_put_number(object, "step", step->number);
        json_put_string(object, "kind", step_kind_name(step->kind));
        json_put_string(object, "decision", decision_name(step->decision));
        json_put_string(object, "reason", step->reason);
        json_put_number(object, "attempts_after", measured->decision->followed);
        json_put_string(object, "finding", finding_of(measured, &worth));
        forks = json_put(object, "forks", json_array_new());
        for (size_t j = 0; j < measured->count; j++)
            json_push(forks, encode_fork(&measured->forks[j]));
        if (worth.value > 0) {
            worth_at = json_put(object, "worth", json_object_new());
            json_put_number(worth_at, "value", worth.value);
            if (worth.low > 0 && isfinite(worth.high)) {
                json_put_number(worth_at, "low", worth.low);
                json_put_number(worth_at, "high", worth.high);
            }
        }
        command_print_json(object);
        json_free(object);
    }
}

static enum exit_code run_all(struct work *work)
{
    enum exit_code code = EXIT_CODE_IMPROVED;

    if (work->decisions.count == 0 && !work->options->as_json)
        command_print("session %s has no step that the engineer edited or vetoed\n",
                      work->session.session.id);
    work->measured = mem_alloc_zeroed(work->decisions.count + 1, sizeof(*work->measured));
    for (size_t i = 0; !code && i < work->decisions.count; i++)
        code = try_decision(work, &work->decisions.items[i]);
    if (work->options->as_json)
        print_json(work);
    else if (work->count)
        print_text(work);
    return code;
}

enum exit_code review_counterfactual(const struct counterfactual_options *options)
{
    struct work work = {.options = options};
    struct error err;
    enum exit_code code;

    signal(SIGPIPE, SIG_IGN); /* writing to a dead worker is an error, not a signal */
    if (recording_open(options->session, &work.session, &err) ||
        counterfactual_find(&work.session, &work.decisions, &err))
        code = command_fail(&err);
    else
        code = run_all(&work);
    for (size_t i = 0; i < work.count; i++)
        free(work.measured[i].forks);
    free(work.measured);
    duel_close(work.duel);
    counterfactual_release(&work.decisions);
    recording_release(&work.session);
    return code;
}
