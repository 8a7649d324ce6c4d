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
 * Add to the row what the verdict of its best attempt says, or else that of its last judged one:
 * speedups, and the machine.  A session without a verdict is left as it is, and so is one whose
 * verdict cannot be read: false.
 */
bool suite_verdicts_add(struct suite_verdicts *verdicts, const struct session *session,
                        struct report_row *row);

/* Close the repository and leave it empty. */
void suite_verdicts_close(struct suite_verdicts *verdicts);

#endif
