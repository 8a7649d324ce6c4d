#ifndef BACKENDS_CUDA_RESOURCES_H
#define BACKENDS_CUDA_RESOURCES_H

#include "backends/cuda/program.h"

/* What the driver and the assembler's log tell of compiled kernels. */
enum status cuda_resources(struct program *program, struct resource_list *found,
                           struct error *err) MUST_CHECK;

#endif
