#ifndef BACKENDS_CUDA_COMPILE_PARTS_H
#define BACKENDS_CUDA_COMPILE_PARTS_H

#include "backends/cuda/compile.h"

/*
 * Compiles the kernels of a source one by one, or, if there are many, small ones together, in
 * threads, so that a build takes as long as that of its largest kernel, and keeps the code of the
 * latest ones in memory, because the next candidate often changes one of several. A candidate on a
 * GPU cannot reach this memory, unless the driver gives kernels all memory of the process; then
 * nothing is kept.
 */

enum { KEPT_KERNELS = 256 };

/* The code of a kernel, and the SHA-256 of all that it was made from. */
struct kept_kernel {
    char key[DIGEST_HEX_SIZE];
    struct binary binary;
};

struct kept_kernels {
    struct kept_kernel items[KEPT_KERNELS];
    size_t next; /* the place of the next one */
};

/* Free the code of all kernels. */
void kept_kernels_release(struct kept_kernels *kept);

/*
 * Compile like compile_source(), into parts of `binary`; `kept` is NULL to keep nothing. False if
 * the source has to be compiled as a whole: because it has one kernel, because its kernels share
 * something, or because the compiler rejects it.
 */
bool compile_parts(const struct compile_target *target, const struct program_source *source,
                   struct kept_kernels *kept, struct binary *binary, struct build_report *report);

#endif
