#ifndef BACKENDS_CUDA_ARGUMENTS_H
#define BACKENDS_CUDA_ARGUMENTS_H

#include "backends/cuda/program.h"

/* The values of a launch's arguments, as cuLaunchKernelEx() takes them. */
struct arguments {
    union argument {
        uint64_t number; /* of any width, or an address: processors here are little-endian */
        CUtensorMap map;
    } values[LAUNCH_MAX_ARGS];
    void *pointers[LAUNCH_MAX_ARGS];
};

/*
 * Those that do not fit are STATUS_INVALID, and the error names kernel and
 * argument, counted from 1 as compilers do.  PTX tells sizes, and floats from
 * integers; a pointer from a 64-bit integer it does not.
 */
enum status cuda_arguments_set(const struct kernel *kernel, const struct launch *launch,
                               struct buffer *const *buffers, struct arguments *arguments,
                               struct error *err) MUST_CHECK;

#endif
