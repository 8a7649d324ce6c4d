#ifndef TUI_SCREENS_SUITE_LEFT_SUITES_H
#define TUI_SCREENS_SUITE_LEFT_SUITES_H

#include "core/suite/suite_overview.h"
#include "core/system/loop.h"
#include "tui/screens/suite/suite_starter.h"

/*
 * Lets suites go on whose decisions nobody takes.  The process of a suite ends when all that is
 * left of it waits for the engineer; a decision begins it again.  A suite that was interrupted, or
 * that has used up its budget, is resumed by the engineer only.
 */
struct left_suites {
    const struct suite_overview *overview; /* borrowed */
    struct suite_starter starter;
    char resumed[CATALOG_ID_SIZE]; /* the suite that was resumed last */
    int64_t resumed_us;
    bool is_refused;         /* it did not begin: a message has told why */
    struct loop_timer again; /* due when it may be resumed again */
};

/* Begin; the overview outlives it. */
void left_suites_open(struct left_suites *left, struct screen_host *host,
                      const struct suite_overview *overview);

/* Resume a suite that was left, if there is one; call it when suites have changed. */
void left_suites_resume(struct left_suites *left);

/* The fate of a decision on a step of this suite, for a message. */
const char *left_suites_note(const struct listed_suite *suite);

/* Hear no more of suites that were begun. */
void left_suites_close(struct left_suites *left);

#endif
