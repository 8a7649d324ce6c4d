#include "core/suite/suite_board.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"
#include "core/suite/statistics/geometric.h"

/*
 * The most speedups for which an interval is computed: more would take longer than a few
 * milliseconds.
 */
enum { INTERVAL_MOST = 400 };

const char *const board_state_names[BOARD_STATES] = {
    [BOARD_ASKS] = "asks", [BOARD_FAILED] = "failed", [BOARD_RUNS] = "runs",
    [BOARD_OPEN] = "open", [BOARD_WAITS] = "queued",  [BOARD_ENDED] = "ended",
};

enum board_state suite_board_state(const struct suite_follow *follow, size_t task)
{
    static const enum board_state states[] = {[TASK_WAITS] = BOARD_WAITS,
                                              [TASK_RUNS] = BOARD_OPEN,
                                              [TASK_HAS_ENDED] = BOARD_ENDED,
                                              [TASK_HAS_FAILED] = BOARD_FAILED};
    enum board_state state = states[follow->store.state.tasks[task].phase];

    if (state != BOARD_OPEN)
        return state;
    if (suite_follow_asks(follow, task))
        return BOARD_ASKS;
    if (follow->tasks[task].is_owned)
        return BOARD_RUNS;
    /*
     * The journal has no process for it at the moment: its process is about to begin, or has just
     * ended.
     */
    return follow->process.pid && !follow->tasks[task].facts.step ? BOARD_RUNS : BOARD_OPEN;
}

/* True if `a` has the faster kernel. */
static bool is_faster(const struct task_facts *a, const struct task_facts *b)
{
    if (a->speedup.value > 0 && b->speedup.value > 0)
        return a->speedup.value > b->speedup.value;
    return a->time.median_us < b->time.median_us;
}

static void add_speedup(struct board_row *row, const struct task_facts *facts, unsigned repeats)
{
    if (facts->speedup.value <= 0)
        return;
    if (!row->speedups)
        row->speedups = mem_alloc_zeroed(repeats, sizeof(*row->speedups));
    row->speedups[row->timed++] = facts->speedup.value;
}

static void count_task(struct board_row *row, const struct suite_follow *follow, size_t task)
{
    const struct task_facts *facts = &follow->tasks[task].facts;
    enum board_state state = suite_board_state(follow, task);

    row->in_state[state]++;
    row->tries += facts->tries;
    row->has_usd &= facts->is_known ? facts->has_usd : state == BOARD_WAITS;
    row->usd += facts->usd;
    row->device = facts->device ? facts->device : row->device;
    if (state == BOARD_ENDED)
        row->result = follow->store.state.tasks[task].result;
    if (facts->time.median_us > 0 &&
        (row->best == BOARD_NO_TASK || is_faster(facts, &follow->tasks[row->best].facts)))
        row->best = (long)task;
    if (state == BOARD_ASKS && (row->asking == BOARD_NO_TASK ||
                                task_facts_gains_more(facts, &follow->tasks[row->asking].facts)))
        row->asking = (long)task;
    add_speedup(row, facts, row->repeats);
}

static double mean_of(const double *ratios, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += log(ratios[i]);
    return count ? exp(sum / (double)count) : 0;
}

static struct board_row make_row(const struct suite_follow *follow, size_t problem, size_t arm)
{
    const struct suite *suite = &follow->store.suite;
    const char *device = suite->arms.items[arm].device;
    struct board_row row = {.problem = problem,
                            .arm = arm,
                            .repeats = suite->repeats,
                            .best = BOARD_NO_TASK,
                            .asking = BOARD_NO_TASK,
                            .has_usd = true,
                            .device = device ? device : ""};
    struct strbuf label = {0};

    suite_add_label(suite, problem, &label);
    row.label = strbuf_take(&label);
    for (unsigned repeat = 0; repeat < suite->repeats; repeat++)
        count_task(&row, follow,
                   suite_task_index(suite, (struct suite_task){problem, arm, repeat}));
    while (!row.in_state[row.state])
        row.state++;
    row.mean_speedup = mean_of(row.speedups, row.timed);
    return row;
}

void suite_board_make(struct suite_board *board, const struct suite_follow *follow)
{
    const struct suite *suite = &follow->store.suite;

    suite_board_release(board);
    for (size_t problem = 0; follow->store.state.count && problem < suite->problems.count;
         problem++)
        for (size_t arm = 0; arm < suite->arms.count; arm++)
            vec_push(board, make_row(follow, problem, arm));
}

void suite_board_release(struct suite_board *board)
{
    for (size_t i = 0; i < board->count; i++) {
        free(board->items[i].label);
        free(board->items[i].speedups);
    }
    vec_release(board);
}

static struct ratio mean_with_interval(const struct geometric_group *groups, size_t count,
                                       size_t ratios)
{
    return ratios <= INTERVAL_MOST ? geometric_mean(groups, count) : (struct ratio){0};
}

static void add_row(struct board_total *total, const struct board_row *row)
{
    total->tasks += row->repeats;
    for (size_t i = 0; i < BOARD_STATES; i++)
        total->in_state[i] += row->in_state[i];
    total->tries += row->tries;
    total->has_usd &= row->has_usd;
    total->usd += row->usd;
}

/*
 * Rows are added in the board's order, so that the interval does not depend on the order of `rows`.
 */
struct board_total suite_board_add_up(const struct suite_board *board, const size_t *rows,
                                      size_t count, bool with_interval)
{
    struct geometric_group *groups = mem_alloc_zeroed(count + 1, sizeof(*groups));
    double *means = mem_alloc_zeroed(count + 1, sizeof(*means));
    bool *is_wanted = mem_alloc_zeroed(board->count + 1, sizeof(*is_wanted));
    struct board_total total = {.rows = count, .has_usd = true};
    size_t ratios = 0;

    for (size_t i = 0; i < count; i++)
        is_wanted[rows[i]] = true;
    for (size_t i = 0; i < board->count; i++) {
        const struct board_row *row = &board->items[i];

        if (!is_wanted[i])
            continue;
        add_row(&total, row);
        if (!row->timed)
            continue;
        groups[total.timed] = (struct geometric_group){row->speedups, row->timed};
        means[total.timed++] = row->mean_speedup;
        ratios += row->timed;
    }
    if (with_interval)
        total.mean = mean_with_interval(groups, total.timed, ratios);
    total.mean.value = mean_of(means, total.timed);
    free(is_wanted);
    free(groups);
    free(means);
    return total;
}
