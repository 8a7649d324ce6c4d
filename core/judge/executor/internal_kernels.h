#ifndef CORE_JUDGE_EXECUTOR_INTERNAL_KERNELS_H
#define CORE_JUDGE_EXECUTOR_INTERNAL_KERNELS_H

#include "core/judge/executor/executor_process.h"

/*
 * kforge's own kernels, which poison buffers and make what is in them: what the executor's compiler
 * made of them is kept (compiled.h), and handed to the next executor.
 *
 * On a CPU a candidate may take over the executor, so what is kept comes from one that has not been
 * sent any program yet: what it answers after that is not kept, whatever it says.
 */

/* Have those ready that the executor has just asked for by their keys. */
enum status internal_kernels_supply(struct executor_process *process, const struct json *keys,
                                    const char *compiler, struct error *err) MUST_CHECK;

#endif
