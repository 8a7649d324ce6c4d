#ifndef CORE_MODEL_EVALUATION_PROGRESS_H
#define CORE_MODEL_EVALUATION_PROGRESS_H

#include "core/base/json.h"

/* How far an evaluation has come, as the judge reports it; every field but `stage` may be zero. */
struct evaluation_progress {
    const char *stage; /* "measuring roofs", "expected values", "building", "verifying", ... */
    unsigned done, total;
    double median_us; /* of the timed runs so far */
};

/* Add the fields to a message of the worker. */
void evaluation_progress_encode(const struct evaluation_progress *progress, struct json *message);

/* The progress in a message of the worker; borrows the stage. */
struct evaluation_progress evaluation_progress_decode(const struct json *message);

#endif
