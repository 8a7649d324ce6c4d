#include "core/session/driver/driver_record.h"

#include <stdio.h>
#include <string.h>

#include "core/session/state/fold.h"

void driver_schedule(struct driver *driver)
{
    loop_set_timer(driver->loop, &driver->turn, 0, driver->take_turn, driver);
}

void driver_set_activity(struct driver *driver, enum busy busy, const char *activity)
{
    driver->live.busy = busy;
    driver->live.activity = activity;
    driver->live.since_us = clock_now_us();
    driver->live.progress = (struct evaluation_progress){0};
    driver->listener.live(driver->listener.data);
}

void driver_set_notice(struct driver *driver, const char *line)
{
    snprintf(driver->live.notice, sizeof(driver->live.notice), "%s", line);
    driver->listener.live(driver->listener.data);
}

void driver_end(struct driver *driver, const struct error *err)
{
    driver->is_running = false;
    driver->is_over = true;
    driver_set_activity(driver, BUSY_NOT, NULL);
    driver->listener.ended(driver->listener.data, err);
}

enum status driver_record(struct driver *driver, struct event event, struct error *err)
{
    enum status st = fold_check(&driver->session, &event, err);

    if (!st)
        st = journal_append(driver->journal, &event, err);
    if (!st)
        st = fold_apply(&driver->session, &event, err);
    if (!st) {
        text_refs_add(&driver->text_refs, &event);
        driver->listener.event(driver->listener.data, &event);
        driver_schedule(driver);
    }
    event_release(&event);
    return st;
}

enum status driver_put(struct driver *driver, const char *text, char id[OBJECT_ID_SIZE],
                       struct error *err)
{
    return history_put(driver->history, text, strlen(text), id, err);
}

enum status driver_commit_texts(struct driver *driver, struct error *err)
{
    return text_refs_commit(&driver->text_refs, driver->history, &driver->session, err);
}
