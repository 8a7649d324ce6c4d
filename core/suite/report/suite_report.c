#include "core/suite/report/suite_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/vec.h"
#include "core/suite/report/task_row.h"
#include "core/suite/statistics/geometric.h"
#include "core/suite/statistics/success.h"
#include "core/suite/task_record.h"

const double report_thresholds[REPORT_THRESHOLDS] = {0, 0.5, 0.8, 1, 1.5, 2, 3, 5};
const unsigned report_tries[REPORT_TRIES] = {1, 2, 3, 5, 8, 12, 17, 25};

/*
 * Find the phase of a task.  The suite's journal may lag behind a scheduler's tasks.  So a task has
 * also ended if its session is closed, and has also failed if its record has the exit code of a
 * failure.
 */
static enum task_phase find_phase(const struct suite_store *store, size_t task, bool is_closed)
{
    enum task_phase phase = store->state.tasks[task].phase;
    struct task_record record;

    if (phase == TASK_HAS_ENDED || phase == TASK_HAS_FAILED)
        return phase;
    if (is_closed)
        return TASK_HAS_ENDED;
    if (store->state.lists && !task_record_read(store, task, &record, NULL)) {
        phase = task_record_has_failed(&record) ? TASK_HAS_FAILED : TASK_RUNS;
        task_record_release(&record);
    }
    return phase;
}

/* The part of a row that does not need the task's session. */
static void begin_row(const struct suite_store *store, size_t task, struct report_row *row)
{
    const struct task_state *state = &store->state.tasks[task];

    *row = (struct report_row){.at = suite_task_at(&store->suite, task),
                               .phase = state->phase,
                               .trouble = mem_strdup(state->reason)};
    row->has_usd = row->has_tokens = true; /* a session that does not exist has cost nothing */
    if (state->session[0] || store->state.lists)
        suite_store_session(store, task, row->session);
}

static void end_row(const struct suite_store *store, size_t task, struct report_row *row)
{
    row->phase = find_phase(store, task, row->is_closed);
    if (row->phase == TASK_WAITS)
        row->session[0] = '\0';
}

static void compute_row(const struct suite_store *store, size_t task, struct report_row *row,
                        struct suite_verdicts *verdicts)
{
    struct error err = {0};

    if (task_row_read(store, task, verdicts, row, &err) &&
        store->state.tasks[task].phase == TASK_HAS_ENDED) {
        /* Without its journal nothing is known of the task. */
        end_row(store, task, row);
        row->phase = TASK_HAS_FAILED;
        row->has_usd = row->has_tokens = false;
        row->trouble = mem_strdup(err.text);
        return;
    }
    end_row(store, task, row);
}

/* Rows that are kept are read; the others are computed, many of them by several processes. */
static void read_rows(const struct suite_store *store, struct suite_report *report)
{
    enum { MANY = 64 };
    size_t *left = mem_alloc_zeroed(report->count + 1, sizeof(*left)), count = 0;
    struct suite_verdicts verdicts = {0};

    for (size_t i = 0; i < report->count; i++) {
        struct report_row *row = &report->rows[i];

        begin_row(store, i, row);
        if (row->session[0] && !task_row_find(store, i, row))
            left[count++] = i;
        else if (row->session[0])
            end_row(store, i, row);
    }
    if (count >= MANY)
        task_rows_keep(store, left, count);
    for (size_t i = 0; i < count; i++)
        compute_row(store, left[i], &report->rows[left[i]], &verdicts);
    suite_verdicts_close(&verdicts);
    free(left);
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
    arm->has_tokens &= row->has_tokens;
    arm->failed += row->phase == TASK_HAS_FAILED;
    if (row->phase != TASK_HAS_ENDED)
        return;
    arm->ended++;
    arm->attempts = row->attempts > arm->attempts ? row->attempts : arm->attempts;
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

/* True if a session had so many attempts, or this is the first number that none had. */
static bool is_reached(const struct report_arm *arm, size_t i)
{
    return i == 0 || report_tries[i - 1] < arm->attempts;
}

static void sum_up(struct suite_report *report)
{
    size_t arms = report->store->suite.arms.count;

    for (size_t i = 0; i < arms; i++)
        report->arms[i].has_usd = report->arms[i].has_tokens = true;
    for (size_t i = 0; i < report->count; i++)
        count_row(&report->rows[i], &report->arms[report->rows[i].at.arm]);
    for (size_t i = 0; i < arms; i++) {
        struct report_arm *arm = &report->arms[i];
        double ended = (double)arm->ended; /* 0 / 0 is NaN: unknown */

        for (size_t j = 0; j < REPORT_TRIES; j++)
            arm->success[j] = is_reached(arm, j) ? arm->success[j] / ended : (double)NAN;
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
    struct pair_rows rows;

    *report = (struct suite_report){.store = store, .count = store->state.count};
    report->rows = mem_alloc_zeroed(report->count + 1, sizeof(*report->rows));
    report->arms = mem_alloc_zeroed(store->suite.arms.count, sizeof(*report->arms));
    read_rows(store, report);
    for (size_t i = 0; i < report->count; i++) {
        report_models_count(&report->models, &report->rows[i]);
        if (report->rows[i].has_machine)
            report_machines_count(&report->machines, &report->rows[i].machine);
    }
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
