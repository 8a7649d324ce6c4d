#ifndef BACKENDS_EXECUTOR_H
#define BACKENDS_EXECUTOR_H

#include <stdbool.h>

/*
 * The executor: opens the device, builds and runs candidates, and answers the judge
 * (core/judge/executor/wire.h).  It holds nothing that is worth stealing or forging, because on a
 * CPU device a kernel can read and write all of its memory.
 *
 * Serves requests from descriptor 0 until the input ends.  Answers go to descriptor 1, which is
 * moved out of reach of kernels that print; shared memory is on descriptors 3 and 4.  Returns the
 * exit status.
 *
 * A profiler or sanitizer works inside this process, which is then contained less strictly
 * (backends/containment).
 */
int executor_serve(bool is_under_tool);

#endif
