#ifndef BACKENDS_CONTAINMENT_CALLS_H
#define BACKENDS_CONTAINMENT_CALLS_H

#include <stdbool.h>

/*
 * Restrict this process permanently to system calls that stay within it (seccomp(2), through
 * libseccomp). The process then reaches no network and no socket of another process, signals and
 * traces no other process, cannot leave its session, and creates no shared memory that outlives it.
 * A refused call fails with EACCES or EPERM and does not kill the process, so that drivers can do
 * without it.
 *
 * With `keeps_sockets`, the rules on sockets are left out: for a process in a network of its own
 * (network.h).
 *
 * Returns true if the filter is in force.
 */
bool calls_restrict(bool keeps_sockets);

/*
 * Refuse all threads of this process to start processes, programs and threads. Returns true if that
 * is in force.
 */
bool calls_refuse_processes(void);

#endif
