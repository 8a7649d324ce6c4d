/* Changes of an element of a tensor that no other work-item interrupts. */
#define ATOMIC(name, combined) \
    static void __attribute__((overloadable)) name(volatile __global float *p, float x) \
    { \
        volatile __global uint *bits = (volatile __global uint *)p; \
        uint before = *bits, found; \
        for (;; before = found) { \
            const float old = as_float(before); \
            found = atomic_cmpxchg(bits, before, as_uint(combined)); \
            if (found == before) \
                return; \
        } \
    }
ATOMIC(add_to, old + x) ATOMIC(raise_to, larger(old, x))
static void __attribute__((overloadable)) add_to(volatile __global int *p, int x) { atomic_add(p, x); }
static void __attribute__((overloadable)) raise_to(volatile __global int *p, int x) { atomic_max(p, x); }
