#include "core/judge/roofs/roof_probe.h"

#include <stddef.h>

#include "core/codegen/matrix.h"
#include "core/judge/roofs/compute.cl.h"
#include "core/judge/roofs/cores.inc.h"
#include "core/judge/roofs/launch.cl.h"
#include "core/judge/roofs/matrix.cu.h"
#include "core/judge/roofs/memory.cl.h"

/*
 * A cache that fetches lines before writing them moves a third more than is counted for a sum. The
 * reading kernels avoid that.
 */
const struct roof_probe roof_memory_probe = {
    .tensors = "{\"a\":{\"role\":\"input\",\"dtype\":\"f32\",\"shape\":[\"N\"],"
               "\"fill\":{\"uniform\":[0,1]}},"
               "\"b\":{\"role\":\"input\",\"dtype\":\"f32\",\"shape\":[\"N\"],"
               "\"fill\":{\"uniform\":[0,1]}},"
               "\"y\":{\"role\":\"output\",\"dtype\":\"f32\",\"shape\":[\"N\"]}}",
    .graph = "[{\"op\":\"add\",\"in\":[\"a\",\"b\"],\"out\":\"y\"}]",
    .kernels = {{DIALECT_NONE,
                 "{\"launches\":[{\"kernel\":\"add1\",\"global\":[\"N\"],"
                 "\"args\":[\"a\",\"b\",\"y\"]}]}",
                 3 * F32_BYTES},
                {DIALECT_NONE,
                 "{\"launches\":[{\"kernel\":\"add4\",\"global\":[\"N/4\"],\"local\":[256],"
                 "\"args\":[\"a\",\"b\",\"y\"]}]}",
                 3 * F32_BYTES},
                {DIALECT_OPENCL,
                 "{\"launches\":[{\"kernel\":\"add16\",\"global\":[\"N/16\"],\"local\":[64],"
                 "\"args\":[\"a\",\"b\",\"y\"]}]}",
                 3 * F32_BYTES},
                {DIALECT_OPENCL,
                 "{\"launches\":[{\"kernel\":\"read16\",\"global\":[\"N/256\"],\"local\":[16],"
                 "\"args\":[\"a\",\"b\",\"y\"]}]}",
                 (2 + 1.0 / 16) * F32_BYTES},
                {DIALECT_CUDA,
                 "{\"launches\":[{\"kernel\":\"read4\",\"global\":[\"N/64\"],\"local\":[128],"
                 "\"args\":[\"a\",\"b\",\"y\"]}]}",
                 (2 + 1.0 / 16) * F32_BYTES},
                {DIALECT_HIP,
                 "{\"launches\":[{\"kernel\":\"read4\",\"global\":[\"N/64\"],\"local\":[128],"
                 "\"args\":[\"a\",\"b\",\"y\"]}]}",
                 (2 + 1.0 / 16) * F32_BYTES},
                {DIALECT_C,
                 "{\"launches\":[{\"kernel\":\"add_all\",\"threads\":\"all\","
                 "\"args\":[\"a\",\"b\",\"y\",\"N\"]}]}",
                 3 * F32_BYTES},
                {DIALECT_C,
                 "{\"launches\":[{\"kernel\":\"read_all\",\"threads\":\"all\","
                 "\"args\":[\"a\",\"b\",\"y\",\"N\"]}]}",
                 (2 + 1.0 / 16) * F32_BYTES}},
};

/*
 * The number of multiply-adds of each of N work-items; those of different chains are independent.
 */
enum { FMA_STEPS = 512, FMA_CHAINS = 12, FMA_WIDTH = 16 };
enum { FMA_FLOPS = 2 * FMA_STEPS * FMA_CHAINS * FMA_WIDTH };

const struct roof_probe roof_compute_probe = {
    .tensors = "{\"a\":{\"role\":\"input\",\"dtype\":\"f32\",\"shape\":[\"N\"],"
               "\"fill\":{\"uniform\":[0,1]}},"
               "\"y\":{\"role\":\"output\",\"dtype\":\"f32\",\"shape\":[\"N\"]}}",
    .graph = "[{\"op\":\"neg\",\"in\":[\"a\"],\"out\":\"y\"}]",
    .kernels = {{DIALECT_OPENCL,
                 "{\"launches\":[{\"kernel\":\"fma16\",\"global\":[\"N\"],\"local\":[1],"
                 "\"args\":[\"a\",\"y\"]}]}",
                 FMA_FLOPS},
                {DIALECT_NONE,
                 "{\"launches\":[{\"kernel\":\"fma1\",\"global\":[\"N\"],\"local\":[256],"
                 "\"args\":[\"a\",\"y\"]}]}",
                 FMA_FLOPS},
                {DIALECT_C,
                 "{\"launches\":[{\"kernel\":\"multiply_add\",\"threads\":\"all\","
                 "\"args\":[\"a\",\"y\",\"N\"]}]}",
                 FMA_FLOPS}},
};

const struct roof_probe roof_launch_probe = {
    .tensors = "{\"a\":{\"role\":\"input\",\"dtype\":\"f32\",\"shape\":[\"N\"],"
               "\"fill\":{\"uniform\":[0,1]}},"
               "\"y\":{\"role\":\"output\",\"dtype\":\"f32\",\"shape\":[\"N\"]}}",
    .graph = "[{\"op\":\"neg\",\"in\":[\"a\"],\"out\":\"y\"}]",
    .kernels = {{DIALECT_NONE,
                 "{\"launches\":[{\"kernel\":\"empty\",\"global\":[\"N\"],"
                 "\"args\":[\"a\",\"y\"]}]}",
                 1},
                {DIALECT_C,
                 "{\"launches\":[{\"kernel\":\"empty\",\"threads\":\"all\","
                 "\"args\":[\"a\",\"y\"]}]}",
                 1}},
};

/*
 * Each 128 of N work-items repeatedly multiply the same tiles, which they have filled themselves
 * with random halves between 0.5 and 1 of both signs: equal numbers would take less power, which
 * would raise the clock. Matrix units before Hopper's take operands from registers. A device
 * without matrix units does the same amount of work in float.
 */
enum { MATRIX_STEPS = 1024, MATRIX_COLUMNS = 256, MATRIX_FLOPS = 2 * 64 * MATRIX_COLUMNS * 16 };

const struct roof_probe roof_matrix_probe = {
    .tensors = "{\"a\":{\"role\":\"input\",\"dtype\":\"f32\",\"shape\":[\"N\"],"
               "\"fill\":{\"uniform\":[0,1]}},"
               "\"y\":{\"role\":\"output\",\"dtype\":\"f32\",\"shape\":[\"N\"]}}",
    .graph = "[{\"op\":\"neg\",\"in\":[\"a\"],\"out\":\"y\"}]",
    .is_matrix = true,
    .kernels = {{DIALECT_CUDA,
                 "{\"launches\":[{\"kernel\":\"matrix\",\"global\":[\"N\"],\"local\":[256],"
                 "\"args\":[\"a\",\"y\"]}]}",
                 (double)MATRIX_STEPS *MATRIX_FLOPS / 128}},
};

void roof_probe_source(const struct roof_probe *probe, const struct dialect *dialect,
                       struct strbuf *out)
{
    strbuf_adds(out, dialect->prelude);
    if (probe->is_matrix) {
        matrix_functions(matrix_cu, "f16", out);
        strbuf_adds(out, matrix_cu);
    } else if (dialect->has_calls) {
        strbuf_adds(out, cores_inc);
    } else {
        strbuf_adds(out, memory_cl);
        strbuf_adds(out, compute_cl);
        strbuf_adds(out, launch_cl);
    }
}
