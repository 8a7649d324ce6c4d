/*
 * Sums over the lines of a tile of sums in registers, in which every fourth lane of a warp holds the
 * same columns. fold_lanes() adds up the numbers of these lanes; each keeps an eighth of them, those
 * from its number among the lanes times the eighth on. group_barrier() waits for
 * `work_items` of a work-group that use the same barrier, which is not 0.
 */

template <int half, int count> __device__ inline void fold_half(float (&x)[count], int mask)
{
    const bool is_upper = threadIdx.x & mask;
    _Pragma("unroll") for (int i = 0; i < half; i++) {
        const float kept = is_upper ? x[i + half] : x[i];
        x[i] = kept + __shfl_xor_sync(~0u, is_upper ? x[i] : x[i + half], mask);
    }
}
template <int count> __device__ inline void fold_lanes(float (&x)[count])
{
    fold_half<count / 2>(x, 16);
    fold_half<count / 4>(x, 8);
    fold_half<count / 8>(x, 4);
}
/*
 * Like fold_lanes(), for sums and the squares of differences from the means, of which each lane has
 * those of two lines: as many lines each, so that the difference of two sums says how far their
 * means are apart.
 */
template <int half, int count>
__device__ inline void fold_half_moments(float (&x)[count], float (&squares)[count], int mask,
                                         float scale)
{
    const bool is_upper = threadIdx.x & mask;
    _Pragma("unroll") for (int i = 0; i < half; i++) {
        const float kept = is_upper ? x[i + half] : x[i];
        const float got = __shfl_xor_sync(~0u, is_upper ? x[i] : x[i + half], mask);
        const float kept_squares = is_upper ? squares[i + half] : squares[i];
        x[i] = kept + got;
        squares[i] = kept_squares + (kept - got) * (kept - got) * scale +
            __shfl_xor_sync(~0u, is_upper ? squares[i] : squares[i + half], mask);
    }
}
template <int count>
__device__ inline void fold_moments(float (&x)[count], float (&squares)[count])
{
    fold_half_moments<count / 2>(x, squares, 16, 1 / 4.0f);
    fold_half_moments<count / 4>(x, squares, 8, 1 / 8.0f);
    fold_half_moments<count / 8>(x, squares, 4, 1 / 16.0f);
}
__device__ inline void group_barrier(int work_items, int barrier)
{
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(work_items) : "memory");
}
