#ifndef BACKENDS_CONTAINMENT_CALLS_H
#define BACKENDS_CONTAINMENT_CALLS_H

#include <stdbool.h>

/*
 * Restrict this process, for good, to system calls that stay within it
 * (seccomp(2)): it reaches no network and no other process's socket, sends no
 * signal to others, traces none, cannot leave its session, and shares no
 * memory that would outlive it.  What is refused fails with EACCES or EPERM,
 * so that drivers do without.
 *
 * Sockets are kept for what has a network of its own instead (network.h).
 *
 * Returns whether that is in force.  PR_SET_NO_NEW_PRIVS has to be set.
 */
bool calls_restrict(bool keeps_sockets);

#endif
