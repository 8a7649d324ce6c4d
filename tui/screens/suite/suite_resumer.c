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

static void hear_resumed(void *data, const char *suite)
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
        .overview = overview, .starter = {.host = host, .started = hear_resumed, .data = resumer}};
}

/* True if a task of the suite has a decision to apply and no process runs the suite. */
static bool must_resume(const struct listed_suite *suite)
{
    const struct suite_follow *follow = suite->follow;
    bool is_handed = false;

    for (size_t i = 0; follow && i < follow->store.state.count; i++)
        is_handed |= follow->tasks[i].is_handed;
    return is_handed && !follow->is_reading && !follow->runner && !follow->store.state.stopped;
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

void suite_resumer_resume(struct suite_resumer *resumer)
{
    for (size_t i = 0; i < resumer->overview->count && !resumer->starter.process.pid; i++)
        if (must_resume(&resumer->overview->items[i]))
            resume(resumer, resumer->overview->items[i].id);
}

const char *suite_resumer_note(const struct listed_suite *suite)
{
    return suite->follow->store.state.stopped && !suite->follow->runner
               ? "the suite is stopped: it applies the decision when it is resumed"
               : "the suite continues with it";
}

void suite_resumer_close(struct suite_resumer *resumer)
{
    if (resumer->starter.host)
        loop_clear_timer(resumer->starter.host->loop, &resumer->again);
    suite_starter_leave(&resumer->starter);
}
