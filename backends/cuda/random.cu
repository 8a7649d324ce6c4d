/*
 * Random elements, bit for bit those of fill_make() (core/judge/oracle/fill.h), in CUDA C++ and HIP.  A thread makes the
 * four elements of a Philox block, and stores them, or compares them with what is there if `differs`
 * is not null.
 *
 * The program is built with -D options for an element type T and a kind of fill:
 *	TYPE=TYPE_T       the type of an element in memory
 *	REAL=REAL_T       converts a float
 *	WHOLE=WHOLE_T     converts a long
 *	SAME=SAME_T       compares the bits of two elements
 *	VALUE=VALUE_kind  the element from the random word `w` and its neighbour `other`
 */

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

__device__ void philox(ulong block, uint2 key, uint stream, uint w[4])
{
    w[0] = (uint)block, w[1] = (uint)(block >> 32), w[2] = stream, w[3] = 0;
    for (int round = 0; round < 7; round++) {
        ulong even = (ulong)0xD2511F53u * w[0], odd = (ulong)0xCD9E8D57u * w[2];
        w[0] = (uint)(odd >> 32) ^ w[1] ^ key.x;
        w[1] = (uint)odd;
        w[2] = (uint)(even >> 32) ^ w[3] ^ key.y;
        w[3] = (uint)even;
        key.x += 0x9E3779B9u;
        key.y += 0xBB67AE85u;
    }
}

/* The integer s of the formula for a normal number. */
__device__ float bell(uint word, uint other)
{
    int rest = (int)(other & 0xffff) - (int)(other >> 16);
    return (float)((__popc(word) - 16) * 0x10000 + rest);
}

/* The bits of the nearest f16, ties to even. */
__device__ ushort f16(float x)
{
#ifdef __HIP__
    return __half_as_ushort(__float2half_rn(x));
#else
    ushort bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return bits;
#endif
}

/* The bits of the nearest bf16, ties to even. */
__device__ ushort bf16(float x)
{
    uint bits = __float_as_uint(x);
    return (ushort)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/*
 * A float between a long and a bf16, rounded to odd, so that the second rounding takes the bits
 * into account that the first one drops (Boldo, Melquiond: "Emulation of FMA and Correctly Rounded
 * Sums", IEEE Trans. Computers 57(4), 2008).
 */
__device__ float to_odd(long whole)
{
    ulong size = whole < 0 ? 0 - (ulong)whole : (ulong)whole;
    uint bits = __float_as_uint((float)size);
    bits -= (ulong)__uint_as_float(bits) > size;
    bits |= (ulong)__uint_as_float(bits) != size;
    return __uint_as_float(bits | (uint)(whole < 0) << 31);
}

__device__ int saturated(long x)
{
    return x > 2147483647 ? 2147483647 : x < -2147483647 ? -2147483647 - 1 : (int)x;
}

#define REAL_f32(x) (x)
#define WHOLE_f32(x) (float)(x)
#define REAL_f16(x) f16(x)
#define WHOLE_f16(x) f16((float)(x))
#define REAL_bf16(x) bf16(x)
#define WHOLE_bf16(x) bf16(to_odd(x))
#define REAL_f64(x) (x)
#define WHOLE_f64(x) (double)(x)
#define REAL_i32(x) __float2int_rn(x)
#define WHOLE_i32(x) saturated(x)
#define REAL_i64(x) __float2ll_rn(x)
#define WHOLE_i64(x) (x)
#define REAL_bool(x) ((x) != 0)
#define WHOLE_bool(x) ((x) != 0)
#define SAME_f32(a, b) (__float_as_uint(a) == __float_as_uint(b))
#define SAME_f16(a, b) ((a) == (b))
#define SAME_bf16(a, b) ((a) == (b))
#define SAME_f64(a, b) (__double_as_longlong(a) == __double_as_longlong(b))
#define SAME_i32(a, b) ((a) == (b))
#define SAME_i64(a, b) ((a) == (b))
#define SAME_bool(a, b) ((a) == (b))
#define TYPE_f32 float
#define TYPE_f16 ushort
#define TYPE_bf16 ushort
#define TYPE_f64 double
#define TYPE_i32 int
#define TYPE_i64 long
#define TYPE_bool uchar

#define VALUE_uniform REAL(fmaf((float)(w >> 8), step, base))
#define VALUE_normal REAL(fmaf(bell(w, other), step, base))
#define VALUE_integers WHOLE(lowest + (long)(w * range >> 32))
#define VALUE_mask WHOLE((long)(w < range))
#define VALUE_signs WHOLE(w < range ? 1L : -1L)

extern "C" __global__ void generate(TYPE *out, ulong count, uint2 key, uint stream,
                                    float step, float base, ulong range, long lowest,
                                    int *differs)
{
    ulong block = (ulong)blockIdx.x * blockDim.x + threadIdx.x;
    uint words[4];
    philox(block, key, stream, words);
    for (int i = 0; i < 4; i++) {
        uint w = words[i], other = words[i ^ 1];
        TYPE made = VALUE;
        if (4 * block + i >= count)
            continue;
        if (!differs)
            out[4 * block + i] = made;
        else if (!SAME(out[4 * block + i], made))
            *differs = 1;
    }
}
