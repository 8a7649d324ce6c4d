#ifndef CORE_MODEL_EVALUATION_PROGRESS_H
#define CORE_MODEL_EVALUATION_PROGRESS_H

#include "core/base/json.h"

/* The progress of an evaluation, reported by the judge. Every field but `stage` may be zero. */
struct evaluation_progress {
    const char *stage; /* "measuring roofs", "expected values", "building", "verifying", ... */
    unsigned done, total;
    double median_us; /* median of the timed runs so far */
};

/* Add the fields to a message of the worker. */
void evaluation_progress_encode(const struct evaluation_progress *progress, struct json *message);

/* Read the progress from a message of the worker; borrows the stage. */
struct evaluation_progress evaluation_progress_decode(const struct json *message);

#endif
