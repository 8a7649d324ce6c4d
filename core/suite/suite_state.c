#include "core/suite/suite_state.h"

#include <stdio.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/suite/suite.h"

static void move(struct suite_state *state, struct task_state *task, enum task_phase phase)
{
    state->in_phase[task->phase]--;
    state->in_phase[phase]++;
    task->phase = phase;
}

static enum status apply_opened(struct suite_state *state, const struct suite_opened *opened,
                                struct error *err)
{
    if (state->id)
        return error_set(err, STATUS_INVALID, "the suite is open already");
    if (opened->tasks < 1 || opened->tasks > SUITE_MOST_TASKS)
        return error_set(err, STATUS_INVALID, "a suite of %u tasks, expected 1 to %d",
                         opened->tasks, SUITE_MOST_TASKS);
    state->id = mem_strdup(opened->suite);
    state->count = opened->tasks;
    state->tasks = mem_alloc_zeroed(state->count, sizeof(*state->tasks));
    state->in_phase[TASK_WAITS] = state->count;
    return STATUS_OK;
}

/*
 * Find the task that an event names by its number; all events but task.started must also name its
 * session.  NULL with an error if there is no such task.
 */
static struct task_state *find_task(const struct suite_state *state, unsigned number,
                                    const char *session, struct error *err)
{
    if (number < 1 || number > state->count) {
        error_set(err, STATUS_INVALID, "names task %u of %zu", number, state->count);
        return NULL;
    }
    if (session && strcmp(state->tasks[number - 1].session, session) != 0) {
        error_set(err, STATUS_INVALID, "task %u has session \"%s\", not \"%.60s\"", number,
                  state->tasks[number - 1].session, session);
        return NULL;
    }
    return &state->tasks[number - 1];
}

/* A session's id becomes the name of a folder, so it must be safe as one. */
static enum status check_id(const char *id, struct error *err)
{
    size_t len = strlen(id);

    if (len == 0 || len >= CATALOG_ID_SIZE || strspn(id, "0123456789abcdef-") != len)
        return error_set(err, STATUS_INVALID, "\"%.60s\" is no id of a session", id);
    return STATUS_OK;
}

/* The time of an event, as from clock_read_stamp(); 0 if it has none. */
static int64_t time_of(const struct event *event)
{
    int64_t at_us = 0;

    return clock_read_stamp(event_time(event), &at_us) ? at_us : 0;
}

static enum status apply_started(struct suite_state *state, const struct task_started *started,
                                 int64_t at_us, struct error *err)
{
    struct task_state *task = find_task(state, started->task, NULL, err);

    if (!task || check_id(started->session, err))
        return STATUS_INVALID;
    if (task->phase == TASK_HAS_ENDED)
        return error_set(err, STATUS_INVALID, "task %u has ended already", started->task);
    free(task->reason);
    free(state->stopped);
    free(task->host);
    task->reason = state->stopped = NULL;
    task->host = mem_strdup(started->host);
    snprintf(task->session, sizeof(task->session), "%s", started->session);
    task->began_us = at_us;
    task->ended_us = 0;
    move(state, task, TASK_RUNS);
    return STATUS_OK;
}

static enum status apply_ended(struct suite_state *state, const struct task_ended *ended,
                               int64_t at_us, struct error *err)
{
    struct task_state *task = find_task(state, ended->task, ended->session, err);

    if (!task)
        return STATUS_INVALID;
    task->result = ended->result;
    task->ended_us = at_us;
    move(state, task, TASK_HAS_ENDED);
    return STATUS_OK;
}

static enum status apply_failed(struct suite_state *state, const struct task_failed *failed,
                                int64_t at_us, struct error *err)
{
    struct task_state *task = find_task(state, failed->task, failed->session, err);

    if (!task)
        return STATUS_INVALID;
    free(task->reason);
    task->reason = mem_strdup(failed->reason);
    task->ended_us = at_us;
    move(state, task, TASK_HAS_FAILED);
    return STATUS_OK;
}

static enum status apply_decoded(struct suite_state *state, const struct event *event,
                                 const union event_data *data, struct error *err)
{
    if (event->type == EVENT_TASK_STARTED)
        return apply_started(state, &data->task_started, time_of(event), err);
    if (event->type == EVENT_TASK_ENDED)
        return apply_ended(state, &data->task_ended, time_of(event), err);
    if (event->type == EVENT_TASK_FAILED)
        return apply_failed(state, &data->task_failed, time_of(event), err);
    free(state->stopped);
    state->stopped = NULL;
    if (event->type == EVENT_SUITE_STOPPED)
        state->stopped = mem_strdup(data->suite_stopped.reason);
    else if (data->suite_submitted.list > state->lists)
        state->lists = data->suite_submitted.list;
    return STATUS_OK;
}

enum status suite_state_apply(struct suite_state *state, const struct event *event,
                              struct error *err)
{
    union event_data data;
    enum status st;

    if (event->type < EVENT_SUITE_OPENED || event->type > EVENT_SUITE_SUBMITTED)
        return error_set(err, STATUS_INVALID, "%s is no event of a suite", event_name(event->type));
    if ((state->id == NULL) != (event->type == EVENT_SUITE_OPENED))
        return error_set(err, STATUS_INVALID, "a suite begins with suite.opened, and only there");
    st = event_decode(event, event_name(event->type), &data, err);
    if (st)
        return st;
    return event->type == EVENT_SUITE_OPENED ? apply_opened(state, &data.suite_opened, err)
                                             : apply_decoded(state, event, &data, err);
}

void suite_state_retry(struct suite_state *state, size_t task)
{
    move(state, &state->tasks[task], TASK_WAITS);
}

void suite_state_release(struct suite_state *state)
{
    for (size_t i = 0; i < state->count; i++) {
        free(state->tasks[i].reason);
        free(state->tasks[i].host);
    }
    free(state->tasks);
    free(state->id);
    free(state->stopped);
    *state = (struct suite_state){0};
}
