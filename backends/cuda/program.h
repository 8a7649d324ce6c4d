#ifndef BACKENDS_CUDA_PROGRAM_H
#define BACKENDS_CUDA_PROGRAM_H

#include "backends/cuda/device.h"
#include "backends/cuda/ptx.h"

/* A compiled and loaded program, and the kernels in it. */

struct kernel {
    const struct gpu_platform *platform;
    const struct ptx_entry *entry; /* borrowed from the program */
    CUfunction handle;
};

struct program {
    struct device *device;
    CUmodule *modules; /* one for each part of the binary, or one alone */
    size_t module_count;
    struct binary binary;
    struct ptx_entries entries;
    CUfunction *handles; /* one for each entry */
    double queue_us;     /* what the host took to queue a launch in the last run */
};

/* The functions of these names in struct backend_ops. */
enum status cuda_build(struct device *device, const struct program_source *source,
                       struct program **program, struct build_report *report,
                       struct error *err) MUST_CHECK;
void cuda_program_free(struct program *program);

/* A copy of the code that NVRTC made; the caller releases it. */
enum status cuda_binary(const struct program *program, struct binary *made,
                        struct error *err) MUST_CHECK;

/* Append the program's PTX or machine code to `out`. */
enum status cuda_code(struct program *program, enum code_kind kind, struct strbuf *out,
                      struct error *err) MUST_CHECK;

/*
 * Find the kernel called `name`.  STATUS_INVALID if there is none; the error lists the program's
 * kernels.
 */
enum status cuda_program_kernel(const struct program *program, const char *name,
                                struct kernel *kernel, struct error *err) MUST_CHECK;

#endif
