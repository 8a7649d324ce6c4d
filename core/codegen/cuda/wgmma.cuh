/*
 * Hopper's barriers, tensor copies and matrix products, after the "PTX ISA": mbarrier,
 * cp.async.bulk.tensor and wgmma.  descriptor() makes a matrix descriptor as the section on
 * asynchronous warpgroup level operands in shared memory defines it: the address and the stride
 * between groups of eight lines in units of 16 bytes, and the swizzle.
 *
 * load_if() reads a float that no kernel writes, or is 0 and reads nothing. It is no branch, which
 * a compiler would have to remove.
 */

struct __align__(64) tensor_map { ulong opaque[16]; };
__device__ inline uint shared_address(const void *p)
{
    return (uint)__cvta_generic_to_shared(p);
}
__device__ inline void barrier_init(ulong *barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)),
                 "r"(arrivals));
}
__device__ inline void barriers_visible()
{
    asm volatile("fence.mbarrier_init.release.cluster;\n"
                 "fence.proxy.async;" ::: "memory");
}
__device__ inline void barrier_expect(ulong *barrier, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::
                 "r"(shared_address(barrier)), "r"(bytes) : "memory");
}
__device__ inline void barrier_arrive(ulong *barrier)
{
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(barrier))
                 : "memory");
}
__device__ inline void barrier_wait(ulong *barrier, int phase)
{
    asm volatile("{\n.reg .pred done;\nagain:\n"
                 "mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
                 "@!done bra again;\n}" ::"r"(shared_address(barrier)), "r"(phase)
                 : "memory");
}
__device__ inline void copy_box(void *to, const tensor_map *map, int x, int y, ulong *barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile"
                 ".mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::
                 "r"(shared_address(to)), "l"(map), "r"(x), "r"(y),
                 "r"(shared_address(barrier)) : "memory");
}
__device__ inline int cluster_rank()
{
    int rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
__device__ inline void cluster_barrier()
{
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}
__device__ inline void barrier_arrive_at_all(ulong *barrier)
{
    for (int rank = 0; rank < 2; rank++)
        asm volatile("{\n.reg .b32 there;\n"
                     "mapa.shared::cluster.u32 there, %0, %1;\n"
                     "mbarrier.arrive.shared::cluster.b64 _, [there];\n}" ::
                     "r"(shared_address(barrier)), "r"(rank) : "memory");
}
__device__ inline void copy_box_to_all(void *to, const tensor_map *map, int x, int y,
                                       ulong *barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile"
                 ".mbarrier::complete_tx::bytes.multicast::cluster"
                 " [%0], [%1, {%2, %3}], [%4], %5;" ::
                 "r"(shared_address(to)), "l"(map), "r"(x), "r"(y),
                 "r"(shared_address(barrier)), "h"((ushort)3) : "memory");
}
__device__ inline ulong descriptor(const void *tile)
{
    return (ulong)(shared_address(tile) >> 4 & 0x3fff) | 1ul << 16 | 64ul << 32 | 1ul << 62;
}
/* A descriptor of lines of 64 bytes, swizzled over them. */
__device__ inline ulong short_descriptor(const void *tile)
{
    return (ulong)(shared_address(tile) >> 4 & 0x3fff) | 1ul << 16 | 32ul << 32 | 2ul << 62;
}
template <int count> __device__ inline void registers_up()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(count));
}
template <int count> __device__ inline void registers_down()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(count));
}
__device__ inline void copies_visible()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ inline void multiply_begin()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ inline void multiply_end()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int pending> __device__ inline void multiply_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}
__device__ inline float load_if(bool is_there, const float *p)
{
    float x;
    asm("{\n.reg .pred there;\nsetp.ne.s32 there, %1, 0;\nmov.f32 %0, 0f00000000;\n"
        "@there ld.global.nc.f32 %0, [%2];\n}" : "=f"(x) : "r"((int)is_there), "l"(p));
    return x;
}
