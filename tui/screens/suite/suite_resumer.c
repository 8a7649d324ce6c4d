#include "tui/screens/suite/suite_resumer.h"

#include <stdio.h>
#include <string.h>

#include "core/system/clock.h"

/*
 * A suite is not resumed again within this time, because the process that was just started may
 * still apply the decision.
 */
enum { RESUMED_US = 2 * 1000000 };

static void look_again(void *data)
{
    suite_resumer_resume(data);
}

static void on_resumed(void *data, const char *suite)
{
    struct suite_resumer *resumer = data;

    (void)suite;
    resumer->is_refused = false;
    suite_resumer_resume(resumer);
}

void suite_resumer_open(struct suite_resumer *resumer, struct screen_host *host,
                        const struct suite_overview *overview)
{
    *resumer = (struct suite_resumer){
        .overview = overview, .starter = {.host = host, .started = on_resumed, .data = resumer}};
}

/* True if a task of the suite has a decision to apply and no process runs the suite. */
static bool must_resume(const struct listed_suite *suite)
{
    const struct suite_follow *follow = suite->follow;
    bool is_handed = false;

    for (size_t i = 0; follow && i < follow->store.state.count; i++)
        is_handed |= follow->tasks[i].is_handed;
    return is_handed && !follow->is_reading && !follow->process.pid && !follow->store.state.stopped;
}

/*
 * True if the suite must be resumed on another machine: without a scheduler, tasks run on the
 * devices of the machine of the suite's process.
 */
static bool belongs_elsewhere(const struct suite_follow *follow)
{
    return follow->process.is_elsewhere && follow->store.state.lists == 0;
}

static void resume(struct suite_resumer *resumer, const char *id)
{
    int64_t now_us = clock_now_us(), wait_us = resumer->resumed_us + RESUMED_US - now_us;
    bool is_again = strcmp(resumer->resumed, id) == 0;

    if (is_again && resumer->is_refused)
        return;
    if (is_again && wait_us > 0) {
        loop_set_timer(resumer->starter.host->loop, &resumer->again, wait_us, look_again, resumer);
        return;
    }
    snprintf(resumer->resumed, sizeof(resumer->resumed), "%s", id);
    resumer->resumed_us = now_us;
    resumer->is_refused = true; /* stays set until a suite begins */
    suite_starter_resume(&resumer->starter, id);
}

/* A refusal counts for one decision: the process that had the suite open has applied it. */
static void forget_refusal(struct suite_resumer *resumer, const char *id)
{
    if (strcmp(resumer->resumed, id) == 0)
        resumer->is_refused = false;
}

void suite_resumer_resume(struct suite_resumer *resumer)
{
    for (size_t i = 0; i < resumer->overview->count && !resumer->starter.process.pid; i++) {
        const struct listed_suite *suite = &resumer->overview->items[i];

        if (!must_resume(suite))
            forget_refusal(resumer, suite->id);
        else if (!belongs_elsewhere(suite->follow))
            resume(resumer, suite->id);
    }
}

const char *suite_resumer_note(const struct listed_suite *suite)
{
    const struct suite_follow *follow = suite->follow;

    if (follow->process.pid || (!follow->store.state.stopped && !belongs_elsewhere(follow)))
        return "the suite continues with it";
    return belongs_elsewhere(follow)
               ? "the suite applies the decision when it is resumed on the machine that ran it"
               : "the suite is stopped: it applies the decision when it is resumed";
}

void suite_resumer_close(struct suite_resumer *resumer)
{
    if (resumer->starter.host)
        loop_clear_timer(resumer->starter.host->loop, &resumer->again);
    suite_starter_leave(&resumer->starter);
}
