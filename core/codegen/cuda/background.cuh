/*
 * Lines that warps without other work round to 16 bits while others multiply.  ready[0] counts the
 * lines that a warp has begun, ready[1 + i] the rounded ones among the 128 from line 128 * i on.
 */

/* Round lines from `first` on, one after the other, until none are left. */
template <int depth, int pitch, class number>
__device__ inline void round_lines(const float *from, number *to, int *ready, int first, int lines)
{
    const int lane = threadIdx.x % 32;
    for (;;) {
        int line = lane == 0 ? atomicAdd(ready, 1) : 0;
        line = first + __shfl_sync(~0u, line, 0);
        if (line >= lines)
            return;
        const float4 *const a = (const float4 *)(from + (size_t)line * depth);
        uint2 *const b = (uint2 *)(to + (size_t)line * pitch);
        _Pragma("unroll 1") for (int i = lane; i < depth / 4; i += 128) {
            float4 part[4];
            _Pragma("unroll") for (int j = 0; j < 128; j += 32)
                if (depth % 512 == 0 || i + j < depth / 4)
                    part[j / 32] = __ldcs(a + i + j);
            _Pragma("unroll") for (int j = 0; j < 128; j += 32)
                if (depth % 512 == 0 || i + j < depth / 4)
                    b[i + j] = make_uint2(pack(part[j / 32].x, part[j / 32].y),
                                          pack(part[j / 32].z, part[j / 32].w));
        }
        for (int i = depth / 4 + lane; i < pitch / 4; i += 32)
            b[i] = make_uint2(0, 0);
        asm volatile("fence.proxy.async;" ::: "memory");
        __syncwarp();
        if (lane == 0) {
            __threadfence();
            atomicAdd(ready + 1 + line / 128, 1);
        }
    }
}
/* Wait until the 128 lines from `line` on are rounded, or all up to the last one. */
__device__ inline void wait_for_lines(const int *ready, int line, int lines)
{
    int count;
    do
        asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(count)
                     : "l"(ready + 1 + line / 128) : "memory");
    while (count < min(128, lines - line));
    asm volatile("fence.proxy.async;" ::: "memory");
}
