#ifndef BACKENDS_HOST_SYCL_RUNTIME_H
#define BACKENDS_HOST_SYCL_RUNTIME_H

#include <stdbool.h>

#include "core/base/status.h"

/*
 * The SYCL implementation in the executor's process, and the queue that kernels get. It is loaded
 * before any candidate, because its threads have to exist when the process gives up new ones. A
 * call ends when all that was submitted has been done.
 */
struct compiler_child;
struct team;
struct sycl_runtime;

/*
 * Compile and load it; kernels then use the team's threads. The error has the compiler's first
 * lines.
 */
enum status sycl_runtime_load(struct compiler_child *child, struct team *team,
                              struct sycl_runtime **runtime, struct error *err) MUST_CHECK;
void sycl_runtime_free(struct sycl_runtime *runtime);

/* The argument that each kernel gets first: the address of a sycl::queue. */
void *sycl_runtime_queue(const struct sycl_runtime *runtime);

/*
 * Let `work` call kernels, and wait for what they have submitted. False if an exception came;
 * sycl_runtime_thrown() is its text, until the next call.
 */
bool sycl_runtime_call(struct sycl_runtime *runtime, void (*work)(void *data), void *data);
const char *sycl_runtime_thrown(const struct sycl_runtime *runtime);

/*
 * The microseconds that the implementation's threads have worked since the last call ended: a
 * kernel that works on after its call would be timed too short.
 */
double sycl_runtime_late_us(const struct sycl_runtime *runtime);

#endif
