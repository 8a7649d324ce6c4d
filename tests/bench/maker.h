#ifndef TESTS_BENCH_MAKER_H
#define TESTS_BENCH_MAKER_H

#include "core/session/state/session.h"
#include "core/session/store/history.h"
#include "core/session/store/journal.h"

/*
 * Makes sessions of any length through the journal and the history that the
 * program uses: what happens next is what core/session/state/engine.h asks for, and
 * what agent and judge would say is made up.
 */
struct maker {
    struct session session;
    struct journal *journal;
    struct history *history;
    const char *id, *agent, *repository; /* borrowed */
    size_t long_from;                    /* the step from which kernels have... */
    unsigned lines;                      /* ...so many lines, and not few; 0: never */
    bool archives;                       /* candidates become commits */
};

/* Open the session `id` where there is one; else it begins with the first maker_act(). */
enum status maker_open(struct maker *maker, struct error *err) MUST_CHECK;
void maker_release(struct maker *maker);

/* Do one thing, whatever comes next. */
enum status maker_act(struct maker *maker, struct error *err) MUST_CHECK;

/* Go on until there are so many steps, and the last is a prompt that waits. */
enum status maker_play(struct maker *maker, size_t steps, struct error *err) MUST_CHECK;

/* Write an event and apply it. Takes the event. */
enum status maker_record(struct maker *maker, struct event event, struct error *err) MUST_CHECK;

/* For journal_open(); `data` is a struct session. */
enum status maker_fold(void *data, const struct event *event, struct error *err) MUST_CHECK;

#endif
