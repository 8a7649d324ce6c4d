#ifndef CORE_SUITE_SUITE_VERDICTS_H
#define CORE_SUITE_SUITE_VERDICTS_H

#include "core/suite/report_row.h"

/*
 * Reads the verdicts of a suite's sessions from their repositories, for what journals do not say:
 * the comparison with each baseline, and the machine with its versions.  Sessions share a
 * repository, so the latest one stays open.  All zeros is valid.
 */
struct suite_verdicts {
    struct history *history; /* NULL: none is open */
    char *path;              /* of that one, or of one that could not be opened */
};

/*
 * Add to the row what the verdict of its best attempt says, or else that of its last judged one,
 * and count the task with its machine.  A session without a verdict, or with one that
 * cannot be read, is left as it is.
 */
void suite_verdicts_count(struct suite_verdicts *verdicts, const struct session *session,
                          struct report_machines *machines, struct report_row *row);

/* Close the repository and leave it empty. */
void suite_verdicts_close(struct suite_verdicts *verdicts);

#endif
