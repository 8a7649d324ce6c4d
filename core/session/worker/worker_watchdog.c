#include "core/session/worker/worker_watchdog.h"

static void on_nothing(void *data)
{
    struct worker_watchdog *watchdog = data;

    if (watchdog->is_silent) {
        watchdog->hung(watchdog->data);
        return;
    }
    watchdog->is_silent = true;
    if (!watchdog->is_elsewhere)
        loop_set_timer(watchdog->loop, &watchdog->timer, 2 * watchdog->patience_us, on_nothing,
                       watchdog);
    watchdog->silent(watchdog->data, true);
}

static void start_timer(struct worker_watchdog *watchdog)
{
    loop_set_timer(watchdog->loop, &watchdog->timer, watchdog->patience_us, on_nothing, watchdog);
}

void worker_watchdog_expect(struct worker_watchdog *watchdog)
{
    if (!watchdog->is_expecting && (watchdog->has_spoken || !watchdog->is_elsewhere))
        start_timer(watchdog);
    watchdog->is_expecting = true;
}

void worker_watchdog_note_message(struct worker_watchdog *watchdog)
{
    bool was_silent = watchdog->is_silent;

    watchdog->has_spoken = true;
    watchdog->is_silent = false;
    if (watchdog->is_expecting)
        start_timer(watchdog);
    if (was_silent)
        watchdog->silent(watchdog->data, false);
}

void worker_watchdog_rest(struct worker_watchdog *watchdog)
{
    watchdog->is_expecting = false;
    loop_clear_timer(watchdog->loop, &watchdog->timer);
}

void worker_watchdog_reset(struct worker_watchdog *watchdog)
{
    worker_watchdog_rest(watchdog);
    watchdog->has_spoken = watchdog->is_silent = false;
}
