#include "core/suite/suite_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/vec.h"
#include "core/session/state/scale.h"
#include "core/suite/statistics/geometric.h"
#include "core/suite/statistics/success.h"
#include "core/suite/suite_session.h"
#include "core/suite/suite_verdicts.h"
#include "core/suite/task_record.h"

const double report_thresholds[REPORT_THRESHOLDS] = {0, 0.5, 0.8, 1, 1.5, 2, 3, 5};
const unsigned report_tries[REPORT_TRIES] = {1, 2, 3, 5, 8, 12, 17, 25};

/* Count the attempts up to the first correct one and up to the best, without undone ones. */
static void count_attempts(const struct session *session, struct report_row *row)
{
    for (size_t i = 0; i < session->attempts.count; i++) {
        const struct attempt *attempt = &session->attempts.items[i];

        if (attempt->is_undone)
            continue;
        row->attempts++;
        if (attempt->outcome == OUTCOME_CORRECT && !row->until_correct)
            row->until_correct = row->attempts;
        if (attempt->number == session->now.best)
            row->until_best = row->attempts;
    }
}

static void fill_row(const struct session *session, struct report_row *row)
{
    const struct attempt *best = session_attempt(session, session->now.best);

    count_attempts(session, row);
    row->device = mem_strdup(session->device);
    row->has_usd = session->unknown[RESOURCE_USD] == 0;
    row->usd = session->used[RESOURCE_USD];
    row->tokens = session->used[RESOURCE_TOKENS];
    row->minutes = session->used[RESOURCE_MINUTES];
    if (!best)
        return;
    row->time = best->time;
    row->speedup = scale_speedup_ratio(session, best);
    row->bound_fraction = best->bound_fraction;
    row->over = row->speedup.value > 0 ? mem_strdup(scale_strongest(session)) : NULL;
}

/*
 * Find the phase of a task.  The suite's journal may lag behind a scheduler's tasks.  So a task has
 * also ended if its session is closed, and has also failed if its record has the exit code of a
 * failure.
 */
static enum task_phase find_phase(const struct suite_store *store, size_t task,
                                  const struct session *session)
{
    enum task_phase phase = store->state.tasks[task].phase;
    struct task_record record;

    if (phase == TASK_HAS_ENDED || phase == TASK_HAS_FAILED)
        return phase;
    if (session->now.stage == STAGE_CLOSED)
        return TASK_HAS_ENDED;
    if (store->state.lists && !task_record_read(store, task, &record, NULL)) {
        phase = task_record_has_failed(&record) ? TASK_HAS_FAILED : TASK_RUNS;
        task_record_release(&record);
    }
    return phase;
}

/*
 * Add the speedup over the session's strongest baseline, which the best kernel's verdict may lack.
 */
static void add_strongest(struct report_row *row)
{
    const struct report_speedup strongest = {NULL, row->speedup};

    if (!row->speedups.count || !row->over || report_row_speedup(row, row->over))
        return;
    vec_push(&row->speedups, strongest);
    row->speedups.items[row->speedups.count - 1].over = mem_strdup(row->over);
}

static void read_row(const struct suite_store *store, size_t task, struct suite_report *report,
                     struct suite_verdicts *verdicts)
{
    struct report_row *row = &report->rows[task];
    const struct task_state *state = &store->state.tasks[task];
    struct session session = {0};
    struct error err = {0};
    enum status st;

    *row = (struct report_row){.at = suite_task_at(&store->suite, task),
                               .phase = state->phase,
                               .trouble = mem_strdup(state->reason)};
    row->has_usd = true; /* a session without a journal has cost nothing */
    if (!state->session[0] && !store->state.lists)
        return;
    suite_store_session(store, task, row->session);
    st = suite_session_read(row->session, &session, &err);
    row->phase = find_phase(store, task, &session);
    if (row->phase == TASK_WAITS)
        row->session[0] = '\0';
    if (!st) {
        fill_row(&session, row);
        report_models_count(&report->models, row->at.arm, &session);
        suite_verdicts_count(verdicts, &session, &report->machines, row);
        add_strongest(row);
    } else if (state->phase == TASK_HAS_ENDED) {
        /* The result of a task whose journal cannot be read is unknown, so it counts as failed. */
        row->phase = TASK_HAS_FAILED;
        row->has_usd = false;
        row->trouble = mem_strdup(err.text);
    }
    session_release(&session);
}

static void count_curves(const struct report_row *row, struct report_arm *arm)
{
    for (size_t i = 0; i < REPORT_TRIES; i++)
        arm->success[i] += row->until_correct && row->until_correct <= report_tries[i];
    for (size_t i = 0; i < REPORT_THRESHOLDS; i++)
        arm->fast[i] += row->until_correct &&
                        (report_thresholds[i] <= 0 || row->speedup.value > report_thresholds[i]);
}

static void count_row(const struct report_row *row, struct report_arm *arm)
{
    arm->usd += row->usd;
    arm->tokens += row->tokens;
    arm->minutes += row->minutes;
    arm->has_usd &= row->has_usd;
    arm->failed += row->phase == TASK_HAS_FAILED;
    if (row->phase != TASK_HAS_ENDED)
        return;
    arm->ended++;
    arm->correct += row->until_correct > 0;
    arm->timed += row->speedup.value > 0;
    count_curves(row, arm);
}

/* The row of a problem, an arm and a repeat. */
static const struct report_row *row_of(const struct suite_report *report, struct suite_task at)
{
    return &report->rows[suite_task_index(&report->store->suite, at)];
}

static struct pair_rows rows_of(const struct suite_report *report)
{
    return (struct pair_rows){.suite = &report->store->suite,
                              .rows = report->rows,
                              .baselines = report->baselines.items,
                              .baseline_count = report->baselines.count};
}

struct report_cell suite_report_cell(const struct suite_report *report, size_t problem, size_t arm)
{
    const unsigned repeats = report->store->suite.repeats;
    const struct report_row **rows = mem_alloc_zeroed(repeats, sizeof(*rows));
    struct report_cell cell;

    for (unsigned i = 0; i < repeats; i++)
        rows[i] = row_of(report, (struct suite_task){problem, arm, i});
    cell = report_cell_make(rows, repeats);
    free(rows);
    return cell;
}

static struct ratio mean_of_arm(const struct suite_report *report, size_t arm)
{
    const struct suite *suite = &report->store->suite;
    struct geometric_group *groups = mem_alloc_zeroed(suite->problems.count, sizeof(*groups));
    double *ratios = mem_alloc_zeroed(suite->problems.count * suite->repeats, sizeof(*ratios));
    const struct pair_rows rows = rows_of(report);
    size_t count = 0;
    struct ratio mean;

    for (size_t i = 0; i < suite->problems.count; i++) {
        double *own = ratios + i * suite->repeats;

        groups[count] =
            (struct geometric_group){own, report_pairs_collect(&rows, i, arm, NULL, own)};
        count += groups[count].count > 0;
    }
    mean = geometric_mean(groups, count);
    free(groups);
    free(ratios);
    return mean;
}

static double find_pass(const struct suite_report *report, size_t arm, unsigned tries)
{
    const struct suite *suite = &report->store->suite;
    double sum = 0;
    size_t problems = 0;

    for (size_t i = 0; i < suite->problems.count; i++) {
        size_t ended = 0, correct = 0;

        for (unsigned repeat = 0; repeat < suite->repeats; repeat++) {
            const struct report_row *row = row_of(report, (struct suite_task){i, arm, repeat});

            ended += row->phase == TASK_HAS_ENDED;
            correct += row->phase == TASK_HAS_ENDED && row->until_correct;
        }
        if (ended >= tries) {
            sum += success_at(ended, correct, tries);
            problems++;
        }
    }
    return problems ? sum / (double)problems : (double)NAN;
}

static void sum_up(struct suite_report *report)
{
    size_t arms = report->store->suite.arms.count;

    for (size_t i = 0; i < arms; i++)
        report->arms[i].has_usd = true;
    for (size_t i = 0; i < report->count; i++)
        count_row(&report->rows[i], &report->arms[report->rows[i].at.arm]);
    for (size_t i = 0; i < arms; i++) {
        struct report_arm *arm = &report->arms[i];
        double ended = (double)arm->ended; /* 0 / 0 is NaN: unknown */

        for (size_t j = 0; j < REPORT_TRIES; j++)
            arm->success[j] /= ended;
        for (size_t j = 0; j < REPORT_THRESHOLDS; j++)
            arm->fast[j] /= ended;
        for (size_t j = 0; j < REPORT_TRIES; j++)
            arm->pass[j] = find_pass(report, i, report_tries[j]);
        arm->speedup = mean_of_arm(report, i);
    }
}

/* The reason why a task is left out of all figures about speedups. */
static const char *reason_of(const struct report_row *row)
{
    static const char *const words[] = {[TASK_WAITS] = "waits", [TASK_RUNS] = "has not ended"};

    if (row->phase == TASK_HAS_FAILED)
        return row->trouble ? row->trouble : "failed";
    if (row->phase != TASK_HAS_ENDED)
        return words[row->phase];
    if (!row->until_correct)
        return "nothing is correct";
    return row->until_best ? "was timed with no baseline" : "nothing correct was kept";
}

static void leave_out(struct suite_report *report, size_t task)
{
    const struct report_row *row = &report->rows[task];
    const char *reason = reason_of(row);
    size_t i = 0;

    while (i < report->left_out.count && (report->left_out.items[i].arm != row->at.arm ||
                                          strcmp(report->left_out.items[i].reason, reason) != 0))
        i++;
    if (i == report->left_out.count)
        vec_push(&report->left_out,
                 ((struct report_omission){.arm = row->at.arm, .reason = mem_strdup(reason)}));
    vec_push(&report->left_out.items[i].tasks, task);
}

static void list_baselines(struct suite_report *report, const struct report_row *row)
{
    for (size_t i = 0; i < row->speedups.count; i++) {
        const char *name = row->speedups.items[i].over;
        size_t j = 0;

        while (j < report->baselines.count && strcmp(report->baselines.items[j], name) != 0)
            j++;
        if (j == report->baselines.count)
            vec_push(&report->baselines, name);
    }
}

void suite_report_make(struct suite_report *report, const struct suite_store *store)
{
    struct suite_verdicts verdicts = {0};
    struct pair_rows rows;

    *report = (struct suite_report){.store = store, .count = store->state.count};
    report->rows = mem_alloc_zeroed(report->count + 1, sizeof(*report->rows));
    report->arms = mem_alloc_zeroed(store->suite.arms.count, sizeof(*report->arms));
    for (size_t i = 0; i < report->count; i++)
        read_row(store, i, report, &verdicts);
    suite_verdicts_close(&verdicts);
    report_models_sort(&report->models);
    if (report->count == 0)
        return;
    for (size_t i = 0; i < report->count; i++)
        list_baselines(report, &report->rows[i]);
    sum_up(report);
    rows = rows_of(report);
    report_pairs_make(&report->pairs, &rows);
    for (size_t i = 0; i < report->count; i++)
        if (!report_row_is_timed(&report->rows[i]))
            leave_out(report, i);
}

void suite_report_release(struct suite_report *report)
{
    for (size_t i = 0; i < report->count; i++)
        report_row_release(&report->rows[i]);
    report_machines_release(&report->machines);
    report_models_release(&report->models);
    vec_release(&report->baselines);
    for (size_t i = 0; i < report->left_out.count; i++) {
        free(report->left_out.items[i].reason);
        vec_release(&report->left_out.items[i].tasks);
    }
    vec_release(&report->left_out);
    free(report->rows);
    free(report->arms);
    vec_release(&report->pairs);
    *report = (struct suite_report){0};
}
