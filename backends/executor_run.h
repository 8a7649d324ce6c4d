#ifndef BACKENDS_EXECUTOR_RUN_H
#define BACKENDS_EXECUTOR_RUN_H

#include "backends/bench.h"
#include "core/base/json.h"
#include "core/judge/executor/wire.h"

/* A run of a candidate in the executor. */

/*
 * Make the data that the request names, launch the slot's program, and put the times in
 * microseconds into the answer. A seed is overwritten in memory once its data is made. The slot
 * holds a program. On an error the answer is incomplete.
 */
enum status executor_serve_run(struct bench *bench, struct loaded *slot, struct wire_run *request,
                               struct json *answer, struct error *err) MUST_CHECK;

#endif
