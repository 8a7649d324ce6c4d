#ifndef BACKENDS_OPENCL_INTERNAL_KERNELS_H
#define BACKENDS_OPENCL_INTERNAL_KERNELS_H

#include "backends/opencl/device.h"

/*
 * kforge's internal programs on a device: compiled when they are first needed, or loaded earlier
 * from the binary of an earlier compilation.  Programs are identified by their options.
 */

/* The source of an internal program.  Borrows its texts. */
struct internal_source {
    const char *text;
    const char *kernels[INTERNAL_PROGRAM_KERNELS]; /* names; the second may be NULL */
    char options[192];                             /* different for each program */
};

/*
 * Find the program, and compile it if the device does not have it yet.  `*found` is borrowed from
 * the device.  Returns an OpenCL error code.
 */
cl_int opencl_internal_program_find(struct device *device, const struct internal_source *source,
                                    struct internal_program *found);

/*
 * The SHA-256 of source and options, the program's key in the cache of binaries.  False if the
 * device already has the program.
 */
bool opencl_internal_program_key(const struct device *device, const struct internal_source *source,
                                 char key[DIGEST_HEX_SIZE]);

/*
 * Load the program from a binary.  STATUS_INVALID if the driver refuses it; the error has the
 * driver's code.
 */
enum status opencl_internal_program_load(struct device *device,
                                         const struct internal_source *source,
                                         const struct binary *kept, struct error *err) MUST_CHECK;

/*
 * The binary of a program that the device has; empty if the driver has none.  The caller releases
 * it.
 */
enum status opencl_internal_program_binary(const struct device *device,
                                           const struct internal_source *source,
                                           struct binary *made, struct error *err) MUST_CHECK;

#endif
