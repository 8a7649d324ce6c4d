#ifndef BACKENDS_CONTAINMENT_NETWORK_H
#define BACKENDS_CONTAINMENT_NETWORK_H

#include <stdbool.h>

/*
 * Moves this process and those that it starts into a network namespace that contains only a
 * loopback device (network_namespaces(7)).  CUDA's tools talk over TCP to the program that they
 * inspect, and a filter of system calls cannot tell that from a connection to another machine.
 *
 * Without privileges this takes a user namespace, in which the process keeps its user id; the
 * process must then have a single thread.  Returns true if the process is isolated; the kernel or a
 * container may refuse.
 */
bool network_leave(void);

/* True if the process can reach no network device other than loopback. */
bool network_is_left(void);

#endif
