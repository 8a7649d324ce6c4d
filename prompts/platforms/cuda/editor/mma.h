/* The names of CUDA's mma.h that kernels use, for clangd in an editor; see kernel.h. */
#pragma once

#include <cuda_bf16.h>

namespace nvcuda::wmma
{
struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
namespace precision
{
struct tf32;
}
enum layout_t { mem_row_major, mem_col_major };
template <class Use, int m, int n, int k, class T, class Layout = void> struct fragment {
    static const int num_elements = 8;
    T x[num_elements];
};
template <class F, class T> __device__ void load_matrix_sync(F &, const T *, unsigned);
template <class F, class T> __device__ void load_matrix_sync(F &, const T *, unsigned, layout_t);
template <class F, class T> __device__ void store_matrix_sync(T *, const F &, unsigned, layout_t);
template <class F, class T> __device__ void fill_fragment(F &, const T &);
template <class D, class A, class B, class C>
__device__ void mma_sync(D &, const A &, const B &, const C &, bool = false);
__device__ float __float_to_tf32(float);
} // namespace nvcuda::wmma
