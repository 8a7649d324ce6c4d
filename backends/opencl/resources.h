#ifndef BACKENDS_OPENCL_RESOURCES_H
#define BACKENDS_OPENCL_RESOURCES_H

#include "backends/opencl/program.h"

/*
 * Resources that a compiled kernel uses: from the driver, and from the log of NVIDIA's assembler,
 * which prints registers and spills under -cl-nv-verbose.
 */

/* The function of this name in struct backend_ops. */
enum status opencl_resources(struct program *program, struct resource_list *found,
                             struct error *err) MUST_CHECK;

#endif
