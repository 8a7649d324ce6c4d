#ifndef BACKENDS_OPENCL_DEVICE_H
#define BACKENDS_OPENCL_DEVICE_H

#include <CL/cl.h>

#include "core/judge/device/backend.h"

/*
 * An OpenCL device with a context and one in-order queue of its own.  Devices are counted over all
 * platforms, in the order in which the loader lists them; devices without a compiler are left out.
 */

enum { INTERNAL_PROGRAM_KERNELS = 2 };

/*
 * An internal program on a device: its kernels, and the options that its source was built with.
 * The options identify the program, because no two have the same.
 */
struct internal_program {
    char *options;
    cl_kernel kernels[INTERNAL_PROGRAM_KERNELS];
};

/* Release the kernels and options; all zeros afterwards. */
void internal_program_release(struct internal_program *program);

struct device {
    cl_device_id id;
    struct device_info info;
    size_t item_sizes[LAUNCH_MAX_RANK]; /* maximum work-items of a group along each axis */
    size_t alignment;                   /* alignment of a sub-buffer's origin, in bytes */
    bool has_f64;
    bool is_nvidia;    /* true if its compiler accepts NVIDIA's options */
    bool is_simulated; /* oclgrind, which interprets kernels: it checks each access to a buffer */
    cl_context context;
    cl_command_queue queue; /* with profiling enabled */
    cl_mem differs;         /* one int: 1 after buffer_holds() has found a difference */
    struct {
        struct internal_program *items;
        size_t count, capacity;
    } internal_programs; /* built or loaded so far */
};

/* The functions of these names in struct backend_ops (core/judge/device/backend.h). */
enum status opencl_probe(struct device_list *found, struct error *err);
enum status opencl_open(size_t index, struct device **device, struct error *err) MUST_CHECK;
void opencl_close(struct device *device);

#endif
