#ifndef BACKENDS_HOST_HOST_H
#define BACKENDS_HOST_HOST_H

#include "core/judge/device/backend.h"

/*
 * The back end of C for the host's own cores. A child process (compiler_child.h) compiles the
 * candidate's source to a shared object, and refuses objects that use more than a kernel needs
 * (object.h). A launch is a call of a function in the object. Its OpenMP runs on threads that
 * existed before (team.h).
 */
extern const struct backend_ops host_backend;

#endif
