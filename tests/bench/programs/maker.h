#ifndef TESTS_BENCH_MAKER_H
#define TESTS_BENCH_MAKER_H

#include "core/session/state/session.h"
#include "core/session/store/history.h"
#include "core/session/store/journal.h"

/*
 * The maker writes synthetic sessions of any length through the program's own journal and history.
 * core/session/state/engine.h decides on each next action; the maker invents the answers of agent
 * and judge.
 */
struct maker {
    struct session session;
    struct journal *journal;
    struct history *history;
    const char *id, *agent, *repository; /* borrowed */
    size_t long_from;                    /* first step with long kernels */
    unsigned lines;                      /* of a long kernel; 0: all kernels are short */
    bool archives;                       /* candidates become commits */
};

/* Open the session `id` if it exists; otherwise the first maker_act() creates it. */
enum status maker_open(struct maker *maker, struct error *err) MUST_CHECK;
void maker_release(struct maker *maker);

/* Carry out the next action of the engine. */
enum status maker_act(struct maker *maker, struct error *err) MUST_CHECK;

/* Act until the session has `steps` steps and the last is a prompt that waits for a decision. */
enum status maker_play(struct maker *maker, size_t steps, struct error *err) MUST_CHECK;

/* Append an event to the journal and apply it to the session. Takes ownership of the event. */
enum status maker_record(struct maker *maker, struct event event, struct error *err) MUST_CHECK;

/* Apply an event: the callback for journal_open(). `data` is a struct session. */
enum status maker_fold(void *data, const struct event *event, struct error *err) MUST_CHECK;

#endif
