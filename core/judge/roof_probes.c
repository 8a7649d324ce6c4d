#include "core/judge/roof_probes.h"

#include <stddef.h>

#include "core/codegen/matrix.h"

/* Where a cache fetches what is written, a sum moves a third more than is counted; reading does
 * not. */
const struct roof_probe roof_memory_probe = {
    .tensors = "{\"a\":{\"role\":\"input\",\"dtype\":\"f32\",\"shape\":[\"N\"],"
               "\"fill\":{\"uniform\":[0,1]}},"
               "\"b\":{\"role\":\"input\",\"dtype\":\"f32\",\"shape\":[\"N\"],"
               "\"fill\":{\"uniform\":[0,1]}},"
               "\"y\":{\"role\":\"output\",\"dtype\":\"f32\",\"shape\":[\"N\"]}}",
    .graph = "[{\"op\":\"add\",\"in\":[\"a\",\"b\"],\"out\":\"y\"}]",
    .source =
        "__kernel void add1(__global const float *a, __global const float *b, __global float *y)\n"
        "{\n    size_t i = get_global_id(0);\n    y[i] = a[i] + b[i];\n}\n"
        "#ifdef __OPENCL_VERSION__\n"
        "#define ADD(T, name) \\\n"
        "__kernel void name(__global const T *a, __global const T *b, __global T *y) \\\n"
        "{ size_t i = get_global_id(0); y[i] = a[i] + b[i]; }\n"
        "ADD(float4, add4)\n"
        "ADD(float16, add16)\n"
        "__kernel void read16(__global const float16 *a, __global const float16 *b,\n"
        "                   __global float16 *y)\n"
        "{\n    size_t i = get_global_id(0) * 16;\n    float16 s = 0;\n"
        "    for (int k = 0; k < 16; k++) s += a[i + k] + b[i + k];\n"
        "    y[get_global_id(0)] = s;\n}\n"
        "#else\n"
        "FUNCTION number sum(number p, number q)\n"
        "{\n    return {p.x + q.x, p.y + q.y, p.z + q.z, p.w + q.w};\n}\n"
        "__kernel void add4(const float4 *a, const float4 *b, float4 *y)\n"
        "{\n    size_t i = get_global_id(0);\n    y[i] = sum(a[i], b[i]);\n}\n"
        "__kernel void read4(const float4 *a, const float4 *b, float4 *y)\n"
        "{\n    size_t i = get_global_id(0), step = (size_t)gridDim.x * blockDim.x;\n"
        "    float4 s = {0, 0, 0, 0};\n"
        "    for (int k = 0; k < 16; k++) s = sum(s, sum(a[i + k * step], b[i + k * step]));\n"
        "    y[i] = s;\n}\n"
        "#endif\n",
    .kernels = {{NULL,
                 "{\"launches\":[{\"kernel\":\"add1\",\"global\":[\"N\"],"
                 "\"args\":[\"a\",\"b\",\"y\"]}]}",
                 3 * F32_BYTES},
                {NULL,
                 "{\"launches\":[{\"kernel\":\"add4\",\"global\":[\"N/4\"],\"local\":[256],"
                 "\"args\":[\"a\",\"b\",\"y\"]}]}",
                 3 * F32_BYTES},
                {"opencl",
                 "{\"launches\":[{\"kernel\":\"add16\",\"global\":[\"N/16\"],\"local\":[64],"
                 "\"args\":[\"a\",\"b\",\"y\"]}]}",
                 3 * F32_BYTES},
                {"opencl",
                 "{\"launches\":[{\"kernel\":\"read16\",\"global\":[\"N/256\"],\"local\":[16],"
                 "\"args\":[\"a\",\"b\",\"y\"]}]}",
                 (2 + 1.0 / 16) * F32_BYTES},
                {"cuda",
                 "{\"launches\":[{\"kernel\":\"read4\",\"global\":[\"N/64\"],\"local\":[128],"
                 "\"args\":[\"a\",\"b\",\"y\"]}]}",
                 (2 + 1.0 / 16) * F32_BYTES}},
};

/* Each of N work-items makes this many multiply-adds, which do not wait for each other. */
enum { FMA_STEPS = 512, FMA_CHAINS = 12, FMA_WIDTH = 16 };
enum { FMA_FLOPS = 2 * FMA_STEPS * FMA_CHAINS * FMA_WIDTH };

const struct roof_probe roof_compute_probe = {
    .tensors = "{\"a\":{\"role\":\"input\",\"dtype\":\"f32\",\"shape\":[\"N\"],"
               "\"fill\":{\"uniform\":[0,1]}},"
               "\"y\":{\"role\":\"output\",\"dtype\":\"f32\",\"shape\":[\"N\"]}}",
    .graph = "[{\"op\":\"neg\",\"in\":[\"a\"],\"out\":\"y\"}]",
    .source = "#define FMA(T)                                                     \\\n"
              "    T x = (T)(a[get_global_id(0)]), s[12];                         \\\n"
              "    for (int c = 0; c < 12; c++) s[c] = x + (T)(c);                \\\n"
              "    for (int k = 0; k < 512 * 16 / (int)(sizeof(T) / 4); k++) {    \\\n"
              "        _Pragma(\"unroll\")                                          \\\n"
              "        for (int c = 0; c < 12; c++) s[c] = fma(s[c], x, x);       \\\n"
              "    }                                                              \\\n"
              "    for (int c = 1; c < 12; c++) s[0] += s[c];\n"
              "__kernel void fma1(__global const float *a, __global float *y)\n"
              "{\n    FMA(float)\n    y[get_global_id(0)] = s[0];\n}\n"
              "#ifdef __OPENCL_VERSION__\n"
              "__kernel void fma16(__global const float *a, __global float *y)\n"
              "{\n    FMA(float16)\n    y[get_global_id(0)] = s[0].s0 + s[0].sf;\n}\n"
              "#endif\n",
    .kernels = {{"opencl",
                 "{\"launches\":[{\"kernel\":\"fma16\",\"global\":[\"N\"],\"local\":[1],"
                 "\"args\":[\"a\",\"y\"]}]}",
                 FMA_FLOPS},
                {NULL,
                 "{\"launches\":[{\"kernel\":\"fma1\",\"global\":[\"N\"],\"local\":[256],"
                 "\"args\":[\"a\",\"y\"]}]}",
                 FMA_FLOPS}},
};

/*
 * Each 128 of N work-items multiply the same tiles, which they have made
 * themselves, again and again: random halves between 0.5 and 1 of both signs,
 * because numbers that are all alike take less power, which would raise the
 * clock.  Matrix units before Hopper's are reached from registers, and where
 * there are none the same work is done without.
 */
enum { MATRIX_STEPS = 1024, MATRIX_COLUMNS = 256, MATRIX_FLOPS = 2 * 64 * MATRIX_COLUMNS * 16 };

const struct roof_probe roof_matrix_probe = {
    .tensors = "{\"a\":{\"role\":\"input\",\"dtype\":\"f32\",\"shape\":[\"N\"],"
               "\"fill\":{\"uniform\":[0,1]}},"
               "\"y\":{\"role\":\"output\",\"dtype\":\"f32\",\"shape\":[\"N\"]}}",
    .graph = "[{\"op\":\"neg\",\"in\":[\"a\"],\"out\":\"y\"}]",
    .has_matrix = true,
    .source = "#ifdef __CUDA_ARCH_FEAT_SM90_ALL\n"
              "__kernel void matrix(const float *a, float *y)\n"
              "{\n"
              "    __shared__ __align__(1024) uint tiles[(64 + 256) * 32];\n"
              "    float sums[128];\n"
              "    for (int i = threadIdx.x; i < (64 + 256) * 32; i += blockDim.x) {\n"
              "        uint bits = (uint)i * 2654435761u;\n"
              "        tiles[i] = 0x38003800 | ((bits ^ bits >> 15) & 0x83ff83ff);\n"
              "    }\n"
              "    for (int i = 0; i < 128; i++) sums[i] = a[get_global_id(0)];\n"
              "    barriers_visible();\n"
              "    __syncthreads();\n"
              "    for (int k = 0; k < 256; k++) {\n"
              "        multiply_begin();\n"
              "        for (int i = 0; i < 4; i++)\n"
              "            multiply_256(sums, descriptor(tiles) + 2 * i, descriptor(tiles + 2048) "
              "+ 2 * i);\n"
              "        multiply_end();\n"
              "        multiply_wait<0>();\n"
              "    }\n"
              "    for (int i = 1; i < 128; i++) sums[0] += sums[i];\n"
              "    y[get_global_id(0)] = sums[0];\n"
              "}\n"
              "#elif __CUDA_ARCH__ >= 800\n"
              "__kernel void matrix(const float *a, float *y)\n"
              "{\n"
              "    uint x = 0x38003800 | threadIdx.x;\n"
              "    float s[8][4] = {{a[get_global_id(0)]}};\n"
              "    for (int k = 0; k < 4096; k++) {\n"
              "        _Pragma(\"unroll\")\n"
              "        for (int i = 0; i < 8; i++)\n"
              "            asm volatile(\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 \"\n"
              "                         \"{%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, {%0, %1, "
              "%2, %3};\"\n"
              "                         : \"+f\"(s[i][0]), \"+f\"(s[i][1]), \"+f\"(s[i][2]), "
              "\"+f\"(s[i][3])\n"
              "                         : \"r\"(x));\n"
              "    }\n"
              "    for (int i = 1; i < 32; i++) s[0][0] += s[i / 4][i % 4];\n"
              "    y[get_global_id(0)] = s[0][0];\n"
              "}\n"
              "#else\n"
              "__kernel void matrix(const float *a, float *y)\n"
              "{\n"
              "    float x = a[get_global_id(0)], s[8] = {x};\n"
              "    for (int k = 0; k < 262144; k++) {\n"
              "        _Pragma(\"unroll\")\n"
              "        for (int i = 0; i < 8; i++) s[i] = fma(s[i], x, x);\n"
              "    }\n"
              "    for (int i = 1; i < 8; i++) s[0] += s[i];\n"
              "    y[get_global_id(0)] = s[0];\n"
              "}\n"
              "#endif\n",
    .kernels = {{"cuda",
                 "{\"launches\":[{\"kernel\":\"matrix\",\"global\":[\"N\"],\"local\":[256],"
                 "\"args\":[\"a\",\"y\"]}]}",
                 (double)MATRIX_STEPS *MATRIX_FLOPS / 128}},
};

void roof_probe_source(const struct roof_probe *probe, const struct dialect *dialect,
                       struct strbuf *out)
{
    strbuf_adds(out, dialect->prelude);
    if (probe->has_matrix)
        matrix_functions(MATRIX_COLUMNS, "f16", out);
    strbuf_adds(out, probe->source);
}
