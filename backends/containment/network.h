#ifndef BACKENDS_CONTAINMENT_NETWORK_H
#define BACKENDS_CONTAINMENT_NETWORK_H

#include <stdbool.h>

/*
 * A network of our own, in which there is nothing but this process, what it
 * starts, and the loopback device that they speak over (network_namespaces(7)).
 * Tools of CUDA speak to the program that they look at over TCP, which a filter
 * of system calls cannot tell from reaching the world.
 *
 * Returns whether that is in force: the kernel or a container may refuse it.
 * Where there are no privileges for it a user namespace has them, and the
 * process still is the same user there; for that it has to be the only thread.
 */
bool network_leave(void);

/* Whether nothing but loopback is in reach. */
bool network_is_left(void);

#endif
