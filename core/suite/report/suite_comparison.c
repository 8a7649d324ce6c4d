#include "core/suite/report/suite_comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/strbuf.h"
#include "core/base/vec.h"
#include "core/suite/statistics/geometric.h"

const char *const compared_state_names[] = {
    [COMPARED_SAME] = "same",
    [COMPARED_WORSE] = "worse",
    [COMPARED_BETTER] = "better",
    [COMPARED_UNKNOWN] = "unknown",
};

/* The 97.5 % quantile of the normal distribution. */
static const double normal_quantile = 1.959963984540054;

/* One side of a cell: the tasks of a problem and an arm. */
struct side {
    const struct json *tasks;
    size_t ended, correct;
    struct {
        const struct json **items; /* ended tasks with a speedup */
        size_t count, capacity;
    } timed;
};

static const char *text_of(const struct json *task, const char *key)
{
    return json_string(json_get(task, key), "");
}

static bool is_ended(const struct json *task)
{
    return strcmp(text_of(task, "state"), "ended") == 0;
}

static bool is_of(const struct json *task, const char *problem, const char *arm)
{
    return strcmp(text_of(task, "problem"), problem) == 0 && strcmp(text_of(task, "arm"), arm) == 0;
}

static struct side collect(const struct json *tasks, const char *problem, const char *arm)
{
    struct side side = {.tasks = tasks};

    for (const struct json *task = json_first(tasks); task; task = json_next(task)) {
        if (!is_of(task, problem, arm) || !is_ended(task))
            continue;
        side.ended++;
        side.correct += json_get_bool(task, "correct", false);
        if (json_get(task, "speedup"))
            vec_push(&side.timed, task);
    }
    return side;
}

/* Speedups over a baseline. */

static const struct json *speedup_over(const struct json *task, const char *over)
{
    const struct json *all = json_get(task, "speedups");

    for (const struct json *one = json_first(all); one; one = json_next(one))
        if (strcmp(text_of(one, "over"), over) == 0)
            return json_get(one, "speedup");
    return strcmp(text_of(task, "over"), over) == 0 ? json_get(task, "speedup") : NULL;
}

static bool all_have(const struct side *side, const char *over)
{
    for (size_t i = 0; i < side->timed.count; i++)
        if (!speedup_over(side->timed.items[i], over))
            return false;
    return side->timed.count > 0;
}

/*
 * A baseline that all sessions of both sides were timed with: preferably the strongest of the old
 * side.
 */
static const char *common_baseline(const struct side *old, const struct side *new)
{
    const struct json *first = old->timed.count ? old->timed.items[0] : NULL;
    const char *strongest = text_of(first, "over");

    if (*strongest && all_have(old, strongest) && all_have(new, strongest))
        return strongest;
    for (const struct json *one = json_first(json_get(first, "speedups")); one;
         one = json_next(one))
        if (all_have(old, text_of(one, "over")) && all_have(new, text_of(one, "over")))
            return text_of(one, "over");
    return NULL;
}

static double *ratios_of(const struct side *side, const char *over)
{
    double *ratios = mem_alloc_zeroed(side->timed.count, sizeof(*ratios));

    for (size_t i = 0; i < side->timed.count; i++)
        ratios[i] = json_get_number(speedup_over(side->timed.items[i], over), "value", NAN);
    return ratios;
}

/* The variance of the mean logarithm, from the intervals of the sessions; NaN if one is unknown. */
static double measured_variance(const struct side *side, const char *over)
{
    double sum = 0, count = (double)side->timed.count;

    for (size_t i = 0; i < side->timed.count; i++) {
        const struct json *ratio = speedup_over(side->timed.items[i], over);
        double low = json_get_number(ratio, "low", NAN), high = json_get_number(ratio, "high", NAN);

        sum += pow(log(high / low) / (2 * normal_quantile), 2);
    }
    return sum / (count * count);
}

/*
 * Compare if a side has a single repeat: the interval then covers only the errors of the
 * measurements.
 */
static void compare_measured(const struct side *old, const struct side *new, const char *over,
                             struct student_comparison *speed)
{
    double deviation = sqrt(measured_variance(old, over) + measured_variance(new, over));
    double middle = log(speed->ratio.value);

    if (!(deviation > 0))
        return;
    speed->ratio.low = exp(middle - normal_quantile * deviation);
    speed->ratio.high = exp(middle + normal_quantile * deviation);
    speed->p = erfc(fabs(middle) / deviation / sqrt(2));
}

static void compare_speed(const struct side *old, const struct side *new,
                          struct compared_cell *cell)
{
    double *before, *after;

    cell->over = common_baseline(old, new);
    if (!cell->over)
        return;
    before = ratios_of(old, cell->over);
    after = ratios_of(new, cell->over);
    cell->speed = student_compare(after, new->timed.count, before, old->timed.count);
    if (old->timed.count < 2 || new->timed.count < 2)
        compare_measured(old, new, cell->over, &cell->speed);
    free(before);
    free(after);
}

/* Cells. */

static double share(size_t part, size_t whole)
{
    return (double)part / (double)whole;
}

static void decide(struct compared_cell *cell)
{
    bool has_interval = cell->speed.ratio.low > 0 && isfinite(cell->speed.ratio.high);

    cell->reason = "";
    if (!cell->old_ended || !cell->new_ended) {
        cell->state = COMPARED_UNKNOWN;
        cell->reason = cell->old_ended ? "no new task has ended" : "no old task has ended";
        return;
    }
    if (share(cell->new_correct, cell->new_ended) < share(cell->old_correct, cell->old_ended)) {
        cell->state = COMPARED_WORSE;
        cell->reason = "fewer are correct";
    } else if (share(cell->new_correct, cell->new_ended) >
               share(cell->old_correct, cell->old_ended)) {
        cell->state = COMPARED_BETTER;
        cell->reason = "more are correct";
    } else if (has_interval && cell->speed.ratio.high < 1) {
        cell->state = COMPARED_WORSE;
        cell->reason = "slower";
    } else if (has_interval && cell->speed.ratio.low > 1) {
        cell->state = COMPARED_BETTER;
        cell->reason = "faster";
    } else if (cell->old_correct && !has_interval) {
        cell->state = COMPARED_UNKNOWN;
        cell->reason = cell->over ? "the interval is unknown" : "timed with no common baseline";
    }
}

static void add_cell(struct suite_comparison *comparison, const struct json *task,
                     const struct json *old, const struct json *new)
{
    struct compared_cell cell = {.problem = text_of(task, "problem"), .arm = text_of(task, "arm")};
    struct side before = collect(old, cell.problem, cell.arm);
    struct side after = collect(new, cell.problem, cell.arm);

    cell.old_ended = before.ended;
    cell.old_correct = before.correct;
    cell.new_ended = after.ended;
    cell.new_correct = after.correct;
    cell.speed.p = cell.corrected_p = 1;
    compare_speed(&before, &after, &cell);
    decide(&cell);
    comparison->worse += cell.state == COMPARED_WORSE;
    comparison->better += cell.state == COMPARED_BETTER;
    comparison->unknown += cell.state == COMPARED_UNKNOWN;
    vec_push(&comparison->cells, cell);
    vec_release(&before.timed);
    vec_release(&after.timed);
}

static bool has_task(const struct json *tasks, const struct json *like)
{
    for (const struct json *task = json_first(tasks); task; task = json_next(task))
        if (is_of(task, text_of(like, "problem"), text_of(like, "arm")))
            return true;
    return false;
}

/* True if the task is the first repeat in the list of its problem and arm. */
static bool is_first(const struct json *tasks, const struct json *task)
{
    for (const struct json *at = json_first(tasks); at != task; at = json_next(at))
        if (is_of(at, text_of(task, "problem"), text_of(task, "arm")))
            return false;
    return true;
}

/* Note a problem or an arm that only one of the reports has. */
static void add_alone(struct suite_comparison *comparison, const char *which,
                      const struct json *tasks, const struct json *others)
{
    for (const struct json *task = json_first(tasks); task; task = json_next(task)) {
        struct strbuf text = {0};

        if (!is_first(tasks, task) || has_task(others, task))
            continue;
        strbuf_addf(&text, "%s: %s, %s", which, text_of(task, "problem"), text_of(task, "arm"));
        vec_push(&comparison->alone, strbuf_take(&text));
    }
}

/* Correct the p values of all cells with a known interval by Holm's method. */
static void correct_cells(struct suite_comparison *comparison)
{
    double *p = mem_alloc_zeroed(comparison->cells.count + 1, sizeof(*p));
    size_t count = 0;

    for (size_t i = 0; i < comparison->cells.count; i++)
        if (comparison->cells.items[i].speed.ratio.low > 0)
            p[count++] = comparison->cells.items[i].speed.p;
    paired_correct(p, count);
    count = 0;
    for (size_t i = 0; i < comparison->cells.count; i++)
        if (comparison->cells.items[i].speed.ratio.low > 0)
            comparison->cells.items[i].corrected_p = p[count++];
    free(p);
}

/* Arms. */

static void sum_up_use(const struct json *tasks, const char *arm, double *usd, double *tokens)
{
    *usd = *tokens = 0;
    for (const struct json *task = json_first(tasks); task; task = json_next(task)) {
        if (strcmp(text_of(task, "arm"), arm) != 0 || !json_get(task, "session"))
            continue;
        *usd += json_get_number(task, "usd", NAN);
        *tokens += json_get_number(task, "tokens", NAN);
    }
}

static void compare_arm(const struct suite_comparison *comparison, struct compared_arm *arm)
{
    size_t cells = comparison->cells.count;
    double *ratios = mem_alloc_zeroed(cells + 1, sizeof(*ratios));
    double *logs = mem_alloc_zeroed(cells + 1, sizeof(*logs));
    struct geometric_group *groups = mem_alloc_zeroed(cells + 1, sizeof(*groups));

    for (size_t i = 0; i < cells; i++) {
        const struct compared_cell *cell = &comparison->cells.items[i];

        if (strcmp(cell->arm, arm->arm) != 0)
            continue;
        arm->old_ended += cell->old_ended;
        arm->old_correct += cell->old_correct;
        arm->new_ended += cell->new_ended;
        arm->new_correct += cell->new_correct;
        if (cell->speed.ratio.value <= 0)
            continue;
        ratios[arm->problems] = cell->speed.ratio.value;
        /* Rounded, so that speedups that differ only by rounding errors count as equal. */
        logs[arm->problems] = round(log(cell->speed.ratio.value) * 1e12) * 1e-12;
        groups[arm->problems] = (struct geometric_group){&ratios[arm->problems], 1};
        arm->problems++;
    }
    arm->ratio = geometric_mean(groups, arm->problems);
    arm->test = paired_test(logs, arm->problems);
    free(ratios);
    free(logs);
    free(groups);
}

static void compare_arms(struct suite_comparison *comparison, const struct json *old,
                         const struct json *new)
{
    double *p;

    for (size_t i = 0; i < comparison->cells.count; i++) {
        struct compared_arm arm = {.arm = comparison->cells.items[i].arm};
        size_t j = 0;

        while (j < comparison->arms.count && strcmp(comparison->arms.items[j].arm, arm.arm) != 0)
            j++;
        if (j < comparison->arms.count)
            continue;
        compare_arm(comparison, &arm);
        sum_up_use(old, arm.arm, &arm.old_usd, &arm.old_tokens);
        sum_up_use(new, arm.arm, &arm.new_usd, &arm.new_tokens);
        vec_push(&comparison->arms, arm);
    }
    p = mem_alloc_zeroed(comparison->arms.count + 1, sizeof(*p));
    for (size_t i = 0; i < comparison->arms.count; i++)
        p[i] = comparison->arms.items[i].test.p;
    paired_correct(p, comparison->arms.count);
    for (size_t i = 0; i < comparison->arms.count; i++)
        comparison->arms.items[i].corrected_p = p[i];
    free(p);
}

static enum status check(const struct json_ref *report, struct error *err)
{
    struct json_ref tasks = json_ref_member(report, "tasks");

    if (json_expect(report, JSON_OBJECT, err))
        return STATUS_INVALID;
    if (json_get_number(report->value, "kforge", 0) != 1 || json_type(tasks.value) != JSON_ARRAY)
        return json_ref_error(report, err,
                              "is not a report: kforge suite report --json writes one");
    for (struct json_ref at = json_ref_first(&tasks); at.value; at = json_ref_next(&at))
        if (!*text_of(at.value, "problem") || !*text_of(at.value, "arm"))
            return json_ref_error(&at, err, "names no problem or no arm");
    return STATUS_OK;
}

enum status suite_comparison_make(struct suite_comparison *comparison, const struct json_ref *old,
                                  const struct json_ref *new, struct error *err)
{
    const struct json *before = json_get(old->value, "tasks"),
                      *after = json_get(new->value, "tasks");

    *comparison = (struct suite_comparison){0};
    if (check(old, err) || check(new, err))
        return STATUS_INVALID;
    for (const struct json *task = json_first(before); task; task = json_next(task))
        if (is_first(before, task) && has_task(after, task))
            add_cell(comparison, task, before, after);
    add_alone(comparison, "old", before, after);
    add_alone(comparison, "new", after, before);
    correct_cells(comparison);
    compare_arms(comparison, before, after);
    return STATUS_OK;
}

void suite_comparison_release(struct suite_comparison *comparison)
{
    vec_release(&comparison->cells);
    vec_release(&comparison->arms);
    for (size_t i = 0; i < comparison->alone.count; i++)
        free(comparison->alone.items[i]);
    vec_release(&comparison->alone);
    *comparison = (struct suite_comparison){0};
}
