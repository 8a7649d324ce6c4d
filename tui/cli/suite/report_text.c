#include "tui/cli/suite/report_text.h"

#include <math.h>
#include <string.h>

#include "core/base/format.h"
#include "core/base/steadiness.h"
#include "core/model/baseline_label.h"
#include "tui/cli/text/report_table.h"

static const char *arm_name(const struct suite_report *report, size_t arm)
{
    return report->store->suite.arms.items[arm].name;
}

/* Add a ratio, such as "3.10x [2.80, 3.40]" with `mark` after the value; "-" if unknown. */
static void add_ratio(struct report_table *table, const struct ratio *ratio, const char *mark)
{
    char value[FORMAT_SIZE], interval[FORMAT_SIZE];

    if (ratio->value <= 0)
        report_table_add(table, "-");
    else if (ratio->low <= 0 || !isfinite(ratio->high))
        report_table_add(table, "%s, interval unknown", format_speedup(value, ratio->value));
    else
        report_table_add(table, "%s%s %s", format_speedup(value, ratio->value), mark,
                         format_interval(interval, ratio->low, ratio->high));
}

/* Add a time, such as "1.98 ms [1.29 ms, 3.03 ms]"; "-" if unknown. */
static void add_time(struct report_table *table, const struct estimate *time)
{
    char median[FORMAT_SIZE], low[FORMAT_SIZE], high[FORMAT_SIZE];

    if (time->median_us > 0 && time->low_us > 0)
        report_table_add(table, "%s [%s, %s]", format_time(median, time->median_us),
                         format_time(low, time->low_us), format_time(high, time->high_us));
    else
        report_table_add(table, "%s", format_time(median, time->median_us));
}

static const char *mark_of(const struct ratio *ratio)
{
    return steadiness_is_lost(ratio->low, ratio->high) ? UNSTEADY_MARK : "";
}

/* Add a count; 0 means that there is no value yet, and is shown as "-". */
static void add_count(struct report_table *table, unsigned count)
{
    if (count)
        report_table_add(table, "%u", count);
    else
        report_table_add(table, "-");
}

static void add_share(struct report_table *table, double share)
{
    char text[FORMAT_SIZE];

    if (isnan(share))
        report_table_add(table, "-");
    else
        report_table_add(table, "%s%%", format_share(text, share));
}

static void add_cost(struct report_table *table, bool is_known, double usd)
{
    if (is_known)
        report_table_add(table, "$%.3g", usd);
    else
        report_table_add(table, "unknown");
}

static void add_tokens(struct report_table *table, bool is_known, double tokens)
{
    report_table_add(table, is_known ? "%.0f" : "unknown", tokens);
}

static const char *state_of(const struct report_row *row)
{
    static const char *const words[] = {
        [TASK_WAITS] = "waits", [TASK_RUNS] = "open", [TASK_HAS_FAILED] = "failed"};

    if (row->phase != TASK_HAS_ENDED)
        return words[row->phase];
    return row->until_correct ? "correct" : "not correct";
}

/* Add the problem, the arm and the repeat. */
static void add_name(const struct suite_report *report, const struct report_row *row,
                     struct report_table *table)
{
    struct strbuf label = {0};

    suite_add_label(&report->store->suite, row->at.problem, &label);
    report_table_add(table, "%s", strbuf_cstr(&label));
    report_table_add(table, "%s", arm_name(report, row->at.arm));
    report_table_add(table, "%u", row->at.repeat + 1);
    strbuf_release(&label);
}

static void add_row(const struct suite_report *report, const struct report_row *row,
                    struct report_table *table)
{
    add_name(report, row, table);
    report_table_add(table, "%s", state_of(row));
    add_count(table, row->until_correct);
    add_count(table, row->until_best);
    add_count(table, row->attempts);
    add_time(table, &row->time);
    add_ratio(table, &row->speedup, mark_of(&row->speedup));
    report_table_add(table, "%s", row->over ? baseline_label(row->over) : "-");
    add_share(table, row->bound_fraction > 0 ? row->bound_fraction : (double)NAN);
    add_cost(table, row->has_usd, row->usd);
    add_tokens(table, row->has_tokens, row->tokens);
    report_table_add(table, "%.1f", row->minutes);
    report_table_add(table, "%s", row->device ? row->device : "-");
    report_table_add(table, "%s", row->session[0] ? row->session : "-");
}

static void add_tasks(const struct suite_report *report, bool as_markdown, struct strbuf *out)
{
    struct report_table table = {0};

    report_table_begin(&table, "problem|arm|repeat|state|until correct|until best|attempts|time|"
                               "speedup|over|of bound|cost|tokens|wall minutes|device|session");
    for (size_t i = 0; i < report->count; i++)
        add_row(report, &report->rows[i], &table);
    report_table_print(&table, as_markdown, out);
}

static void add_speedup(const struct report_row *row, const char *over, struct report_table *table)
{
    const struct ratio *ratio = report_row_speedup(row, over);

    if (ratio)
        add_ratio(table, ratio, mark_of(ratio));
    else
        report_table_add(table, "-");
}

/*
 * Add a table with a row for each task that was timed with baselines, and a column for each
 * baseline.
 */
static void add_speedups(const struct suite_report *report, bool as_markdown, struct strbuf *out)
{
    struct report_table table = {0};
    struct strbuf titles = {0};

    if (report->baselines.count == 0)
        return;
    strbuf_adds(&titles, "problem|arm|repeat");
    for (size_t i = 0; i < report->baselines.count; i++)
        strbuf_addf(&titles, "|%s", baseline_label(report->baselines.items[i]));
    report_table_begin(&table, strbuf_cstr(&titles));
    for (size_t i = 0; i < report->count; i++) {
        if (report->rows[i].speedups.count == 0)
            continue;
        add_name(report, &report->rows[i], &table);
        for (size_t j = 0; j < report->baselines.count; j++)
            add_speedup(&report->rows[i], report->baselines.items[j], &table);
    }
    strbuf_adds(out, "\nSpeedup of each best kernel over each baseline.\n\n");
    report_table_print(&table, as_markdown, out);
    strbuf_release(&titles);
}

/* Add a median of counts, which may have a fraction. */
static void add_median(struct report_table *table, double median)
{
    report_table_add(table, median > 0 ? "%.3g" : "-", median);
}

static void add_geometric_time(struct report_table *table, const struct ratio *us)
{
    const struct estimate time = {.median_us = us->value, .low_us = us->low, .high_us = us->high};

    add_time(table, &time);
}

static void add_cell(const struct suite_report *report, size_t problem, size_t arm,
                     struct report_table *table)
{
    const struct report_cell cell = suite_report_cell(report, problem, arm);
    struct strbuf label = {0};

    suite_add_label(&report->store->suite, problem, &label);
    report_table_add(table, "%s", strbuf_cstr(&label));
    report_table_add(table, "%s", arm_name(report, arm));
    report_table_add(table, "%zu of %zu", cell.correct, cell.ended);
    add_median(table, cell.until_correct);
    add_median(table, cell.until_best);
    add_geometric_time(table, &cell.us);
    add_ratio(table, &cell.speedup, mark_of(&cell.speedup));
    report_table_add(table, "%s",
                     cell.over      ? baseline_label(cell.over)
                     : cell.differs ? "several"
                                    : "-");
    add_share(table, cell.bound_fraction > 0 ? cell.bound_fraction : (double)NAN);
    add_cost(table, cell.has_usd, cell.usd);
    add_tokens(table, cell.has_tokens, cell.tokens);
    report_table_add(table, "%.1f", cell.minutes);
    strbuf_release(&label);
}

/* Add a table with a row for each problem and arm. */
static void add_cells(const struct suite_report *report, bool as_markdown, struct strbuf *out)
{
    const struct suite *suite = &report->store->suite;
    struct report_table table = {0};

    strbuf_adds(out, "\nEach problem and arm over its repeats: times and speedups are geometric "
                     "means with 95 % intervals of\nStudent's t over repeats (for one repeat: its "
                     "session's), attempts are medians.\n"
                     "A speedup with " UNSTEADY_MARK " has an interval of more than a factor of "
                     "four: it is unsteady.  Wall minutes are\nthose of replies and "
                     "evaluations, with waits for the device and without pauses.\n\n");
    report_table_begin(&table, "problem|arm|correct|until correct|until best|time|speedup|over|"
                               "of bound|cost|tokens|wall minutes");
    for (size_t i = 0; i < suite->problems.count; i++)
        for (size_t j = 0; j < suite->arms.count; j++)
            add_cell(report, i, j, &table);
    report_table_print(&table, as_markdown, out);
}

static void add_model(const struct suite_report *report, const struct report_model *model,
                      struct report_table *table)
{
    report_table_add(table, "%s", arm_name(report, model->arm));
    report_table_add(table, "%s", model->agent);
    report_table_add(table, "%u", model->sessions);
    report_table_add(table, "%u of %u", model->correct, model->attempts);
    report_table_add(table, "%u", model->won);
    report_table_add(table, "%u", model->best);
    report_table_add(table, "%u", model->replies);
    add_tokens(table, model->unknown_tokens == 0, model->prompt_tokens);
    add_tokens(table, model->unknown_tokens == 0, model->reply_tokens);
    add_cost(table, model->unknown_usd == 0, model->usd);
    report_table_add(table, "%.1f", model->minutes);
}

/* Add a table of each model's work and cost. */
static void add_models(const struct suite_report *report, bool as_markdown, struct strbuf *out)
{
    struct report_table table = {0};

    if (!report->models.count)
        return;
    strbuf_adds(out,
                "\nBy model: its candidates, rounds of several candidates that it won, sessions "
                "whose best kernel it wrote, its tokens and cost, and minutes of waiting for its "
                "replies.\n\n");
    report_table_begin(&table, "arm|model|sessions|correct|rounds won|best|replies|prompt tokens|"
                               "reply tokens|cost|reply minutes");
    for (size_t i = 0; i < report->models.count; i++)
        add_model(report, &report->models.items[i], &table);
    report_table_print(&table, as_markdown, out);
}

/* Add the baselines that the speedups are over: "over the plain kernel (198 tasks)". */
static void add_strongest(const struct suite_report *report, struct strbuf *out)
{
    const char *before = "They are over the strongest baseline of each session: ";

    for (size_t i = 0; i < report->baselines.count; i++) {
        size_t tasks = 0;

        for (size_t j = 0; j < report->count; j++)
            tasks += report_row_is_timed(&report->rows[j]) && report->rows[j].over &&
                     strcmp(report->rows[j].over, report->baselines.items[i]) == 0;
        if (!tasks)
            continue;
        strbuf_addf(out, "%s%s (%zu %s)", before, baseline_phrase(report->baselines.items[i]),
                    tasks, tasks == 1 ? "task" : "tasks");
        before = ", ";
    }
    if (*before == ',')
        strbuf_adds(out, ".\n");
}

static void add_arms(const struct suite_report *report, bool as_markdown, struct strbuf *out)
{
    struct report_table table = {0};

    strbuf_adds(out, "\nOver all problems: speedups are geometric means with 95 % intervals of the "
                     "bootstrap over problems and repeats.\n");
    add_strongest(report, out);
    strbuf_adds(out, "\n");
    report_table_begin(&table,
                       "arm|ended|failed|correct|speedup|of tasks|cost|tokens|wall minutes");
    for (size_t i = 0; i < report->store->suite.arms.count; i++) {
        const struct report_arm *arm = &report->arms[i];

        report_table_add(&table, "%s", arm_name(report, i));
        report_table_add(&table, "%zu", arm->ended);
        report_table_add(&table, "%zu", arm->failed);
        report_table_add(&table, "%zu", arm->correct);
        add_ratio(&table, &arm->speedup, "");
        report_table_add(&table, "%zu", arm->timed);
        add_cost(&table, arm->has_usd, arm->usd);
        add_tokens(&table, arm->has_tokens, arm->tokens);
        report_table_add(&table, "%.1f", arm->minutes);
    }
    report_table_print(&table, as_markdown, out);
}

/* Add a table with a row for each arm, and a column with a share for each value in `titles`. */
static void add_curve(const struct suite_report *report, const char *titles,
                      const double *(*shares)(const struct report_arm *arm), bool as_markdown,
                      struct strbuf *out)
{
    struct report_table table = {0};

    report_table_begin(&table, titles);
    for (size_t i = 0; i < report->store->suite.arms.count; i++) {
        report_table_add(&table, "%s", arm_name(report, i));
        for (size_t j = 0; j + 1 < table.columns; j++)
            add_share(&table, shares(&report->arms[i])[j]);
    }
    report_table_print(&table, as_markdown, out);
}

static const double *success_of(const struct report_arm *arm)
{
    return arm->success;
}

static const double *pass_of(const struct report_arm *arm)
{
    return arm->pass;
}

static const double *fast_of(const struct report_arm *arm)
{
    return arm->fast;
}

static void add_curves(const struct suite_report *report, bool as_markdown, struct strbuf *out)
{
    struct strbuf tries = {0}, thresholds = {0};

    strbuf_adds(&tries, "arm");
    strbuf_adds(&thresholds, "arm");
    for (size_t i = 0; i < REPORT_TRIES; i++)
        strbuf_addf(&tries, "|%u", report_tries[i]);
    for (size_t i = 0; i < REPORT_THRESHOLDS; i++)
        strbuf_addf(&thresholds, "|%g", report_thresholds[i]);
    strbuf_adds(out, "\nShare of ended tasks with a correct kernel after so many attempts.\n\n");
    add_curve(report, strbuf_cstr(&tries), success_of, as_markdown, out);
    strbuf_adds(out, "\nChance that one of so many sessions has a correct kernel (pass@k, without "
                     "bias), mean over problems.\n\n");
    add_curve(report, strbuf_cstr(&tries), pass_of, as_markdown, out);
    strbuf_adds(out, "\nShare of ended tasks that are correct and more than so many times as fast "
                     "as the strongest baseline (fast_p).\n\n");
    add_curve(report, strbuf_cstr(&thresholds), fast_of, as_markdown, out);
    strbuf_release(&tries);
    strbuf_release(&thresholds);
}

/* Add a test's result; all fields are "-" for arms that no problem compares. */
static void add_test(struct report_table *table, const struct report_pair *pair)
{
    if (pair->problems) {
        report_table_add(table, "%.3g%s", pair->test.p, pair->test.is_exact ? "" : " (normal)");
        report_table_add(table, "%.3g", pair->corrected_p);
        report_table_add(table, "%+.2f", pair->test.effect);
    } else {
        for (int i = 0; i < 3; i++)
            report_table_add(table, "-");
    }
}

/* If there are so few problems that no difference could give a small p, say so. */
static void add_least_p(const struct suite_report *report, struct strbuf *out)
{
    enum { FEW = 6 };
    size_t fewest = FEW;

    for (size_t i = 0; i < report->pairs.count; i++)
        if (report->pairs.items[i].test.count && report->pairs.items[i].test.count < fewest)
            fewest = report->pairs.items[i].test.count;
    if (fewest < FEW)
        strbuf_addf(out,
                    "\nWith %zu problem%s that differ%s, p cannot be below %.3g: add problems "
                    "to tell arms apart.\n",
                    fewest, fewest == 1 ? "" : "s", fewest == 1 ? "s" : "",
                    fmin(1, ldexp(1, 1 - (int)fewest)));
}

static void add_pairs(const struct suite_report *report, bool as_markdown, struct strbuf *out)
{
    struct report_table table = {0};

    if (report->pairs.count == 0)
        return;
    strbuf_adds(out, "\nArms on the same problems: ratio of speedups, Wilcoxon's signed-rank test "
                     "with Holm's correction,\nmatched-pairs rank-biserial correlation as effect.  "
                     "Problems that either arm has no speedup on are left out.\n\n");
    report_table_begin(&table, "arm|over|problems|left out|ratio|p|corrected p|effect");
    for (size_t i = 0; i < report->pairs.count; i++) {
        const struct report_pair *pair = &report->pairs.items[i];

        report_table_add(&table, "%s", arm_name(report, pair->first));
        report_table_add(&table, "%s", arm_name(report, pair->second));
        report_table_add(&table, "%zu", pair->problems);
        report_table_add(&table, "%zu", pair->left_out);
        add_ratio(&table, &pair->ratio, "");
        add_test(&table, pair);
    }
    report_table_print(&table, as_markdown, out);
    add_least_p(report, out);
}

enum { MOST_TASKS_NAMED = 12 };

/* Add the tasks that are left out of all figures about speedups, with the reason. */
static void add_left_out(const struct suite_report *report, struct strbuf *out)
{
    strbuf_adds(out, report->left_out.count ? "\nLeft out of the speedups:\n\n" : "");
    for (size_t i = 0; i < report->left_out.count; i++) {
        const struct report_omission *group = &report->left_out.items[i];
        size_t named =
            group->tasks.count < MOST_TASKS_NAMED ? group->tasks.count : MOST_TASKS_NAMED;

        strbuf_addf(out, "- arm %s, %s", arm_name(report, group->arm),
                    group->tasks.count == 1 ? "task" : "tasks");
        for (size_t j = 0; j < named; j++)
            strbuf_addf(out, "%s%zu", j ? ", " : " ", group->tasks.items[j] + 1);
        if (named < group->tasks.count)
            strbuf_addf(out, " and %zu more", group->tasks.count - named);
        strbuf_addf(out, ": %s\n", group->reason);
    }
}

static void add_known(const char *before, const char *text, struct strbuf *out)
{
    if (text && *text)
        strbuf_addf(out, "%s%s", before, text);
}

static void add_machines(const struct suite_report *report, struct strbuf *out)
{
    strbuf_adds(out, report->machines.count ? "\nMachines and versions:\n\n" : "");
    for (size_t i = 0; i < report->machines.count; i++) {
        const struct report_machine *machine = &report->machines.items[i];

        strbuf_addf(out, "- %zu %s on %s", machine->tasks, machine->tasks == 1 ? "task" : "tasks",
                    machine->device ? machine->device : "an unknown device");
        add_known(" of host ", machine->host, out);
        add_known("; driver ", machine->driver, out);
        add_known("; compiler ", machine->compiler, out);
        add_known("; kforge ", machine->version, out);
        strbuf_adds(out, "\n");
    }
}

void report_text_add(const struct suite_report *report, bool as_markdown, struct strbuf *out)
{
    const struct suite_state *state = &report->store->state;
    const char *name = report->store->suite.name;
    bool is_named = strcmp(name, "suite") != 0; /* the default says nothing */

    strbuf_addf(out, "%s%s%ssuite %s: %zu of %zu tasks ended, %zu failed\n\n",
                as_markdown ? "# " : "", is_named ? name : "", is_named ? ", " : "",
                report->store->id, state->in_phase[TASK_HAS_ENDED], state->count,
                state->in_phase[TASK_HAS_FAILED]);
    add_tasks(report, as_markdown, out);
    add_cells(report, as_markdown, out);
    add_speedups(report, as_markdown, out);
    add_arms(report, as_markdown, out);
    add_models(report, as_markdown, out);
    add_curves(report, as_markdown, out);
    add_pairs(report, as_markdown, out);
    add_left_out(report, out);
    add_machines(report, out);
}
