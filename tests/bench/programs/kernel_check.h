#ifndef TESTS_BENCH_PROGRAMS_KERNEL_CHECK_H
#define TESTS_BENCH_PROGRAMS_KERNEL_CHECK_H

#include "backends/cuda/compile.h"
#include "core/agent/reply/reply.h"
#include "core/base/attr.h"
#include "core/base/json.h"
#include "core/model/device_info.h"
#include "core/model/plan/dispatch.h"
#include "core/model/problem.h"

/*
 * Holds the launches of a candidate against the limits of a GPU that is not there, and compiles its
 * source.
 */

enum { MOST_CHANGES = 16 };

/* A problem whose candidates are checked, and how. Borrows everything. */
struct check {
    const struct problem *problem;
    const struct nvrtc *nvrtc; /* NULL: do not compile */
    bool prints, is_of_rewrites;
    const char *exports; /* the folder for exported candidates, or NULL */
    bool exports_tf32;
    const char *changes[MOST_CHANGES];
    size_t change_count;
    struct json *row, *faults; /* of the candidate that is being checked */
};

/* The device for which candidates are written. */
extern const struct device_info kernel_check_device;

/* Add a fault to the row of the candidate. */
void kernel_check_fault(struct check *check, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Check the launches and buffers of a candidate's plan, and compile its source if there is NVRTC.
 */
void kernel_check_dispatch(struct check *check, const struct candidate *candidate,
                           const struct dispatch *dispatch);

#endif
