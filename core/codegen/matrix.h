#ifndef CORE_CODEGEN_MATRIX_H
#define CORE_CODEGEN_MATRIX_H

#include "core/base/strbuf.h"

/*
 * The functions that CUDA kernels reach the matrix units of Hopper with:
 * barriers that count the bytes of copies, copies of boxes by a tensor map,
 * and products of tiles in shared memory, whose sums are floats.  A tile's
 * lines are 64 elements of 16 bits long, and swizzled over their 128 bytes.
 * A cluster is of two work-groups.
 *
 * 128 work-items call multiply_<columns>() together.  It adds the product of
 * 64 lines and `columns` lines, over 16 elements, to `columns / 2` sums of
 * each: work-item i has, of lines i / 32 * 16 + i % 32 / 4 and the one 8 below,
 * columns 8 * j + i % 4 * 2 and the next, as sums 4 * j to 4 * j + 3.
 * unknown() keeps the compiler from knowing a number.  of_quad() reads the
 * registers of the three others that have the same lines.
 */

/* Append them; `type` is "f16" or "bf16". */
void matrix_functions(int columns, const char *type, struct strbuf *out);

/*
 * The same for GPUs since sm_80, where the 32 work-items of a warp call
 * together: load_squares() loads four squares of 8 lines of 8 elements, one
 * line of them for each work-item, and multiply_8() adds the product of 16 lines
 * and 8 lines, over 16 elements, to sums that lie as 8 columns do above.
 */
void matrix_warp_functions(const char *type, struct strbuf *out);

#endif
