#ifndef BACKENDS_OPENCL_ARGUMENTS_H
#define BACKENDS_OPENCL_ARGUMENTS_H

#include "backends/opencl/program.h"

/*
 * Set the arguments of a launch.  An argument that does not fit is STATUS_INVALID; the error names
 * the kernel and the argument, counted from 1.  OpenCL itself compares only sizes, so that an int
 * passes for a float; programs are built with -cl-kernel-arg-info, which lets this function compare
 * types and address spaces.
 */
enum status opencl_arguments_set(const struct kernel *kernel, const struct launch *launch,
                                 struct buffer *const *buffers, struct error *err) MUST_CHECK;

#endif
