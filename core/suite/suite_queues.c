#include "core/suite/suite_queues.h"

#include <string.h>

#include "core/base/mem.h"
#include "core/system/machine.h"

/* Tasks that run at once on a device while their agents think, and the memory that each needs. */
enum { MOST_THINKERS = 16 };
static const double bytes_of_thinker = 1.25e9;

/* The tasks of a device that run. */
struct suite_queue {
    unsigned thinkers, others;
};

/* Texts that are not given are equal. */
static bool is_same(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

static unsigned find_most_thinkers(void)
{
    double most = machine_memory_bytes() / bytes_of_thinker;

    return most < 1 ? 1 : most > MOST_THINKERS ? MOST_THINKERS : (unsigned)most;
}

void suite_queues_open(struct suite_queues *queues, const struct suite *suite, unsigned jobs)
{
    size_t arms = suite->arms.count;

    *queues = (struct suite_queues){.suite = suite,
                                    .jobs = jobs,
                                    .most_thinkers = find_most_thinkers(),
                                    .queues = mem_alloc_zeroed(arms, sizeof(*queues->queues)),
                                    .queue_of = mem_alloc_zeroed(arms, sizeof(size_t))};
    for (size_t i = 0; i < arms; i++) {
        const struct suite_arm *arm = &suite->arms.items[i], *other = suite->arms.items;

        while (!is_same(arm->device, other->device) || !is_same(arm->worker, other->worker))
            other++;
        queues->queue_of[i] = (size_t)(other - suite->arms.items);
    }
}

void suite_queues_close(struct suite_queues *queues)
{
    free(queues->queues);
    free(queues->queue_of);
    *queues = (struct suite_queues){0};
}

/* The number of tasks of its kind that run beside a task on its device. */
static unsigned *count_of(const struct suite_queues *queues, size_t task)
{
    size_t arm = suite_task_at(queues->suite, task).arm;
    struct suite_queue *queue = &queues->queues[queues->queue_of[arm]];

    return suite_arm_thinks(&queues->suite->arms.items[arm]) ? &queue->thinkers : &queue->others;
}

static bool has_room(const struct suite_queues *queues, size_t task)
{
    size_t arm = suite_task_at(queues->suite, task).arm;
    const struct suite_queue *queue = &queues->queues[queues->queue_of[arm]];

    if (queues->jobs)
        return queue->thinkers + queue->others < queues->jobs;
    if (suite_arm_thinks(&queues->suite->arms.items[arm]))
        return queue->thinkers < queues->most_thinkers;
    return queue->others == 0;
}

bool suite_queues_take(struct suite_queues *queues, const struct suite_state *state, size_t *task)
{
    while (queues->first < state->count && state->tasks[queues->first].phase != TASK_WAITS)
        queues->first++;
    for (size_t i = queues->first; i < state->count; i++) {
        if (state->tasks[i].phase == TASK_WAITS && has_room(queues, i)) {
            ++*count_of(queues, i);
            *task = i;
            return true;
        }
    }
    return false;
}

void suite_queues_return(struct suite_queues *queues, size_t task)
{
    if (task < queues->first)
        queues->first = task;
}

void suite_queues_give(struct suite_queues *queues, size_t task)
{
    --*count_of(queues, task);
}
