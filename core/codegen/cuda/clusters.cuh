__device__ inline void share_barrier()
{
    asm volatile("barrier.cluster.arrive.release.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__device__ inline void share_store(float *to, float x, int rank)
{
    asm volatile("{\n.reg .b32 there;\n"
                 "mapa.shared::cluster.u32 there, %0, %2;\n"
                 "st.shared::cluster.f32 [there], %1;\n}" ::
                     "r"((uint)__cvta_generic_to_shared(to)), "f"(x), "r"(rank) : "memory");
}
