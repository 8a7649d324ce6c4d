#ifndef BACKENDS_OPENCL_ARGUMENTS_H
#define BACKENDS_OPENCL_ARGUMENTS_H

#include "backends/opencl/program.h"

/*
 * Giving a kernel the arguments of a launch.  Those that do not fit are
 * STATUS_INVALID, and the error names kernel and argument, counted from 1 as
 * compilers do.  OpenCL itself compares sizes only, so an int passes for a
 * float; more is noticed in programs built with -cl-kernel-arg-info.
 */
enum status opencl_arguments_set(const struct kernel *kernel, const struct launch *launch,
                                 struct buffer *const *buffers, struct error *err) MUST_CHECK;

#endif
