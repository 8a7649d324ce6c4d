#include "backends/opencl/generator.h"

#include <math.h>
#include <stdio.h>

#include "backends/opencl/error.h"
#include "core/base/mem.h"

/*
 * Scalars in unrolled loops, so that compilers for CPUs can put work-items in vector lanes.
 * For each element type T, REAL_T stores a float and WHOLE_T a long.  A float
 * between a long and a bf16 is rounded to odd, so that the second rounding
 * sees what the first cut off (Boldo, Melquiond: "Emulation of FMA and
 * Correctly Rounded Sums", IEEE Trans. Computers 57(4), 2008).
 */
static const char generator_source[] =
    "#ifdef cl_khr_fp64\n"
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "#endif\n"
    "uint4 philox(ulong block, uint stream, uint2 key)\n"
    "{\n"
    "    uint a = (uint)block, b = (uint)(block >> 32), c = stream, d = 0;\n"
    "    uint k = key.x, l = key.y;\n"
    "#pragma unroll\n"
    "    for (int round = 0; round < 10; round++) {\n"
    "        ulong even = (ulong)0xD2511F53u * a, odd = (ulong)0xCD9E8D57u * c;\n"
    "        a = (uint)(odd >> 32) ^ b ^ k;\n"
    "        b = (uint)odd;\n"
    "        c = (uint)(even >> 32) ^ d ^ l;\n"
    "        d = (uint)even;\n"
    "        k += 0x9E3779B9u;\n"
    "        l += 0xBB67AE85u;\n"
    "    }\n"
    "    return (uint4)(a, b, c, d);\n"
    "}\n"
    "ushort bf16(float x)\n"
    "{\n"
    "    uint bits = as_uint(x);\n"
    "    return (ushort)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);\n"
    "}\n"
    "float to_odd(long whole)\n"
    "{\n"
    "    float cut = convert_float_rtz(whole);\n"
    "    return as_float(as_uint(cut) | (convert_long_rtz(cut) != whole));\n"
    "}\n"
    "int centred_sum(uint4 w)\n"
    "{\n"
    "    uint4 halves = (w & 0xffff) + (w >> 16);\n"
    "    return (int)(2 * (halves.x + halves.y + halves.z + halves.w)) - 8 * 0xffff;\n"
    "}\n"
    "#define REAL_f32(x) out[i] = (x)\n"
    "#define WHOLE_f32(x) out[i] = (float)(x)\n"
    "#define REAL_f16(x) vstore_half_rte(x, i, out)\n"
    "#define WHOLE_f16(x) vstore_half_rte((float)(x), i, out)\n"
    "#define REAL_bf16(x) out[i] = bf16(x)\n"
    "#define WHOLE_bf16(x) out[i] = bf16(to_odd(x))\n"
    "#define REAL_f64(x) out[i] = (x)\n"
    "#define WHOLE_f64(x) out[i] = (x)\n"
    "#define REAL_i32(x) out[i] = convert_int_sat_rte(x)\n"
    "#define WHOLE_i32(x) out[i] = convert_int_sat(x)\n"
    "#define REAL_i64(x) out[i] = convert_long_sat_rte(x)\n"
    "#define WHOLE_i64(x) out[i] = (x)\n"
    "#define REAL_bool(x) out[i] = (x) != 0\n"
    "#define WHOLE_bool(x) out[i] = (x) != 0\n"
    "#define ARGUMENTS(type) global type *out, ulong count, uint2 key, uint stream, \\\n"
    "                        float step, float base, ulong range, long lowest\n"
    /* One work-item a block of four elements. */
    "#define EACH_WORD(store)                                              \\\n"
    "    ulong block = get_global_id(0);                                   \\\n"
    "    uint4 words = philox(block, stream, key);                         \\\n"
    "    uint word[4] = {words.x, words.y, words.z, words.w};              \\\n"
    "    for (int w = 0; w < 4; w++) {                                     \\\n"
    "        ulong i = 4 * block + w;                                      \\\n"
    "        if (i < count)                                                \\\n"
    "            store;                                                    \\\n"
    "    }\n"
    "#define KERNELS(T, type)                                              \\\n"
    "kernel void uniform_##T(ARGUMENTS(type))                              \\\n"
    "{                                                                     \\\n"
    "    EACH_WORD(REAL_##T(fma((float)(word[w] >> 8), step, base)))       \\\n"
    "}                                                                     \\\n"
    "kernel void normal_##T(ARGUMENTS(type))                               \\\n"
    "{                                                                     \\\n"
    "    ulong i = get_global_id(0);                                       \\\n"
    "    uint4 words = philox(i, stream, key);                             \\\n"
    "    if (i < count)                                                    \\\n"
    "        REAL_##T(fma((float)centred_sum(words), step, base));         \\\n"
    "}                                                                     \\\n"
    "kernel void integers_##T(ARGUMENTS(type))                             \\\n"
    "{                                                                     \\\n"
    "    EACH_WORD(WHOLE_##T(lowest + (long)(word[w] * range >> 32)))      \\\n"
    "}                                                                     \\\n"
    "kernel void mask_##T(ARGUMENTS(type))                                 \\\n"
    "{                                                                     \\\n"
    "    EACH_WORD(WHOLE_##T((long)(word[w] < range)))                     \\\n"
    "}\n"
    "KERNELS(f32, float)\n"
    "KERNELS(f16, half)\n"
    "KERNELS(bf16, ushort)\n"
    "#ifdef cl_khr_fp64\n"
    "KERNELS(f64, double)\n"
    "#endif\n"
    "KERNELS(i32, int)\n"
    "KERNELS(i64, long)\n"
    "KERNELS(bool, uchar)\n";

/* What the kernels take beside place, count and counter; each uses what its formula has. */
struct parameters {
    cl_float step, base;
    cl_ulong range;
    cl_long lowest;
};

static struct parameters uniform(const struct fill *fill)
{
    return (struct parameters){.step = (float)((fill->b - fill->a) * 0x1p-24),
                               .base = (float)fill->a};
}

static struct parameters normal(const struct fill *fill)
{
    return (struct parameters){.step = (float)(fill->b / (2 * sqrt(8 * (0x1p32 - 1) / 12))),
                               .base = (float)fill->a};
}

static struct parameters integers(const struct fill *fill)
{
    return (struct parameters){.range = (cl_ulong)(fill->b - fill->a) + 1,
                               .lowest = (cl_long)fill->a};
}

static struct parameters mask(const struct fill *fill)
{
    return (struct parameters){.range = (cl_ulong)ceil(fill->a * 0x1p32)};
}

/* Kinds without a name have no kernel. */
static const struct kind {
    const char *name;
    size_t per_item; /* elements that one work-item makes */
    struct parameters (*parameters)(const struct fill *fill);
} kinds[] = {
    [FILL_UNIFORM] = {"uniform", 4, uniform},    [FILL_NORMAL] = {"normal", 1, normal},
    [FILL_INTEGERS] = {"integers", 4, integers}, [FILL_MASK] = {"mask", 4, mask},
    [FILL_PERMUTATION] = {NULL, 0, NULL},
};

static cl_int build_generator(struct device *device)
{
    const char *source = generator_source;
    cl_program built;
    cl_int code;

    if (device->generator)
        return CL_SUCCESS;
    built = clCreateProgramWithSource(device->context, 1, &source, NULL, &code);
    if (code)
        return code;
    code = clBuildProgram(built, 1, &device->id, "", NULL, NULL);
    if (code)
        clReleaseProgram(built);
    else
        device->generator = built;
    return code;
}

static cl_int set_arguments(cl_kernel kernel, const struct buffer *buffer,
                            const struct value *value, uint64_t seed, uint32_t stream)
{
    struct parameters set = kinds[value->fill.kind].parameters(&value->fill);
    cl_ulong count = (cl_ulong)shape_elements(&value->shape);
    cl_uint2 key = {{(cl_uint)seed, (cl_uint)(seed >> 32)}};
    const struct {
        size_t size;
        const void *at;
    } arguments[] = {
        {sizeof(cl_mem), &buffer->contents},
        {sizeof(count), &count},
        {sizeof(key), &key},
        {sizeof(stream), &stream},
        {sizeof(set.step), &set.step},
        {sizeof(set.base), &set.base},
        {sizeof(set.range), &set.range},
        {sizeof(set.lowest), &set.lowest},
    };
    cl_int code = CL_SUCCESS;

    for (cl_uint i = 0; !code && i < sizeof(arguments) / sizeof(arguments[0]); i++)
        code = clSetKernelArg(kernel, i, arguments[i].size, arguments[i].at);
    return code;
}

static cl_int enqueue(const struct device *device, cl_kernel kernel, size_t items)
{
    size_t local = device->info.max_work_group < 64 ? device->info.max_work_group : 64;
    size_t global = (items + local - 1) / local * local;

    return clEnqueueNDRangeKernel(device->queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
}

static cl_int generate(struct buffer *buffer, const struct value *value, uint64_t seed,
                       uint32_t stream)
{
    const struct kind *kind = &kinds[value->fill.kind];
    size_t count = (size_t)shape_elements(&value->shape);
    cl_int code = build_generator(buffer->device);
    cl_kernel kernel = NULL;
    char name[32];

    snprintf(name, sizeof(name), "%s_%s", kind->name, dtype_name(value->dtype));
    if (!code)
        kernel = clCreateKernel(buffer->device->generator, name, &code);
    if (!code)
        code = set_arguments(kernel, buffer, value, seed, stream);
    if (!code)
        code = enqueue(buffer->device, kernel, (count + kind->per_item - 1) / kind->per_item);
    if (kernel)
        clReleaseKernel(kernel);
    return code;
}

static enum status make_on_host(struct buffer *buffer, const struct value *value, uint64_t seed,
                                uint32_t stream, struct error *err)
{
    void *elements = mem_alloc_zeroed(buffer->bytes, 1);
    enum status st;

    fill_make(value, seed, stream, elements);
    st = opencl_buffer_write(buffer, elements, err);
    free(elements);
    return st;
}

enum status opencl_buffer_fill(struct buffer *buffer, const struct value *value, uint64_t seed,
                               uint32_t stream, struct error *err)
{
    enum dtype dtype = value->dtype;
    uint64_t element;
    cl_int code;

    if (value->fill.kind == FILL_CONSTANT) {
        dtype_from_double(dtype, &value->fill.a, &element, 1);
        return opencl_buffer_repeat(buffer, &element, dtype_bytes(dtype), err);
    }
    if (!kinds[value->fill.kind].name || (dtype == DTYPE_F64 && !buffer->device->has_f64))
        return make_on_host(buffer, value, seed, stream, err);
    code = generate(buffer, value, seed, stream);
    if (code)
        return error_set(err, STATUS_IO, "cannot make the contents of %s on %s: %s", value->name,
                         buffer->device->info.id, opencl_error_name(code));
    return STATUS_OK;
}
