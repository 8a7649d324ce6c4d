#ifndef BACKENDS_EXECUTOR_RUN_H
#define BACKENDS_EXECUTOR_RUN_H

#include "backends/bench.h"
#include "core/base/json.h"
#include "core/judge/executor/wire.h"
#include "core/system/lines.h"

/* A run of a candidate in the executor. */

/*
 * Make the data that the request names, launch the slot's program, and put the times in
 * microseconds into the answer. A seed is overwritten in memory once its data is made. The slot
 * holds a program. On an error the answer is incomplete.
 */
enum status executor_serve_run(struct bench *bench, struct loaded *slot, struct wire_run *request,
                               struct json *answer, struct error *err) MUST_CHECK;

/* Runs that are repeated on the same inputs until a request arrives (wire.h). */
struct executor_repeats {
    struct loaded *slot; /* NULL if none are made */
    uint32_t poison;
    struct repeat_times times;
    enum status failed; /* of the last run */
    struct error why;
};

/* The runs that a request asks for. */
struct executor_repeats executor_repeats_of(struct loaded *slot, const struct json *request);

/* Put the times of the runs that were made into the answer. */
enum status executor_put_repeats(const struct executor_repeats *repeats, struct json *answer,
                                 struct error *err) MUST_CHECK;

/* Make another run, or read more of a line if one is there or no run shall be made. */
enum status executor_await_line(struct bench *bench, struct executor_repeats *repeats,
                                struct lines *lines) MUST_CHECK;

#endif
