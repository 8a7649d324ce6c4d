/*
 * A digest of a buffer's words, in CUDA C++ and HIP. Each word is mixed with its place and with a secret key, so that
 * no other contents with the same digest can be found without the key.
 */

typedef unsigned int uint;
typedef unsigned long ulong;

/* The finalizer of splitmix64. */
__device__ ulong mix(ulong z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ul;
    z = (z ^ z >> 27) * 0x94d049bb133111ebul;
    return z ^ z >> 31;
}

extern "C" __global__ void digest(const uint *words, ulong count, ulong first, ulong second, ulong *sum)
{
    ulong step = (ulong)gridDim.x * blockDim.x, total = 0;
    for (ulong i = (ulong)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
        total += mix(mix(first + i) ^ (second + words[i]));
    atomicAdd((unsigned long long *)sum, (unsigned long long)total);
}
