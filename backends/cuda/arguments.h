#ifndef BACKENDS_CUDA_ARGUMENTS_H
#define BACKENDS_CUDA_ARGUMENTS_H

#include "backends/cuda/program.h"

/* The arguments of one launch in the form that cuLaunchKernelEx() takes. */
struct arguments {
    union argument {
        uint64_t number; /* of any width, or a device address; hosts are little-endian */
        CUtensorMap map;
    } values[LAUNCH_MAX_ARGS];
    void *pointers[LAUNCH_MAX_ARGS];
};

/*
 * Set `arguments` from the launch.  `arguments->pointers` points into `arguments`, so the struct
 * must not be copied.
 *
 * An argument that does not fit the kernel's parameter is STATUS_INVALID; the error names the
 * kernel and the argument, counted from 1.  PTX gives the size of a parameter and tells floats from
 * integers, but it does not tell a pointer from a 64-bit integer.
 */
enum status cuda_arguments_set(const struct kernel *kernel, const struct launch *launch,
                               struct buffer *const *buffers, struct arguments *arguments,
                               struct error *err) MUST_CHECK;

#endif
