#include "core/suite/suite_queues.h"

#include <string.h>

#include "core/base/mem.h"

/* Texts that are not given are equal. */
static bool is_same(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

void suite_queues_open(struct suite_queues *queues, const struct suite *suite)
{
    size_t arms = suite->arms.count;

    *queues = (struct suite_queues){.suite = suite,
                                    .queue_of = mem_alloc_zeroed(arms, sizeof(size_t)),
                                    .is_taken = mem_alloc_zeroed(arms, sizeof(bool))};
    for (size_t i = 0; i < arms; i++) {
        const struct suite_arm *arm = &suite->arms.items[i], *other = suite->arms.items;

        while (!is_same(arm->device, other->device) || !is_same(arm->worker, other->worker))
            other++;
        queues->queue_of[i] = (size_t)(other - suite->arms.items);
    }
}

void suite_queues_close(struct suite_queues *queues)
{
    free(queues->queue_of);
    free(queues->is_taken);
    *queues = (struct suite_queues){0};
}

static size_t queue_of(const struct suite_queues *queues, size_t task)
{
    return queues->queue_of[suite_task_at(queues->suite, task).arm];
}

bool suite_queues_take(struct suite_queues *queues, const struct suite_state *state, size_t *task)
{
    while (queues->first < state->count && state->tasks[queues->first].phase != TASK_WAITS)
        queues->first++;
    for (size_t i = queues->first; i < state->count; i++) {
        if (state->tasks[i].phase == TASK_WAITS && !queues->is_taken[queue_of(queues, i)]) {
            queues->is_taken[queue_of(queues, i)] = true;
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
    queues->is_taken[queue_of(queues, task)] = false;
}
