#ifndef BACKENDS_CUDA_RESOURCES_H
#define BACKENDS_CUDA_RESOURCES_H

#include "backends/cuda/program.h"

/*
 * Registers, shared and private memory and limits of compiled kernels, from the driver and from the
 * assembler's log.  The function of this name in struct backend_ops.
 */
enum status cuda_resources(struct program *program, struct resource_list *found,
                           struct error *err) MUST_CHECK;

#endif
