#ifndef CORE_CODEGEN_MATRIX_H
#define CORE_CODEGEN_MATRIX_H

#include "core/base/strbuf.h"

/*
 * CUDA functions by which kernels use the matrix units of Hopper: barriers that count the bytes of
 * copies, copies of boxes by a tensor map, and products of tiles in shared memory with f32 sums. A
 * line of a tile is 64 elements of 16 bits, swizzled over its 128 bytes. A cluster has two
 * work-groups.
 *
 * 128 work-items call multiply_<columns>() together. It adds the product of 64 lines and `columns`
 * lines, over 16 elements, to `columns / 2` sums of each work-item. Work-item i holds columns 8 * j
 * + i % 4 * 2 and the next one, of line i / 32 * 16 + i % 32 / 4 and the line 8 below, as sums 4 *
 * j to 4 * j + 3. multiply_<columns>_line() does so over all 64 elements of the lines.
 * multiply_<columns>_parts() takes operands that are sums of three parts in lines of 32 elements,
 * 128 lines and `columns` lines each, and adds the six largest products of parts. If the last
 * argument, true by default, is false, the first product takes the place of the sums.
 *
 * unknown() hides a number's value from the compiler. of_quad() reads registers of the three other
 * work-items that hold the same lines.
 */

/*
 * Append the functions, with those of multiply_<columns>*() that `kernels` calls, from 16 columns
 * on in steps of 16; `type` is "f16" or "bf16".
 */
void matrix_functions(const char *kernels, const char *type, struct strbuf *out);

/*
 * Append the functions for GPUs since sm_80, which the 32 work-items of a warp call together.
 * load_squares() loads four squares of 8 lines of 8 elements, one line per work-item. multiply_8()
 * adds the product of 16 lines and 8 lines, over 16 elements, to sums in the layout of 8 columns
 * above.
 */
void matrix_warp_functions(const char *type, struct strbuf *out);

/*
 * Append the functions for clusters of Hopper: share_store() stores a number in the shared memory
 * of a work-group of the cluster, and all work-items of the cluster wait for each other in
 * share_barrier(), after which they see what was stored.
 */
void matrix_cluster_functions(struct strbuf *out);

#endif
