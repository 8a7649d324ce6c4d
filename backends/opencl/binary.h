#ifndef BACKENDS_OPENCL_BINARY_H
#define BACKENDS_OPENCL_BINARY_H

#include "backends/opencl/device.h"

/* Program binaries, in a format of the driver's own. */

/* Append the binary of a built program; nothing if the driver has none. */
void opencl_binary_read(cl_program program, struct strbuf *out);

/*
 * A program from a binary, not yet built; NULL if the driver refuses the binary.  The caller
 * releases it.
 */
cl_program opencl_binary_load(const struct device *device, const struct strbuf *binary,
                              cl_int *code);

#endif
