#ifndef BACKENDS_OPENCL_DEVICE_H
#define BACKENDS_OPENCL_DEVICE_H

#include <CL/cl.h>

#include "core/judge/device/backend.h"

/*
 * An OpenCL device with a context and one in-order queue of its own.  Devices
 * are counted over all platforms, in the order in which the loader lists
 * them; those without a compiler are left out.
 */

enum { INTERNAL_PROGRAM_KERNELS = 2 };

/* Kernels that make contents (device_fill.h), and what their source was built with. */
struct internal_program {
    char *options;
    cl_kernel kernels[INTERNAL_PROGRAM_KERNELS];
};

void internal_program_release(struct internal_program *program);

struct device {
    cl_device_id id;
    struct device_info info;
    size_t item_sizes[LAUNCH_MAX_RANK]; /* most work-items along each axis of a group */
    size_t alignment;                   /* of a sub-buffer's origin, in bytes */
    bool has_f64;
    bool is_nvidia; /* its compiler takes NVIDIA's own options */
    cl_context context;
    cl_command_queue queue; /* with profiling */
    cl_mem differs;         /* an int: set to 1 when buffer_holds() finds a difference */
    struct {
        struct internal_program *items;
        size_t count, capacity;
    } internal_programs; /* those that were used */
};

/* The functions of these names in struct backend_ops (core/judge/device/backend.h). */
enum status opencl_probe(struct device_list *found, struct error *err);
enum status opencl_open(size_t index, struct device **device, struct error *err) MUST_CHECK;
void opencl_close(struct device *device);

#endif
