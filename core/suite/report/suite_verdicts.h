#ifndef CORE_SUITE_REPORT_SUITE_VERDICTS_H
#define CORE_SUITE_REPORT_SUITE_VERDICTS_H

#include "core/suite/report/report_row.h"

/*
 * Reads verdicts of a suite's sessions from their repositories, for two things that journals lack:
 * the comparison with each baseline, and the machine with its versions.  The repository that was
 * read last stays open, because sessions often share one.  All zeros is valid.
 */
struct suite_verdicts {
    struct history *history; /* NULL if none is open */
    /* path of the repository that was opened, or could not be opened, last */
    char *path;
};

/*
 * Add to the row the speedups and the machine from the verdict on its best attempt, or else on the
 * last judged one.  If there is no verdict the row stays as it is.  False if a verdict cannot be
 * read.
 */
bool suite_verdicts_add(struct suite_verdicts *verdicts, const struct session *session,
                        struct report_row *row);

/* Close the repository and leave it empty. */
void suite_verdicts_close(struct suite_verdicts *verdicts);

#endif
