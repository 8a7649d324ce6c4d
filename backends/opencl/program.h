#ifndef BACKENDS_OPENCL_PROGRAM_H
#define BACKENDS_OPENCL_PROGRAM_H

#include "backends/opencl/device.h"

/* A candidate's source, compiled, with those of its kernels that have been asked for. */

struct kernel {
    char *name;
    cl_kernel handle;
    cl_uint arg_count;
    size_t max_group;    /* work-items in a group, for this kernel on this device */
    bool has_local;      /* the driver tells: PoCL 5 answers 0 whatever a kernel declares */
    int64_t local_bytes; /* declared in the kernel, without its arguments */
};

struct program {
    struct device *device;
    cl_program handle;
    char *log;           /* of the compiler; empty where it had compiled the source before */
    bool mentions_local; /* the source may declare local memory */
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

/* Of a CPU's program: other drivers keep what they compile. */
enum status opencl_binary(const struct program *program, struct binary *made,
                          struct error *err) MUST_CHECK;

/* The text of that form of the compiled program, appended to `out`, as far as the driver has it. */
enum status opencl_code(struct program *program, enum code_kind kind, struct strbuf *out,
                        struct error *err) MUST_CHECK;

/* The kernel called `name`; valid until the next call.  The error lists those that there are. */
enum status opencl_program_kernel(struct program *program, const char *name,
                                  const struct kernel **kernel, struct error *err) MUST_CHECK;

#endif
