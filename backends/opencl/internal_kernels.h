#ifndef BACKENDS_OPENCL_INTERNAL_KERNELS_H
#define BACKENDS_OPENCL_INTERNAL_KERNELS_H

#include "backends/opencl/device.h"

/*
 * kforge's own kernels on a device, compiled when they are first needed, or loaded before that from
 * what a compiler made of them earlier.
 */

/* What one of its programs is compiled from. */
struct internal_source {
    const char *text;
    const char *kernels[INTERNAL_PROGRAM_KERNELS]; /* their names */
    char options[192];                             /* no two programs have the same */
};

/* Find the program, which is compiled unless it is there. */
cl_int opencl_internal_program_find(struct device *device, const struct internal_source *source,
                                    struct internal_program *found);

/* Of its source and options; false where the device has it already. */
bool opencl_internal_program_key(const struct device *device, const struct internal_source *source,
                                 char key[DIGEST_HEX_SIZE]);

/* Load it from a binary, the driver's word on it in the error. */
enum status opencl_internal_program_load(struct device *device,
                                         const struct internal_source *source,
                                         const struct binary *kept, struct error *err) MUST_CHECK;

/* What the driver gives of the program, which the device has; nothing where it gives none. */
enum status opencl_internal_program_binary(const struct device *device,
                                           const struct internal_source *source,
                                           struct binary *made, struct error *err) MUST_CHECK;

#endif
