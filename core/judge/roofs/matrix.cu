/*
 * Kernels that measure multiply-adds on matrix units. Unrolling the outer loop would take the
 * compiler seconds, with 128 registers in each of its 1,024 instructions.
 */

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
__kernel void matrix(const float *a, float *y)
{
    __shared__ __align__(1024) uint tiles[(64 + 256) * 32];
    float sums[128];
    for (int i = threadIdx.x; i < (64 + 256) * 32; i += blockDim.x) {
        uint bits = (uint)i * 2654435761u;
        tiles[i] = 0x38003800 | ((bits ^ bits >> 15) & 0x83ff83ff);
    }
    for (int i = 0; i < 128; i++) sums[i] = a[get_global_id(0)];
    barriers_visible();
    __syncthreads();
    _Pragma("unroll 1")
    for (int k = 0; k < 256; k++) {
        multiply_begin();
        for (int i = 0; i < 4; i++)
            multiply_256(sums, descriptor(tiles) + 2 * i, descriptor(tiles + 2048) + 2 * i);
        multiply_end();
        multiply_wait<0>();
    }
    for (int i = 1; i < 128; i++) sums[0] += sums[i];
    y[get_global_id(0)] = sums[0];
}
#elif __CUDA_ARCH__ >= 800
__kernel void matrix(const float *a, float *y)
{
    uint x = 0x38003800 | threadIdx.x;
    float s[8][4] = {{a[get_global_id(0)]}};
    for (int k = 0; k < 4096; k++) {
        _Pragma("unroll")
        for (int i = 0; i < 8; i++)
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                         "{%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, {%0, %1, %2, %3};"
                         : "+f"(s[i][0]), "+f"(s[i][1]), "+f"(s[i][2]), "+f"(s[i][3])
                         : "r"(x));
    }
    for (int i = 1; i < 32; i++) s[0][0] += s[i / 4][i % 4];
    y[get_global_id(0)] = s[0][0];
}
#else
__kernel void matrix(const float *a, float *y)
{
    float x = a[get_global_id(0)], s[8] = {x};
    for (int k = 0; k < 262144; k++) {
        _Pragma("unroll")
        for (int i = 0; i < 8; i++) s[i] = fma(s[i], x, x);
    }
    for (int i = 1; i < 8; i++) s[0] += s[i];
    y[get_global_id(0)] = s[0];
}
#endif
