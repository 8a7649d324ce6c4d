#include "core/suite/run/suite_queues.h"

#include <string.h>

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/system/machine.h"

/* The most tasks with models as agents that run at once on a device, and the memory of each. */
enum { MOST_THINKERS = 16 };
static const double bytes_of_thinker = 1.25e9;

/* The running tasks of one device. */
struct suite_queue {
    unsigned thinkers, others;
};

struct suite_duration {
    double minutes; /* the sum of the minutes */
    unsigned sessions;
};

static unsigned find_most_thinkers(void)
{
    double most = machine_memory_bytes() / bytes_of_thinker;

    return most < 1 ? 1 : most > MOST_THINKERS ? MOST_THINKERS : (unsigned)most;
}

void suite_queues_open(struct suite_queues *queues, const struct suite *suite,
                       const struct suite_run_options *options)
{
    const struct suite_place *place = options->place;
    size_t arms = suite->arms.count, hosts = place && place->hosts.count ? place->hosts.count : 1;

    *queues =
        (struct suite_queues){.suite = suite,
                              .place = place,
                              .jobs = options->jobs,
                              .most_thinkers = find_most_thinkers(),
                              .queues = mem_alloc_zeroed(arms * hosts, sizeof(*queues->queues)),
                              .queue_of = mem_alloc_zeroed(arms, sizeof(size_t)),
                              .hosts = hosts,
                              .is_closed = mem_alloc_zeroed(hosts, sizeof(bool))};
    queues->durations = mem_alloc_zeroed(suite->problems.count * arms, sizeof(*queues->durations));
    for (size_t i = 0; i < arms; i++) {
        const struct suite_arm *arm = &suite->arms.items[i], *other = suite->arms.items;

        while (!text_equals(arm->device, other->device) || !text_equals(arm->worker, other->worker))
            other++;
        queues->queue_of[i] = (size_t)(other - suite->arms.items);
    }
}

void suite_queues_close(struct suite_queues *queues)
{
    free(queues->queues);
    free(queues->queue_of);
    free(queues->is_closed);
    free(queues->durations);
    *queues = (struct suite_queues){0};
}

static struct suite_queue *queue_at(const struct suite_queues *queues, struct suite_seat seat)
{
    size_t arm = suite_task_at(queues->suite, seat.task).arm;

    return &queues->queues[seat.host * queues->suite->arms.count + queues->queue_of[arm]];
}

static bool thinks(const struct suite_queues *queues, size_t task)
{
    return suite_arm_thinks(&queues->suite->arms.items[suite_task_at(queues->suite, task).arm]);
}

/*
 * The counter of running tasks to which a task in this seat belongs: by its device and kind of
 * agent.
 */
static unsigned *count_of(const struct suite_queues *queues, struct suite_seat seat)
{
    struct suite_queue *queue = queue_at(queues, seat);

    return thinks(queues, seat.task) ? &queue->thinkers : &queue->others;
}

static bool has_room(const struct suite_queues *queues, struct suite_seat seat)
{
    const struct suite_queue *queue = queue_at(queues, seat);

    if (queues->is_closed[seat.host])
        return false;
    if (queues->jobs)
        return queue->thinkers + queue->others < queues->jobs;
    if (thinks(queues, seat.task))
        return queue->thinkers < queues->most_thinkers;
    return queue->others == 0;
}

/* The index of an open host by its name; the number of hosts if there is none. */
static size_t find_host(const struct suite_queues *queues, const char *name)
{
    size_t i = 0;

    if (!name || !queues->place || !queues->place->hosts.count)
        return queues->hosts;
    while (i < queues->hosts && strcmp(queues->place->hosts.items[i].name, name) != 0)
        i++;
    return i < queues->hosts && queues->is_closed[i] ? queues->hosts : i;
}

/* Choose the host for a task; false if no host has room. */
static bool choose_host(const struct suite_queues *queues, const char *began_on,
                        struct suite_seat *seat)
{
    struct suite_seat at = {seat->task, find_host(queues, began_on)};
    bool is_found = false;

    if (at.host < queues->hosts) {
        *seat = at;
        return has_room(queues, at);
    }
    for (at.host = 0; at.host < queues->hosts; at.host++) {
        if (!has_room(queues, at) ||
            (is_found && *count_of(queues, at) >= *count_of(queues, *seat)))
            continue;
        *seat = at;
        is_found = true;
    }
    return is_found;
}

static struct suite_duration *duration_at(const struct suite_queues *queues, size_t problem,
                                          size_t arm)
{
    return &queues->durations[problem * queues->suite->arms.count + arm];
}

void suite_queues_learn(struct suite_queues *queues, size_t task, double minutes)
{
    struct suite_task at = suite_task_at(queues->suite, task);
    struct suite_duration *duration = duration_at(queues, at.problem, at.arm);

    duration->minutes += minutes;
    duration->sessions++;
}

/* The expected minutes of a task; 0 if nothing is known of its problem. */
static double expect(const struct suite_queues *queues, size_t task)
{
    struct suite_task at = suite_task_at(queues->suite, task);
    struct suite_duration sum = *duration_at(queues, at.problem, at.arm);

    for (size_t arm = 0; arm < queues->suite->arms.count && !sum.sessions; arm++)
        sum = *duration_at(queues, at.problem, arm);
    return sum.sessions ? sum.minutes / sum.sessions : 0;
}

bool suite_queues_take(struct suite_queues *queues, const struct suite_state *state,
                       struct suite_seat *seat)
{
    bool is_found = false;
    double shortest = 0;

    while (queues->first < state->count && state->tasks[queues->first].phase != TASK_WAITS)
        queues->first++;
    for (size_t i = queues->first; i < state->count; i++) {
        struct suite_seat at = {.task = i};
        double minutes = queues->suite->order == SUITE_SHORTEST ? expect(queues, i) : 0;

        if (state->tasks[i].phase != TASK_WAITS || (is_found && minutes >= shortest) ||
            !choose_host(queues, state->tasks[i].host, &at))
            continue;
        *seat = at;
        shortest = minutes;
        is_found = true;
        if (shortest <= 0)
            break;
    }
    if (is_found)
        ++*count_of(queues, *seat);
    return is_found;
}

void suite_queues_return(struct suite_queues *queues, size_t task)
{
    if (task < queues->first)
        queues->first = task;
}

void suite_queues_give(struct suite_queues *queues, struct suite_seat seat)
{
    --*count_of(queues, seat);
}

bool suite_queues_close_host(struct suite_queues *queues, size_t host)
{
    bool was_open = !queues->is_closed[host];

    queues->is_closed[host] = true;
    return was_open;
}
