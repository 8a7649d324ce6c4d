#ifndef BACKENDS_OPENCL_BINARY_H
#define BACKENDS_OPENCL_BINARY_H

#include "backends/opencl/device.h"

/* Programs as a driver gives them and takes them back, in a form of its own. */

/* Append what the driver gives of a program that is built; nothing where it gives none. */
void opencl_binary_read(cl_program program, struct strbuf *out);

/* A program, still to be built; NULL where the driver refuses the binary. */
cl_program opencl_binary_load(const struct device *device, const struct strbuf *binary,
                              cl_int *code);

#endif
