#ifndef CORE_JUDGE_DEVICE_MEMORY_SHARE_H
#define CORE_JUDGE_DEVICE_MEMORY_SHARE_H

#include "core/system/turn_lock.h"

/*
 * Divides a limited resource, such as the memory of a GPU, among processes. Each process states how
 * much it will use at most, and waits until that is free. Waiting processes get their parts in
 * turn, so that a process with a large part does not starve. The parts are files in a folder, each
 * locked by its process: the kernel releases the lock when the process ends, and another process
 * then removes the file.
 */
struct memory_share;

/*
 * A share of nothing. `folder` is created if it is missing. After waiting for `limit_us` a part is
 * granted although others have not left enough: they may use less than they said.
 */
struct memory_share *memory_share_new(const char *folder, int64_t limit_us);
/* Give the part back, and free the share; takes NULL. */
void memory_share_free(struct memory_share *share);

/*
 * Give the part back and take another one; wait until the parts of all processes are at most
 * `total`. A process that would have it alone never waits, however much it wants. Without a usable
 * folder the part is granted at once. `*waited_us` receives the time waited. False if the patience
 * ended first.
 */
bool memory_share_take(struct memory_share *share, double part, double total,
                       const struct turn_patience *patience, int64_t *waited_us);

#endif
