#ifndef CORE_CODEGEN_WIDE_KERNELS_H
#define CORE_CODEGEN_WIDE_KERNELS_H

#include "core/codegen/writer.h"

/*
 * 64-bit indices for kernels of large tensors. kforge writes every kernel with indices of type int,
 * which are faster on GPUs; here the ones that could overflow get type long. Only kernels that
 * take a tensor or scratch of more than WIDE_ELEMENTS elements are changed, or that have as many
 * work-items. What is left of an int's range is for rounding up to whole tiles and for the last
 * step of a loop.
 */
#define WIDE_ELEMENTS ((INT64_C(1) << 31) - (INT64_C(1) << 24))

/*
 * Change the kernels of the writer and their launches. Call it when all kernels are written, and
 * before shared_kernels_merge().
 */
void wide_kernels(struct writer *writer);

/*
 * Append the text of a kernel in which declarations of int are of long, products of numbers are of
 * 64 bits, and both operands of min() and max() have one type. `macros` are names that stand for
 * numbers; NULL-terminated.
 */
void wide_text(const char *text, size_t len, const char *const *macros, struct strbuf *out);

#endif
