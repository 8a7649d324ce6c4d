#include "core/judge/roof_probes.h"

#include <stddef.h>

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
        "FUNCTION T sum(T p, T q)\n"
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
