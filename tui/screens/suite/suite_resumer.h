#ifndef TUI_SCREENS_SUITE_SUITE_RESUMER_H
#define TUI_SCREENS_SUITE_SUITE_RESUMER_H

#include "core/suite/suite_overview.h"
#include "core/system/loop.h"
#include "tui/screens/suite/suite_starter.h"

/*
 * Resumes suites that have a decision to apply but no process. The process of a suite ends when all
 * remaining tasks wait for the engineer, and this module starts it again after a decision. Suites
 * that were interrupted or have used up their budget are not resumed: that is resumer to the
 * engineer.
 */
struct suite_resumer {
    const struct suite_overview *overview; /* borrowed */
    struct suite_starter starter;
    char resumed[CATALOG_ID_SIZE]; /* id of the suite that was resumed last */
    int64_t resumed_us;
    bool is_refused;         /* that suite did not begin; a message has shown the reason */
    struct loop_timer again; /* expires when that suite may be resumed again */
};

/* Begin; the overview must outlive it. */
void suite_resumer_open(struct suite_resumer *resumer, struct screen_host *host,
                        const struct suite_overview *overview);

/*
 * Resume one suite that has a decision and no process, if there is one.  Call it when suites have
 * changed.
 */
void suite_resumer_resume(struct suite_resumer *resumer);

/* A text for a message: what happens to a decision on a step of this suite. */
const char *suite_resumer_note(const struct listed_suite *suite);

/* Stop listening to suites that were started. */
void suite_resumer_close(struct suite_resumer *resumer);

#endif
