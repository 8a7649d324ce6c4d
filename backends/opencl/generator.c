#include "backends/opencl/generator.h"

#include <math.h>
#include <stdio.h>

#include "backends/opencl/error.h"
#include "core/base/mem.h"

/*
 * Scalars, loops that unroll and no branch but in what is left at the end:
 * so compilers for CPUs put work-items into the lanes of their vectors.
 * For each element type T, REAL_T stores a float and WHOLE_T a long.  A float
 * between a long and a bf16 is rounded to odd, so that the second rounding
 * sees what the first cut off (Boldo, Melquiond: "Emulation of FMA and
 * Correctly Rounded Sums", IEEE Trans. Computers 57(4), 2008).
 */
static const char generator_source[] =
    "#ifdef cl_khr_fp64\n"
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "#endif\n"
    /* The words a, b, c, d of a block. */
    "#define PHILOX(block) \\\n"
    "    uint a = (uint)(block), b = (uint)((block) >> 32); \\\n"
    "    uint c = stream, d = 0, k = key.x, l = key.y; \\\n"
    "    _Pragma(\"unroll\") \\\n"
    "    for (int round = 0; round < 10; round++) { \\\n"
    "        ulong even = (ulong)0xD2511F53u * a; \\\n"
    "        ulong odd = (ulong)0xCD9E8D57u * c; \\\n"
    "        a = (uint)(odd >> 32) ^ b ^ k; \\\n"
    "        b = (uint)odd; \\\n"
    "        c = (uint)(even >> 32) ^ d ^ l; \\\n"
    "        d = (uint)even; \\\n"
    "        k += 0x9E3779B9u; \\\n"
    "        l += 0xBB67AE85u; \\\n"
    "    }\n"
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
    "#define HALVES(w) (int)(((w) & 0xffff) + ((w) >> 16))\n"
    "#define CENTRED_SUM (2 * (HALVES(a) + HALVES(b) + HALVES(c) + HALVES(d)) - 8 * 0xffff)\n"
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
    /* One work-item a block, of four elements or of one. */
    "#define ELEMENT(if_in, w, at, store) \\\n"
    "    { \\\n"
    "        uint word = w; \\\n"
    "        ulong i = at; \\\n"
    "        if_in { store; } \\\n"
    "    }\n"
    "#define FOUR(if_in, store) \\\n"
    "    ulong block = get_global_id(0); \\\n"
    "    PHILOX(block) \\\n"
    "    ELEMENT(if_in, a, 4 * block, store) \\\n"
    "    ELEMENT(if_in, b, 4 * block + 1, store) \\\n"
    "    ELEMENT(if_in, c, 4 * block + 2, store) \\\n"
    "    ELEMENT(if_in, d, 4 * block + 3, store)\n"
    "#define KERNELS(part, if_in, T, type) \\\n"
    "kernel void uniform_##T##part(ARGUMENTS(type)) \\\n"
    "{ \\\n"
    "    FOUR(if_in, REAL_##T(fma((float)(word >> 8), step, base))) \\\n"
    "} \\\n"
    "kernel void normal_##T##part(ARGUMENTS(type)) \\\n"
    "{ \\\n"
    "    ulong i = get_global_id(0); \\\n"
    "    PHILOX(i) \\\n"
    "    if_in { REAL_##T(fma((float)CENTRED_SUM, step, base)); } \\\n"
    "} \\\n"
    "kernel void integers_##T##part(ARGUMENTS(type)) \\\n"
    "{ \\\n"
    "    FOUR(if_in, WHOLE_##T(lowest + (long)(word * range >> 32))) \\\n"
    "} \\\n"
    "kernel void mask_##T##part(ARGUMENTS(type)) \\\n"
    "{ \\\n"
    "    FOUR(if_in, WHOLE_##T((long)(word < range))) \\\n"
    "}\n"
    "#define BOTH(T, type) KERNELS(, , T, type) KERNELS(_end, if (i < count), T, type)\n"
    "BOTH(f32, float)\n"
    "BOTH(f16, half)\n"
    "BOTH(bf16, ushort)\n"
    "#ifdef cl_khr_fp64\n"
    "BOTH(f64, double)\n"
    "#endif\n"
    "BOTH(i32, int)\n"
    "BOTH(i64, long)\n"
    "BOTH(bool, uchar)\n";

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

/* What is to be made. */
struct contents {
    struct buffer *buffer;
    const struct value *value;
    uint64_t seed;
    uint32_t stream;
};

static cl_int set_arguments(cl_kernel kernel, const struct contents *c)
{
    struct parameters set = kinds[c->value->fill.kind].parameters(&c->value->fill);
    cl_ulong count = (cl_ulong)shape_elements(&c->value->shape);
    cl_uint2 key = {{(cl_uint)c->seed, (cl_uint)(c->seed >> 32)}};
    const struct {
        size_t size;
        const void *at;
    } arguments[] = {
        {sizeof(cl_mem), &c->buffer->contents},
        {sizeof(count), &count},
        {sizeof(key), &key},
        {sizeof(c->stream), &c->stream},
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

/* Work-items [first, last) of a kernel, in groups of `local`. */
struct range {
    const char *part; /* what its name ends in */
    size_t first, last, local;
};

static cl_int run_range(const struct contents *c, struct range range)
{
    struct device *device = c->buffer->device;
    size_t items = range.last - range.first;
    cl_kernel kernel;
    char name[32];
    cl_int code;

    if (items == 0)
        return CL_SUCCESS;
    snprintf(name, sizeof(name), "%s_%s%s", kinds[c->value->fill.kind].name,
             dtype_name(c->value->dtype), range.part);
    kernel = clCreateKernel(device->generator, name, &code);
    if (code)
        return code;
    code = set_arguments(kernel, c);
    if (!code)
        code = clEnqueueNDRangeKernel(device->queue, kernel, 1, &range.first, &items, &range.local,
                                      0, NULL, NULL);
    clReleaseKernel(kernel);
    return code;
}

/* Whole groups of whole blocks, and then what is left. */
static cl_int generate(const struct contents *c)
{
    struct device *device = c->buffer->device;
    size_t most = device->info.max_work_group, local = most < 64 ? most : 64;
    size_t count = (size_t)shape_elements(&c->value->shape);
    size_t per_item = kinds[c->value->fill.kind].per_item;
    size_t items = (count + per_item - 1) / per_item, whole = count / per_item / local * local;
    cl_int code = build_generator(device);

    if (!code)
        code = run_range(c, (struct range){"", 0, whole, local});
    if (!code)
        code = run_range(c, (struct range){"_end", whole, items, 1});
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
    code = generate(&(struct contents){buffer, value, seed, stream});
    if (code)
        return error_set(err, STATUS_IO, "cannot make the contents of %s on %s: %s", value->name,
                         buffer->device->info.id, opencl_error_name(code));
    return STATUS_OK;
}
