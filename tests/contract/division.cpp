/*
 * Holds the division of core/codegen/cuda/vectors.cuh, compiled for the host, against the host's
 * own: the same infinities, NaN and signs of zero, the same bits for ordinary numbers, and at most
 * the last bit different for tiny ones.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define __device__
template <class number> number rsqrt(number a) { return 1 / sqrt(a); }
template <class number> number sign(number a) { return (number)((a > 0) - (a < 0)); }
template <class number> number larger(number a, number b) { return a < b ? b : a; }
template <class number> number smaller(number a, number b) { return b < a ? b : a; }
struct float2 { float x, y; };
struct float4 { float x, y, z, w; };
#include "core/codegen/cuda/vectors.cuh"

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

/* Quotients differ by at most `most` in the last place. */
static void check(float a, float b, uint32_t most)
{
    const float want = a / b, got = a / shared_divisor(b);
    const uint32_t w = bits_of(want), g = bits_of(got);

    if (isnan(want) ? isnan(got) : (w ^ g) >> 31 == 0 && (w > g ? w - g : g - w) <= most)
        return;
    printf("%a / %a is %a, not %a\n", a, b, want, got);
    exit(1);
}

int main()
{
    static const float special[] = {0, 1, 3, 1e-45f, 1e-40f, 0x1p-126f, 9e-31f, 1e-30f, 1e-20f,
                                    1e20f, 1e30f, 1.1e30f, 0x1p127f, 3.4e38f, INFINITY, NAN};
    uint64_t state = 20;
    auto draw = [&] { return (uint32_t)((state = state * 6364136223846793005u + 1442695040888963407u) >> 32); };
    const vec<float, 4> quotients = vec<float, 4>(1, 2, 3, -4) / shared_divisor(3);

    for (float a : special)
        for (float b : special)
            for (int signs = 0; signs < 4; signs++)
                check(signs & 1 ? -a : a, signs & 2 ? -b : b, 0);
    for (int i = 0; i < 2000000; i++) {
        const float a = float_of(draw()), b = float_of(draw());
        const bool is_ordinary = fabsf(a) > 1e-25f && fabsf(a / b) > 1e-37f;
        check(a, b, is_ordinary ? 0 : 1);
    }
    return quotients.s[1] != 2 / 3.0f || quotients.s[3] != -4 / 3.0f;
}
