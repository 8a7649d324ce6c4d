/* Changes of an element of a tensor that no other work-item interrupts. */
__device__ inline void add_to(float *p, float x) { atomicAdd(p, x); }
__device__ inline void add_to(int *p, int x) { atomicAdd(p, x); }
__device__ inline void raise_to(int *p, int x) { atomicMax(p, x); }
__device__ inline void raise_to(float *p, float x)
{
    int before = *(volatile int *)p, found;

    while (!(__int_as_float(before) >= x) && __int_as_float(before) == __int_as_float(before)) {
        found = atomicCAS((int *)p, before, __float_as_int(x));
        if (found == before)
            return;
        before = found;
    }
}
