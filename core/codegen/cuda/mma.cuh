/*
 * Matrix products of one warp, for GPUs since sm_80, after the "PTX ISA": ldmatrix and mma.sync.
 * The sums of mma.sync lie as those of wgmma do for 8 columns.  $T is "f16" or "bf16" (formula.h).
 */

__device__ inline void load_squares(uint (&to)[4], const ushort *line)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"((uint)__cvta_generic_to_shared(line)) : "memory");
}
__device__ inline void multiply_8(float *d, const uint (&a)[4], uint b0, uint b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.$T.$T.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
