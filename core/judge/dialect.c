#include "core/judge/dialect.h"

#include <stddef.h>
#include <string.h>

/* max() and min() are OpenCL's, which keep the first operand where it is NaN. */
static const char cuda_prelude[] =
    "#define __kernel extern \"C\" __global__\n"
    "#define __global\n"
    "#define restrict __restrict__\n"
    "#define INFINITY __int_as_float(0x7f800000)\n"
    "#define INT_MIN (-2147483647 - 1)\n"
    "#define INT_MAX 2147483647\n"
    "#define LONG_MIN (-9223372036854775807L - 1)\n"
    "#define LONG_MAX 9223372036854775807L\n"
    "#define FUNCTION template <class T> __device__ inline\n"
    "typedef unsigned char uchar;\n"
    "typedef unsigned short ushort;\n"
    "typedef unsigned int uint;\n"
    "typedef unsigned long ulong;\n"
    "struct half { ushort bits; };\n"
    "FUNCTION T first_max(T a, T b) { return a < b ? b : a; }\n"
    "FUNCTION T first_min(T a, T b) { return b < a ? b : a; }\n"
    "FUNCTION T sign(T a) { return (T)((a > 0) - (a < 0)); }\n"
    "FUNCTION T clamp(T a, T low, T high) { return first_min(first_max(a, low), high); }\n"
    "#define max first_max\n"
    "#define min first_min\n"
    "#define as_uint __float_as_uint\n"
    "#define as_float __uint_as_float\n"
    "#define get_global_id(axis) ((size_t)blockIdx.x * blockDim.x + threadIdx.x)\n"
    "__device__ inline float vload_half(size_t i, const half *p)\n"
    "{\n"
    "    float x;\n"
    "    asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(x) : \"h\"(p[i].bits));\n"
    "    return x;\n"
    "}\n"
    "__device__ inline void vstore_half(float x, size_t i, half *p)\n"
    "{\n"
    "    asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(p[i].bits) : \"f\"(x));\n"
    "}\n";

static const struct {
    const char *language, *prelude;
} dialects[] = {
    {"opencl", ""},
    {"cuda", cuda_prelude},
};

const char *dialect_prelude(const char *language)
{
    for (size_t i = 0; i < sizeof(dialects) / sizeof(dialects[0]); i++)
        if (strcmp(dialects[i].language, language) == 0)
            return dialects[i].prelude;
    return NULL;
}
