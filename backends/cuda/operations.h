#ifndef BACKENDS_CUDA_OPERATIONS_H
#define BACKENDS_CUDA_OPERATIONS_H

#include "backends/cuda/device_digest.h"
#include "backends/cuda/device_fill.h"
#include "backends/cuda/memory.h"
#include "backends/cuda/program.h"
#include "backends/cuda/resources.h"
#include "backends/cuda/run.h"

/*
 * The members of struct backend_ops that do not depend on the platform: an initializer for the
 * tables of CUDA and HIP, which include cuda.h and add their name, probe() and open().
 */
#define GPU_OPERATIONS                                                                 \
    .close = cuda_close, .build = cuda_build, .program_free = cuda_program_free,       \
    .binary = cuda_binary, .resources = cuda_resources, .buffer_new = cuda_buffer_new, \
    .buffer_free = cuda_buffer_free, .buffer_poison = cuda_buffer_poison,              \
    .buffer_fill = cuda_buffer_fill, .buffer_holds = cuda_buffer_holds,                \
    .buffer_write = cuda_buffer_write, .buffer_copy = cuda_buffer_copy,                \
    .buffer_export = cuda_buffer_export, .buffer_import = cuda_buffer_import,          \
    .imports_close = cuda_imports_close, .free_bytes = cuda_free_bytes,                \
    .buffer_digest = cuda_buffer_digest, .buffer_read = cuda_buffer_read,              \
    .buffer_read_guards = cuda_buffer_read_guards, .run = cuda_run, .step = cuda_step, \
    .warm_profiler = cuda_warm_profiler

#endif
