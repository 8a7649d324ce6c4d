#include "tui/screens/suite/left_suites.h"

#include <stdio.h>
#include <string.h>

#include "core/system/clock.h"

/* A suite is not resumed twice within this time: one that ends at once stays so. */
enum { RESUMED_US = 10 * 1000000 };

static void hear_resumed(void *data, const char *suite)
{
    (void)suite;
    left_suites_resume(data);
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

void left_suites_resume(struct left_suites *left)
{
    int64_t now_us = clock_now_us();

    for (size_t i = 0; i < left->overview->count && !left->starter.process.pid; i++) {
        const struct listed_suite *suite = &left->overview->items[i];
        bool was_resumed =
            strcmp(left->resumed, suite->id) == 0 && now_us < left->resumed_us + RESUMED_US;

        if (!is_left(suite) || was_resumed)
            continue;
        snprintf(left->resumed, sizeof(left->resumed), "%s", suite->id);
        left->resumed_us = now_us;
        suite_starter_resume(&left->starter, suite->id);
    }
}

const char *left_suites_note(const struct listed_suite *suite)
{
    return suite->follow->store.state.stopped && !suite->follow->runner
               ? "the suite was stopped, and takes it when it is resumed"
               : "the suite goes on with it";
}

void left_suites_close(struct left_suites *left)
{
    suite_starter_leave(&left->starter);
}
