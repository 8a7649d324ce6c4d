#ifndef BACKENDS_OPENCL_DEVICE_H
#define BACKENDS_OPENCL_DEVICE_H

#include <CL/cl.h>

#include "core/judge/device/backend.h"

/*
 * An OpenCL device with a context and one in-order queue of its own.  Devices
 * are counted over all platforms, in the order in which the loader lists
 * them; those without a compiler are left out.
 */

enum { GENERATOR_KERNELS = 2 };

/* Kernels that make contents (generator.h), and what their source was built with. */
struct generator {
    char *options;
    cl_kernel kernels[GENERATOR_KERNELS];
};

void generator_release(struct generator *generator);

struct device {
    cl_device_id id;
    struct device_info info;
    size_t item_sizes[LAUNCH_MAX_RANK]; /* most work-items along each axis of a group */
    size_t alignment;                   /* of a sub-buffer's origin, in bytes */
    bool has_f64;
    bool is_nvidia; /* its compiler takes NVIDIA's own options */
    cl_context context;
    cl_command_queue queue; /* with profiling */
    cl_mem differs;         /* an int: whether a generator found other elements than it makes */
    struct {
        struct generator *items;
        size_t count, capacity;
    } generators; /* those that were used */
};

/* The functions of these names in struct backend_ops (core/judge/device/backend.h). */
enum status opencl_probe(struct device_list *found, struct error *err);
enum status opencl_open(size_t index, struct device **device, struct error *err) MUST_CHECK;
void opencl_close(struct device *device);

#endif
