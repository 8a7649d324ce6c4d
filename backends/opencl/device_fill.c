#include "backends/opencl/device_fill.h"

#include <stdio.h>
#include <string.h>

#include "backends/opencl/error.h"
#include "backends/opencl/internal_kernels.h"
#include "core/base/array.h"
#include "core/base/mem.h"

/*
 * Random elements; built with ELEMENT, REAL, WHOLE and BITS of a type and MADE of a kind of fill.
 * One kernel stores them, one compares them with what is there: a program for each takes a compiler
 * nearly twice as long.  A work-item makes the 32 of eight blocks, in vectors: compilers for CPUs
 * multiply 32 bits by 32 for a lane of 64, so the blocks are in such lanes, whose upper halves
 * count for nothing.  For each element type T, REAL_T converts floats and WHOLE_T longs, and BITS_T
 * is what tells elements apart.  A float between a long and a bf16 is rounded to odd, so that the
 * second rounding sees what the first cut off (Boldo, Melquiond: "Emulation of FMA and Correctly
 * Rounded Sums", IEEE Trans. Computers 57(4), 2008).
 */
static const char random_source[] =
    "#ifdef cl_khr_fp64\n"
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "#endif\n"
    "#define LOWER 0xffffffffUL\n"
    /* The words of eight blocks from `block` on, in the order of the elements. */
    "void philox(ulong block, uint2 key, uint stream, uint16 words[2])\n"
    "{\n"
    "    ulong8 n = block + (ulong8)(0, 1, 2, 3, 4, 5, 6, 7);\n"
    "    ulong8 a = n & LOWER, b = n >> 32, c = stream, d = 0, p, q;\n"
    "    ulong k = key.x, l = key.y;\n"
    "    _Pragma(\"unroll\")\n"
    "    for (int round = 0; round < 7; round++) {\n"
    "        ulong8 even = (a & LOWER) * 0xD2511F53UL;\n"
    "        ulong8 odd = (c & LOWER) * 0xCD9E8D57UL;\n"
    "        a = odd >> 32 ^ b ^ k;\n"
    "        b = odd;\n"
    "        c = even >> 32 ^ d ^ l;\n"
    "        d = even;\n"
    "        k = (k + 0x9E3779B9UL) & LOWER;\n"
    "        l = (l + 0xBB67AE85UL) & LOWER;\n"
    "    }\n"
    "    p = (a & LOWER) | b << 32;\n"
    "    q = (c & LOWER) | d << 32;\n"
    "    words[0] = as_uint16((ulong8)(p.s0, q.s0, p.s1, q.s1, p.s2, q.s2, p.s3, q.s3));\n"
    "    words[1] = as_uint16((ulong8)(p.s4, q.s4, p.s5, q.s5, p.s6, q.s6, p.s7, q.s7));\n"
    "}\n"
    "uint16 ones(uint16 w)\n"
    "{\n"
    "    w -= w >> 1 & 0x55555555u;\n"
    "    w = (w & 0x33333333u) + (w >> 2 & 0x33333333u);\n"
    "    w = (w + (w >> 4)) & 0x0f0f0f0fu;\n"
    "    return w * 0x01010101u >> 24;\n"
    "}\n"
    "float16 bell(uint16 w)\n"
    "{\n"
    "    uint16 other = as_uint16(rotate(as_ulong8(w), 32UL));\n"
    "    int16 rest = as_int16(other & 0xffffu) - as_int16(other >> 16);\n"
    "    return convert_float16((as_int16(ones(w)) - 16) * 0x10000 + rest);\n"
    "}\n"
    "ushort16 f16(float16 x)\n"
    "{\n"
    "    ushort bits[16];\n"
    "    vstore_half16_rte(x, 0, (half *)bits);\n"
    "    return vload16(0, bits);\n"
    "}\n"
    "ushort16 bf16(float16 x)\n"
    "{\n"
    "    uint16 bits = as_uint16(x);\n"
    "    return convert_ushort16((bits + 0x7fff + (bits >> 16 & 1)) >> 16);\n"
    "}\n"
    "float16 to_odd(long16 whole)\n"
    "{\n"
    "    float16 cut = convert_float16_rtz(whole);\n"
    "    return as_float16(as_int16(cut) | convert_int16((convert_long16_rtz(cut) != whole) & "
    "1L));\n"
    "}\n"
    "#define REAL_f32(x) (x)\n"
    "#define WHOLE_f32(x) convert_float16(x)\n"
    "#define REAL_f16(x) f16(x)\n"
    "#define WHOLE_f16(x) f16(convert_float16(x))\n"
    "#define REAL_bf16(x) bf16(x)\n"
    "#define WHOLE_bf16(x) bf16(to_odd(x))\n"
    "#define REAL_f64(x) convert_double16(x)\n"
    "#define WHOLE_f64(x) convert_double16(x)\n"
    "#define REAL_i32(x) convert_int16_sat_rte(x)\n"
    "#define WHOLE_i32(x) convert_int16_sat(x)\n"
    "#define REAL_i64(x) convert_long16_sat_rte(x)\n"
    "#define WHOLE_i64(x) (x)\n"
    "#define REAL_bool(x) convert_uchar16(((x) != 0) & 1)\n"
    "#define WHOLE_bool(x) convert_uchar16(((x) != 0) & 1L)\n"
    "#define BITS_f32(x) as_int16(x)\n"
    "#define BITS_f16(x) (x)\n"
    "#define BITS_bf16(x) (x)\n"
    "#define BITS_f64(x) as_long16(x)\n"
    "#define BITS_i32(x) (x)\n"
    "#define BITS_i64(x) (x)\n"
    "#define BITS_bool(x) (x)\n"
    "#define ELEMENT_f32 float\n"
    "#define ELEMENT_f16 ushort\n"
    "#define ELEMENT_bf16 ushort\n"
    "#define ELEMENT_f64 double\n"
    "#define ELEMENT_i32 int\n"
    "#define ELEMENT_i64 long\n"
    "#define ELEMENT_bool uchar\n"
    "#define PASTE(a, b) a##b\n"
    "#define JOIN(a, b) PASTE(a, b)\n"
    "#define MADE_uniform REAL(fma(convert_float16(w >> 8), step, base))\n"
    "#define MADE_normal REAL(fma(bell(w), step, base))\n"
    "#define MADE_integers WHOLE(lowest + as_long16(convert_ulong16(w) * range >> 32))\n"
    "#define MADE_mask WHOLE((convert_ulong16(w) < range) & 1L)\n"
    "typedef JOIN(ELEMENT, 16) elements;\n"
    "#define KERNEL(name, use) \\\n"
    "kernel void name(global ELEMENT *out, ulong count, uint2 key, uint stream, float step, \\\n"
    "                 float base, ulong range, long lowest, global int *differs) \\\n"
    "{ \\\n"
    "    ulong first = 32 * get_global_id(0); \\\n"
    "    uint16 words[2]; \\\n"
    "    philox(first / 4, key, stream, words); \\\n"
    "    _Pragma(\"unroll\") \\\n"
    "    for (int part = 0; part < 2; part++, first += 16) { \\\n"
    "        uint16 w = words[part]; \\\n"
    "        use(MADE, out, first, count, differs); \\\n"
    "    } \\\n"
    "}\n";

/* What becomes of the 16 elements from `first` on, as far as there are any. */
static const char use_source[] =
    "void compare(elements made, global ELEMENT *out, ulong first, ulong count,\n"
    "             global int *differs)\n"
    "{\n"
    "    elements found;\n"
    "    if (first + 16 <= count) {\n"
    "        found = vload16(0, out + first);\n"
    "    } else {\n"
    "        ELEMENT last[16];\n"
    "        vstore16(made, 0, last);\n"
    "        for (ulong i = first; i < count; i++)\n"
    "            last[i - first] = out[i];\n"
    "        found = vload16(0, last);\n"
    "    }\n"
    "    if (any(BITS(found) != BITS(made)))\n"
    "        *differs = 1;\n"
    "}\n"
    "void store(elements made, global ELEMENT *out, ulong first, ulong count,\n"
    "           global int *differs)\n"
    "{\n"
    "    if (first + 16 <= count) {\n"
    "        vstore16(made, 0, out + first);\n"
    "    } else {\n"
    "        ELEMENT last[16];\n"
    "        vstore16(made, 0, last);\n"
    "        for (ulong i = first; i < count; i++)\n"
    "            out[i] = last[i - first];\n"
    "    }\n"
    "}\n"
    "KERNEL(generate, store)\n"
    "KERNEL(check, compare)\n";

/*
 * Words repeated over `bytes` bytes from `origin` on, and the guards.  The first work-items set 256
 * bytes of a guard each, all others 256 of the contents.
 */
static const char poison_source[] =
    "kernel void generate(global uchar *allocation, ulong origin, ulong bytes, uint word)\n"
    "{\n"
    "    ulong item = get_global_id(0), guards = 2 * GUARD / 256;\n"
    "    ulong first = 256 * (item - guards);\n"
    "    global uchar *contents = allocation + origin;\n"
    "    if (item < guards / 2) {\n"
    "        for (ulong i = 0; i < 16; i++)\n"
    "            vstore16((uchar16)GUARD_BYTE, i, contents - GUARD + 256 * item);\n"
    "    } else if (item < guards) {\n"
    "        for (ulong i = 0; i < 16; i++)\n"
    "            vstore16((uchar16)GUARD_BYTE, i, contents + bytes + 256 * (item - guards / 2));\n"
    "    } else if (first + 256 <= bytes) {\n"
    "        for (ulong i = 0; i < 4; i++)\n"
    "            vstore16((uint16)word, i, (global uint *)(contents + first));\n"
    "    } else {\n"
    "        for (ulong i = first; i < bytes; i++)\n"
    "            contents[i] = (uchar)(word >> 8 * (i & 3));\n"
    "    }\n"
    "}\n";

enum { PER_ITEM = 32, POISON_PER_ITEM = 256, GROUP_ITEMS = 64 }; /* elements, bytes, work-items */

/* From so many work-items on PoCL has another program for a launch, as it knows less of it
 * (grid_width_specialization_limit in its lib/CL/devices/common.c). */
enum { LARGE_GRID = 65535 };

/* Kinds without a name have no kernel. */
static const char *const kinds[] = {
    [FILL_UNIFORM] = "uniform", [FILL_NORMAL] = "normal",  [FILL_INTEGERS] = "integers",
    [FILL_MASK] = "mask",       [FILL_PERMUTATION] = NULL, [FILL_MODEL] = NULL,
};

/* What becomes of the elements. */
enum use { STORED, HELD };

/* What makes the contents of a value, or poisons where that is NULL. */
static struct internal_source source_of(const struct value *value)
{
    struct internal_source source = {{random_source, use_source}, {"generate", "check"}, ""};
    const char *type;

    if (!value) {
        source = (struct internal_source){{poison_source, NULL}, {"generate", NULL}, ""};
        snprintf(source.options, sizeof(source.options), "-DGUARD=%dUL -DGUARD_BYTE=%d",
                 BUFFER_GUARD_BYTES, BUFFER_GUARD_BYTE);
        return source;
    }
    type = dtype_name(value->dtype);
    snprintf(source.options, sizeof(source.options),
             "-DELEMENT=ELEMENT_%s -DREAL=REAL_%s -DWHOLE=WHOLE_%s -DBITS=BITS_%s -DMADE=MADE_%s",
             type, type, type, type, kinds[value->fill.kind]);
    return source;
}

struct argument {
    size_t size;
    const void *at;
};

/* Run a kernel on `items` work-items at least. */
static cl_int run(struct device *device, cl_kernel kernel, const struct argument *arguments,
                  cl_uint count, size_t items)
{
    size_t most = device->info.max_work_group, local = most < GROUP_ITEMS ? most : GROUP_ITEMS;
    size_t global = (items + local - 1) / local * local;
    cl_int code = CL_SUCCESS;

    for (cl_uint i = 0; !code && i < count; i++)
        code = clSetKernelArg(kernel, i, arguments[i].size, arguments[i].at);
    if (code)
        return code;
    return clEnqueueNDRangeKernel(device->queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
}

static cl_int generate(struct buffer *buffer, const struct contents *c, enum use use, size_t items)
{
    const struct internal_source source = source_of(c->value);
    struct fill_factors set = fill_factors(&c->value->fill);
    cl_ulong count = (cl_ulong)shape_elements(&c->value->shape);
    cl_uint2 key = {{(cl_uint)c->seed, (cl_uint)(c->seed >> 32)}};
    const struct argument arguments[] = {
        {sizeof(cl_mem), &buffer->contents},
        {sizeof(count), &count},
        {sizeof(key), &key},
        {sizeof(c->stream), &c->stream},
        {sizeof(set.step), &set.step},
        {sizeof(set.base), &set.base},
        {sizeof(set.range), &set.range},
        {sizeof(set.lowest), &set.lowest},
        {sizeof(cl_mem), &buffer->device->differs},
    };
    struct device *device = buffer->device;
    struct internal_program program;
    cl_int code = opencl_internal_program_find(device, &source, &program);

    if (code)
        return code;
    return run(device, program.kernels[use], arguments, COUNT(arguments), items);
}

static size_t items_of(const struct value *value)
{
    return ((size_t)shape_elements(&value->shape) + PER_ITEM - 1) / PER_ITEM;
}

static cl_int poison(struct buffer *buffer, uint32_t word, size_t items)
{
    const struct internal_source source = source_of(NULL);
    cl_ulong origin = buffer->origin, bytes = buffer->bytes;
    const struct argument arguments[] = {
        {sizeof(cl_mem), &buffer->allocation},
        {sizeof(origin), &origin},
        {sizeof(bytes), &bytes},
        {sizeof(word), &word},
    };
    struct internal_program program;
    cl_int code = opencl_internal_program_find(buffer->device, &source, &program);

    if (code)
        return code;
    return run(buffer->device, program.kernels[STORED], arguments, COUNT(arguments), items);
}

enum status opencl_buffer_poison(struct buffer *buffer, uint32_t word, struct error *err)
{
    cl_int code =
        poison(buffer, word,
               (BUFFER_MARGINS_BYTES + buffer->bytes + POISON_PER_ITEM - 1) / POISON_PER_ITEM);

    if (code)
        return error_set(err, STATUS_IO, "cannot set %zu bytes on %s: %s", buffer->bytes,
                         buffer->device->info.id, opencl_error_name(code));
    return STATUS_OK;
}

static enum status make_on_host(struct buffer *buffer, const struct contents *contents,
                                struct error *err)
{
    void *elements = mem_alloc_zeroed(buffer->bytes, 1);
    enum status st;

    fill_make(contents->value, contents->seed, contents->stream, elements);
    st = opencl_buffer_write(buffer, elements, err);
    free(elements);
    return st;
}

static bool is_generated(const struct device *device, const struct value *value)
{
    return kinds[value->fill.kind] && (value->dtype != DTYPE_F64 || device->has_f64);
}

bool opencl_internal_kernel_key(const struct device *device, const struct value *value,
                                char key[DIGEST_HEX_SIZE])
{
    struct internal_source source;

    if (value && !is_generated(device, value))
        return false;
    source = source_of(value);
    return opencl_internal_program_key(device, &source, key);
}

enum status opencl_internal_kernel_load(struct device *device, const struct value *value,
                                        const struct binary *kept, struct error *err)
{
    const struct internal_source source = source_of(value);

    return opencl_internal_program_load(device, &source, kept, err);
}

/* Launches on `grid` work-items that do nothing; the buffer is for their guards and arguments. */
static cl_int idle(struct buffer *buffer, const struct value *value, size_t grid)
{
    struct value none;
    const struct contents nothing = {.value = &none};
    cl_int code;

    if (!value)
        return poison(buffer, 0, grid);
    none = *value;
    none.shape = (struct shape){.rank = 1};
    code = generate(buffer, &nothing, STORED, grid);
    return code ? code : generate(buffer, &nothing, HELD, grid);
}

/* PoCL compiles a kernel again when it is first launched on groups of a size, and on a large grid:
 * what it makes then is part of the binary. */
enum status opencl_internal_kernel_make(struct device *device, const struct value *value,
                                        struct binary *made, struct error *err)
{
    const struct internal_source source = source_of(value);
    struct buffer *buffer = NULL;
    enum status st = opencl_buffer_new(device, POISON_PER_ITEM, &buffer, err);
    cl_int code;

    if (st)
        return st;
    code = idle(buffer, value, GROUP_ITEMS);
    if (!code)
        code = idle(buffer, value, LARGE_GRID);
    if (!code)
        code = clFinish(device->queue);
    opencl_buffer_free(buffer);
    if (code)
        return error_set(err, STATUS_IO, "%s cannot compile kforge's own kernels: %s",
                         device->info.id, opencl_error_name(code));
    return opencl_internal_program_binary(device, &source, made, err);
}

enum status opencl_buffer_fill(struct buffer *buffer, const struct contents *contents,
                               struct error *err)
{
    const struct value *value = contents->value;
    uint64_t element;
    cl_int code;

    if (value->fill.kind == FILL_CONSTANT) {
        dtype_from_double(value->dtype, &value->fill.a, &element, 1);
        return opencl_buffer_repeat(buffer, &element, dtype_bytes(value->dtype), err);
    }
    if (!is_generated(buffer->device, value))
        return make_on_host(buffer, contents, err);
    code = generate(buffer, contents, STORED, items_of(value));
    if (code)
        return error_set(err, STATUS_IO, "cannot make the contents of %s on %s: %s", value->name,
                         buffer->device->info.id, opencl_error_name(code));
    return STATUS_OK;
}

enum status opencl_buffer_holds(struct buffer *buffer, const struct contents *contents, bool *holds,
                                struct error *err)
{
    const struct device *device = buffer->device;
    cl_int differs = 0;
    cl_int code;

    if (!is_generated(device, contents->value))
        return error_set(err, STATUS_UNAVAILABLE, "%s is made on the host", contents->value->name);
    code = clEnqueueWriteBuffer(device->queue, device->differs, CL_TRUE, 0, sizeof(differs),
                                &differs, 0, NULL, NULL);
    if (!code)
        code = generate(buffer, contents, HELD, items_of(contents->value));
    if (!code)
        code = clEnqueueReadBuffer(device->queue, device->differs, CL_TRUE, 0, sizeof(differs),
                                   &differs, 0, NULL, NULL);
    if (code)
        return error_set(err, STATUS_IO, "cannot look at %s on %s: %s", contents->value->name,
                         device->info.id, opencl_error_name(code));
    *holds = !differs;
    return STATUS_OK;
}
