#ifndef CORE_CODEGEN_FLAT_KERNELS_H
#define CORE_CODEGEN_FLAT_KERNELS_H

#include "core/codegen/writer.h"

/*
 * Launches with more work-groups along the second or third axis than a GPU takes, as for a batch of
 * many small matrices, have all of them along the first axis. The kernel computes its place from
 * the number of the work-group.
 *
 * Call it when all kernels are written, after wide_kernels(). Changes the writer's source and
 * launches; launches in clusters stay.
 */
void flat_kernels(struct writer *writer);

#endif
