#ifndef CORE_CODEGEN_JOINED_KERNELS_H
#define CORE_CODEGEN_JOINED_KERNELS_H

#include "core/codegen/writer.h"

/*
 * Lets small launches run side by side, for GPUs. Launches of which none needs what another one
 * writes become one: its first work-groups do the work of the first launch, the next ones that of
 * the second launch. Each launch takes two microseconds, in which few work-groups leave a GPU idle.
 *
 * Call it when all kernels are written, after shared_kernels_merge(). Only launches whose sizes are
 * numbers are joined. Changes the writer's source and launches.
 */
void joined_kernels(struct writer *writer);

#endif
