/*
 * Random elements, bit for bit those of fill_make() (core/judge/oracle/fill.h).  The kernel
 * `generate` stores them, `check` compares them with what the buffer holds.  Both are in one
 * program, because two programs take a compiler nearly twice as long.
 *
 * The program is built with -D options for an element type T and a kind of fill:
 *	ELEMENT=ELEMENT_T  the type of an element in memory
 *	REAL=REAL_T        converts 16 floats
 *	WHOLE=WHOLE_T      converts 16 longs
 *	BITS=BITS_T        16 integers that tell elements apart
 *	MADE=MADE_kind     the elements from the random words `w`
 *
 * A work-item makes 32 elements, which are the words of eight Philox blocks, in vectors.  A block is
 * in 64-bit lanes whose upper halves do not count: compilers for CPUs multiply 32 bits by 32 in such
 * lanes.
 */

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define LOWER 0xffffffffUL

/* The words of eight blocks from `block` on, in the order of the elements. */
void philox(ulong block, uint2 key, uint stream, uint16 words[2])
{
    ulong8 n = block + (ulong8)(0, 1, 2, 3, 4, 5, 6, 7);
    ulong8 a = n & LOWER, b = n >> 32, c = stream, d = 0, p, q;
    ulong k = key.x, l = key.y;
    _Pragma("unroll")
    for (int round = 0; round < 7; round++) {
        ulong8 even = (a & LOWER) * 0xD2511F53UL;
        ulong8 odd = (c & LOWER) * 0xCD9E8D57UL;
        a = odd >> 32 ^ b ^ k;
        b = odd;
        c = even >> 32 ^ d ^ l;
        d = even;
        k = (k + 0x9E3779B9UL) & LOWER;
        l = (l + 0xBB67AE85UL) & LOWER;
    }
    p = (a & LOWER) | b << 32;
    q = (c & LOWER) | d << 32;
    words[0] = as_uint16((ulong8)(p.s0, q.s0, p.s1, q.s1, p.s2, q.s2, p.s3, q.s3));
    words[1] = as_uint16((ulong8)(p.s4, q.s4, p.s5, q.s5, p.s6, q.s6, p.s7, q.s7));
}

/* The number of bits set in each word. */
uint16 ones(uint16 w)
{
    w -= w >> 1 & 0x55555555u;
    w = (w & 0x33333333u) + (w >> 2 & 0x33333333u);
    w = (w + (w >> 4)) & 0x0f0f0f0fu;
    return w * 0x01010101u >> 24;
}

/* The integer s of the formula for a normal number; the neighbour of a word is word i ^ 1. */
float16 bell(uint16 w)
{
    uint16 other = as_uint16(rotate(as_ulong8(w), 32UL));
    int16 rest = as_int16(other & 0xffffu) - as_int16(other >> 16);
    return convert_float16((as_int16(ones(w)) - 16) * 0x10000 + rest);
}

/* The bits of the nearest f16, ties to even. */
ushort16 f16(float16 x)
{
    ushort bits[16];
    vstore_half16_rte(x, 0, (half *)bits);
    return vload16(0, bits);
}

/* The bits of the nearest bf16, ties to even. */
ushort16 bf16(float16 x)
{
    uint16 bits = as_uint16(x);
    return convert_ushort16((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/*
 * A float between a long and a bf16, rounded to odd, so that the second rounding takes the bits
 * into account that the first one drops (Boldo, Melquiond: "Emulation of FMA and Correctly Rounded
 * Sums", IEEE Trans. Computers 57(4), 2008).
 */
float16 to_odd(long16 whole)
{
    float16 cut = convert_float16_rtz(whole);
    return as_float16(as_int16(cut) | convert_int16((convert_long16_rtz(cut) != whole) & 1L));
}

#define REAL_f32(x) (x)
#define WHOLE_f32(x) convert_float16(x)
#define REAL_f16(x) f16(x)
#define WHOLE_f16(x) f16(convert_float16(x))
#define REAL_bf16(x) bf16(x)
#define WHOLE_bf16(x) bf16(to_odd(x))
#define REAL_f64(x) convert_double16(x)
#define WHOLE_f64(x) convert_double16(x)
#define REAL_i32(x) convert_int16_sat_rte(x)
#define WHOLE_i32(x) convert_int16_sat(x)
#define REAL_i64(x) convert_long16_sat_rte(x)
#define WHOLE_i64(x) (x)
#define REAL_bool(x) convert_uchar16(((x) != 0) & 1)
#define WHOLE_bool(x) convert_uchar16(((x) != 0) & 1L)
#define BITS_f32(x) as_int16(x)
#define BITS_f16(x) (x)
#define BITS_bf16(x) (x)
#define BITS_f64(x) as_long16(x)
#define BITS_i32(x) (x)
#define BITS_i64(x) (x)
#define BITS_bool(x) (x)
#define ELEMENT_f32 float
#define ELEMENT_f16 ushort
#define ELEMENT_bf16 ushort
#define ELEMENT_f64 double
#define ELEMENT_i32 int
#define ELEMENT_i64 long
#define ELEMENT_bool uchar

#define PASTE(a, b) a##b
#define JOIN(a, b) PASTE(a, b)

#define MADE_uniform REAL(fma(convert_float16(w >> 8), step, base))
#define MADE_normal REAL(fma(bell(w), step, base))
#define MADE_integers WHOLE(lowest + as_long16(convert_ulong16(w) * range >> 32))
#define MADE_mask WHOLE((convert_ulong16(w) < range) & 1L)
#define MADE_signs WHOLE(((convert_ulong16(w) < range) & 2L) - 1L)
typedef JOIN(ELEMENT, 16) elements;

/* A kernel that calls `use` for 16 elements at a time. */
#define KERNEL(name, use) \
kernel void name(global ELEMENT *out, ulong count, uint2 key, uint stream, float step, \
                 float base, ulong range, long lowest, global int *differs) \
{ \
    ulong first = 32 * get_global_id(0); \
    uint16 words[2]; \
    philox(first / 4, key, stream, words); \
    _Pragma("unroll") \
    for (int part = 0; part < 2; part++, first += 16) { \
        uint16 w = words[part]; \
        use(MADE, out, first, count, differs); \
    } \
}

/* Set *differs when one of the 16 elements from `first` on, as far as there are any, differs. */
void compare(elements made, global ELEMENT *out, ulong first, ulong count,
             global int *differs)
{
    elements found;
    if (first + 16 <= count) {
        found = vload16(0, out + first);
    } else {
        ELEMENT last[16];
        vstore16(made, 0, last);
        for (ulong i = first; i < count; i++)
            last[i - first] = out[i];
        found = vload16(0, last);
    }
    if (any(BITS(found) != BITS(made)))
        *differs = 1;
}

/* Store the 16 elements from `first` on, as far as there are any. */
void store(elements made, global ELEMENT *out, ulong first, ulong count,
           global int *differs)
{
    if (first + 16 <= count) {
        vstore16(made, 0, out + first);
    } else {
        ELEMENT last[16];
        vstore16(made, 0, last);
        for (ulong i = first; i < count; i++)
            out[i] = last[i - first];
    }
}

KERNEL(generate, store)
KERNEL(check, compare)
