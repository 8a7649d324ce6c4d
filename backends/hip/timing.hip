/*
 * Kernels that prepare a timed run: `evict` reads memory until no tensor is left in the L2 cache,
 * `keep_busy` occupies the device while the host queues launches.
 */

/* The memory holds zeros, so nothing is stored; the store keeps the compiler from dropping the loop. */
extern "C" __global__ void evict(const uint4 *from, unsigned long count, uint4 *to)
{
    unsigned long step = (unsigned long)gridDim.x * blockDim.x;
    uint4 sum = {0, 0, 0, 0};
    for (unsigned long i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        uint4 next = from[i];
        sum.x += next.x; sum.y += next.y; sum.z += next.z; sum.w += next.w;
    }
    if (sum.x == 1 && sum.y == 2 && sum.z == 3 && sum.w == 4)
        to[0] = sum;
}

/* HIP has no clock with a known rate on all GPUs. None has more than 2,500 cycles in a microsecond. */
extern "C" __global__ void keep_busy(unsigned us)
{
    long long start = clock64();
    while (clock64() - start < 2500ll * us)
        ;
}
