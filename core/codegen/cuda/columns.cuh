/*
 * Sums over the lines of a tile of sums in registers, and the squares of differences from the means,
 * in which every fourth lane of a warp holds the same columns, of `lines` lines. fold_moments() adds
 * up the numbers of these lanes; each keeps an eighth of them, those from its number among the lanes
 * times the eighth on. group_barrier() waits for `work_items` of a work-group that use the same
 * barrier, which is not 0.
 */

template <int half, int count>
__device__ inline void fold_half(float (&x)[count], float (&squares)[count], int mask, float &lines)
{
    const bool is_upper = threadIdx.x & mask;
    const float others = __shfl_xor_sync(~0u, lines, mask);
    const float own_share = 1 / fmaxf(lines, 1), share = 1 / fmaxf(others, 1);
    const float scale = lines * others / fmaxf(lines + others, 1);
    _Pragma("unroll") for (int i = 0; i < half; i++) {
        const float kept = is_upper ? x[i + half] : x[i];
        const float got = __shfl_xor_sync(~0u, is_upper ? x[i] : x[i + half], mask);
        const float kept_squares = is_upper ? squares[i + half] : squares[i];
        const float apart = kept * own_share - got * share;
        x[i] = kept + got;
        squares[i] = kept_squares + apart * apart * scale +
            __shfl_xor_sync(~0u, is_upper ? squares[i] : squares[i + half], mask);
    }
    lines += others;
}
template <int count>
__device__ inline void fold_moments(float (&x)[count], float (&squares)[count], float lines)
{
    fold_half<count / 2>(x, squares, 16, lines);
    fold_half<count / 4>(x, squares, 8, lines);
    fold_half<count / 8>(x, squares, 4, lines);
}
__device__ inline void group_barrier(int work_items, int barrier)
{
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(work_items) : "memory");
}
