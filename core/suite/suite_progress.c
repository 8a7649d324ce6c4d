#include "core/suite/suite_progress.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/base/text.h"

/* The durations of an arm's tasks. */
struct arm_times {
    double sum_s; /* the sum over ended tasks */
    size_t ended, waits;
    double part_s; /* the sum over tasks that failed or ask, which are parts of whole durations */
    size_t parts;
};

/* The remaining work of a device. */
struct device_work {
    double sum_s, longest_s;
    size_t runs, waits;
};

/* The index of the first arm with the same device and worker; it stands for the device. */
static size_t device_of(const struct suite *suite, size_t arm)
{
    size_t i = 0;

    while (!text_equals(suite->arms.items[i].device, suite->arms.items[arm].device) ||
           !text_equals(suite->arms.items[i].worker, suite->arms.items[arm].worker))
        i++;
    return i;
}

/*
 * The time that a task took.  The last process of a task that waited for the engineer ran only a
 * part of it.  So the time is at least what agents and judge took together, which leaves out only
 * the time in which one waited for the other.
 */
static double duration_of(const struct suite_follow *follow, size_t task)
{
    const struct task_state *state = &follow->store.state.tasks[task];
    double wall = (double)(state->ended_us - state->began_us) * 1e-6;
    double worked = follow->tasks[task].facts.minutes * 60;

    return state->began_us && state->ended_us && wall > worked ? wall : worked;
}

static void count_tasks(const struct suite_follow *follow, struct suite_progress *progress,
                        struct arm_times *arms)
{
    for (size_t i = 0; i < progress->tasks; i++) {
        enum board_state state = suite_board_state(follow, i);
        struct arm_times *arm = &arms[suite_task_at(&follow->store.suite, i).arm];

        progress->in_state[state]++;
        if (state == BOARD_ENDED) {
            arm->sum_s += duration_of(follow, i);
            arm->ended++;
        } else if (state == BOARD_FAILED || state == BOARD_ASKS) {
            arm->part_s += duration_of(follow, i);
            arm->parts++;
        }
        arm->waits += state == BOARD_WAITS || state == BOARD_RUNS;
    }
}

/* The time that a task of the arm takes.  Where all fail or ask, so will the next one. */
static double mean_of(const struct arm_times *arm)
{
    if (arm->ended)
        return arm->sum_s / (double)arm->ended;
    return arm->parts ? arm->part_s / (double)arm->parts : 0;
}

static void add_task(const struct suite_follow *follow, size_t task, double mean_s, int64_t now_us,
                     struct device_work *work)
{
    enum board_state state = suite_board_state(follow, task);
    double began_s = (double)(now_us - follow->store.state.tasks[task].began_us) * 1e-6;
    double left_s = state == BOARD_RUNS ? fmax(mean_s - began_s, 0) : mean_s;

    if (state != BOARD_WAITS && state != BOARD_RUNS)
        return;
    work->sum_s += left_s;
    work->runs += state == BOARD_RUNS;
    work->waits += state == BOARD_WAITS;
    if (state == BOARD_RUNS)
        work->longest_s = fmax(work->longest_s, left_s);
}

/* Find the remaining time: the time of the slowest device, because devices work in parallel. */
static bool find_left(const struct suite_follow *follow, const struct arm_times *arms,
                      int64_t now_us, double *left_s)
{
    const struct suite *suite = &follow->store.suite;
    struct device_work *work = mem_alloc_zeroed(suite->arms.count, sizeof(*work));
    bool is_known = true;

    for (size_t i = 0; i < suite->arms.count; i++)
        is_known &= !arms[i].waits || arms[i].ended || arms[i].parts;
    for (size_t i = 0; is_known && i < follow->store.state.count; i++) {
        size_t arm = suite_task_at(suite, i).arm;

        add_task(follow, i, mean_of(&arms[arm]), now_us, &work[device_of(suite, arm)]);
    }
    *left_s = 0;
    for (size_t i = 0; i < suite->arms.count; i++) {
        double slots = work[i].runs ? (double)work[i].runs : 1;

        *left_s = fmax(*left_s, fmax(work[i].sum_s / slots, work[i].longest_s));
    }
    free(work);
    return is_known;
}

struct suite_progress suite_progress_read(const struct suite_follow *follow, int64_t now_us)
{
    struct suite_progress progress = {.tasks = follow->store.state.count};
    struct arm_times *arms = mem_alloc_zeroed(follow->store.suite.arms.count, sizeof(*arms));
    bool has_work;

    count_tasks(follow, &progress, arms);
    has_work = progress.in_state[BOARD_RUNS] + progress.in_state[BOARD_WAITS] > 0;
    if (follow->process.pid && progress.in_state[BOARD_RUNS] && has_work)
        progress.has_left = find_left(follow, arms, now_us, &progress.left_s);
    free(arms);
    return progress;
}
