#ifndef CORE_SUITE_SUITE_OVERVIEW_H
#define CORE_SUITE_SUITE_OVERVIEW_H

#include "core/suite/suite_progress.h"
#include "core/system/clock.h"

/*
 * All suites on this machine, the newest first.  Suites that have not ended are followed
 * (suite_follow.h, only their open tasks); of ended suites the counts are read once.  New suites
 * are added when they begin.  Each turn of the loop reads one suite.
 */

struct listed_suite {
    char id[CATALOG_ID_SIZE];
    char *name, *trouble; /* trouble: why it cannot be read; NULL if it can */
    size_t problems, arms;
    unsigned repeats;
    size_t tasks, in_phase[TASK_HAS_FAILED + 1];
    struct suite_follow *follow; /* NULL if all its tasks have ended */
};

struct suite_overview {
    struct listed_suite *items;
    size_t count, capacity;
    bool is_reading; /* some suites have not been read yet */
    struct overview_work *work;
};

/* Begin.  `changed` is called from the loop after the struct's contents have changed. */
enum status suite_overview_open(struct suite_overview *overview, struct loop *loop,
                                void (*changed)(void *data), void *data,
                                struct error *err) MUST_CHECK;

/* The number of the suite's steps that wait for the engineer. */
size_t suite_overview_asking(const struct listed_suite *suite);

/* Free the contents and leave it empty. */
void suite_overview_close(struct suite_overview *overview);

#endif
