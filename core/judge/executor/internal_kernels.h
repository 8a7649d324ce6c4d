#ifndef CORE_JUDGE_EXECUTOR_INTERNAL_KERNELS_H
#define CORE_JUDGE_EXECUTOR_INTERNAL_KERNELS_H

#include "core/judge/executor/executor_process.h"

/*
 * Caching of kforge's internal kernels, which poison buffers and fill them with data: the binary
 * that one executor's compiler makes is cached (compiled.h) and sent to the next executor.
 *
 * On a CPU a candidate may take over the executor. Binaries are therefore cached only from an
 * executor that has not been sent any program yet; whatever it offers afterwards is ignored.
 */

/*
 * Send the executor the cached binaries of the internal kernels that it asks for by `keys`, have it
 * make the others, and cache these. `compiler` is part of the cache's key (compiled.h).
 */
enum status internal_kernels_supply(struct executor_process *process, const struct json *keys,
                                    const char *compiler, struct error *err) MUST_CHECK;

#endif
