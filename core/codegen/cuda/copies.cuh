/*
 * Asynchronous copies to shared memory, after the section on cp.async of the "PTX ISA".  GPUs
 * before sm_80 have none and copy at once.
 */

template <int bytes> __device__ inline void copy_later(float *to, const float *from, bool is_there)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::
                 "r"((uint)__cvta_generic_to_shared(to)), "l"(from), "n"(bytes),
                 "r"(is_there ? bytes : 0) : "memory");
#else
    for (int i = 0; i < bytes / 4; i++)
        to[i] = is_there ? from[i] : 0;
#endif
}
__device__ inline void copies_end()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <int pending> __device__ inline void copies_wait()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
#endif
}
