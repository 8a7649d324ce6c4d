#ifndef CORE_CODEGEN_SHARED_KERNELS_H
#define CORE_CODEGEN_SHARED_KERNELS_H

#include "core/codegen/writer.h"

/*
 * Lets launches share kernels, because compilers take a second for each 20 to 100 kB of source, and
 * networks repeat their layers. Kernels that differ only in the names of values become one. If the
 * source is still long, kernels that differ in sizes too become one with these sizes as arguments.
 * In a language of calls the functions that call the kernels are shared with them. Changes the
 * writer's source, calls and launches.
 */
void shared_kernels_merge(struct writer *writer);

#endif
