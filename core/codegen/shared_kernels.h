#ifndef CORE_CODEGEN_SHARED_KERNELS_H
#define CORE_CODEGEN_SHARED_KERNELS_H

#include "core/codegen/writer.h"

/*
 * Lets launches share kernels, because compilers take a second for each 20 to 100 kB of source, and
 * networks repeat their layers. Kernels that differ only in the names of values become one. If the
 * source is still long, kernels that differ in sizes too become one with these sizes as arguments.
 * Changes the writer's source and launches; does nothing in a language of calls.
 */
void shared_kernels_merge(struct writer *writer);

#endif
