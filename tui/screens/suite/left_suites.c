#include "tui/screens/suite/left_suites.h"

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
    left_suites_resume(data);
}

static void hear_resumed(void *data, const char *suite)
{
    struct left_suites *left = data;

    (void)suite;
    left->is_refused = false;
    left_suites_resume(left);
}

void left_suites_open(struct left_suites *left, struct screen_host *host,
                      const struct suite_overview *overview)
{
    *left = (struct left_suites){.overview = overview,
                                 .starter = {.host = host, .started = hear_resumed, .data = left}};
}

static bool is_left(const struct listed_suite *suite)
{
    const struct suite_follow *follow = suite->follow;
    bool is_handed = false;

    for (size_t i = 0; follow && i < follow->store.state.count; i++)
        is_handed |= follow->tasks[i].is_handed;
    return is_handed && !follow->is_reading && !follow->runner && !follow->store.state.stopped;
}

static void resume(struct left_suites *left, const char *id)
{
    int64_t now_us = clock_now_us(), wait_us = left->resumed_us + RESUMED_US - now_us;
    bool is_again = strcmp(left->resumed, id) == 0;

    if (is_again && left->is_refused)
        return;
    if (is_again && wait_us > 0) {
        loop_set_timer(left->starter.host->loop, &left->again, wait_us, look_again, left);
        return;
    }
    snprintf(left->resumed, sizeof(left->resumed), "%s", id);
    left->resumed_us = now_us;
    left->is_refused = true; /* stays set until a suite begins */
    suite_starter_resume(&left->starter, id);
}

void left_suites_resume(struct left_suites *left)
{
    for (size_t i = 0; i < left->overview->count && !left->starter.process.pid; i++)
        if (is_left(&left->overview->items[i]))
            resume(left, left->overview->items[i].id);
}

const char *left_suites_note(const struct listed_suite *suite)
{
    return suite->follow->store.state.stopped && !suite->follow->runner
               ? "the suite is stopped: it applies the decision when it is resumed"
               : "the suite continues with it";
}

void left_suites_close(struct left_suites *left)
{
    if (left->starter.host)
        loop_clear_timer(left->starter.host->loop, &left->again);
    suite_starter_leave(&left->starter);
}
