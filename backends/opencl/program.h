#ifndef BACKENDS_OPENCL_PROGRAM_H
#define BACKENDS_OPENCL_PROGRAM_H

#include "backends/opencl/device.h"

/* A compiled program, with the kernels that have been asked for so far. */

struct kernel {
    char *name;
    cl_kernel handle;
    cl_uint arg_count;
    size_t max_group;    /* most work-items in a group, for this kernel on this device */
    bool has_local;      /* false if unknown: PoCL 5 reports 0 whatever a kernel declares */
    int64_t local_bytes; /* local memory that the kernel declares, without its arguments */
};

struct program {
    struct device *device;
    cl_program handle;
    char *log;           /* log of the compiler; empty for a program loaded from a binary */
    bool mentions_local; /* the word "local" occurs in the source */
    struct {
        struct kernel *items;
        size_t count, capacity;
    } kernels;
};

/* The functions of these names in struct backend_ops. */
enum status opencl_build(struct device *device, const struct program_source *source,
                         struct program **program, struct build_report *report,
                         struct error *err) MUST_CHECK;
void opencl_program_free(struct program *program);

/* STATUS_UNAVAILABLE unless the device is a CPU: other drivers cache their own binaries. */
enum status opencl_binary(const struct program *program, struct binary *made,
                          struct error *err) MUST_CHECK;

/* Append the program's PTX or machine code to `out`, as far as the driver shows it. */
enum status opencl_code(struct program *program, enum code_kind kind, struct strbuf *out,
                        struct error *err) MUST_CHECK;

/*
 * Find the kernel called `name`; `*kernel` is valid until the next call.  STATUS_INVALID if there
 * is none; the error lists the program's kernels.
 */
enum status opencl_program_kernel(struct program *program, const char *name,
                                  const struct kernel **kernel, struct error *err) MUST_CHECK;

#endif
