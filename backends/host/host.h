#ifndef BACKENDS_HOST_HOST_H
#define BACKENDS_HOST_HOST_H

#include "core/judge/device/backend.h"

/*
 * The back end of C for the host's own cores. A compiler makes a shared object of the candidate's
 * source, in a child process (compiler_child.h), and refuses what a kernel has no need of
 * (object.h). A launch is a call of a function of the object, whose OpenMP runs on threads that
 * exist before (team.h).
 */
extern const struct backend_ops host_backend;

#endif
