#ifndef BACKENDS_EXECUTOR_H
#define BACKENDS_EXECUTOR_H

#include <stdbool.h>

/*
 * The executor: owns the device, builds and runs candidates, and answers the
 * judge (core/judge/executor/wire.h).  It holds nothing worth stealing or forging,
 * because on a CPU device a kernel can read and write all of its memory.
 *
 * Serve requests from descriptor 0, answers to descriptor 1, shared memory on
 * descriptor 3, until the input ends.  Returns the exit status.  Standard
 * output is moved out of the way first: kernels may print.
 *
 * Under a profiler or a sanitizer, which works inside of this process, it is
 * contained less (backends/containment).
 */
int executor_serve(bool is_watched);

#endif
