#include "backends/cuda/device_fill.h"

#include <stdlib.h>

#include "backends/cuda/internal_kernels.h"
#include "core/base/mem.h"
#include "core/base/strbuf.h"

/*
 * A thread makes the four elements of a block, and stores them or, where
 * `differs` is not null, compares them with what is there.  For each element
 * type T, REAL_T stores a float, WHOLE_T a long, and SAME_T compares bits.  A float between a long
 * and a bf16 is rounded to odd, so that the second rounding sees what the first cut off (Boldo,
 * Melquiond: "Emulation of FMA and Correctly Rounded Sums", IEEE Trans. Computers 57(4), 2008).
 */
static const char source[] =
    "typedef unsigned char uchar;\n"
    "typedef unsigned short ushort;\n"
    "typedef unsigned int uint;\n"
    "typedef unsigned long ulong;\n"
    "__device__ void philox(ulong block, uint2 key, uint stream, uint w[4])\n"
    "{\n"
    "    w[0] = (uint)block, w[1] = (uint)(block >> 32), w[2] = stream, w[3] = 0;\n"
    "    for (int round = 0; round < 7; round++) {\n"
    "        ulong even = (ulong)0xD2511F53u * w[0], odd = (ulong)0xCD9E8D57u * w[2];\n"
    "        w[0] = (uint)(odd >> 32) ^ w[1] ^ key.x;\n"
    "        w[1] = (uint)odd;\n"
    "        w[2] = (uint)(even >> 32) ^ w[3] ^ key.y;\n"
    "        w[3] = (uint)even;\n"
    "        key.x += 0x9E3779B9u;\n"
    "        key.y += 0xBB67AE85u;\n"
    "    }\n"
    "}\n"
    "__device__ float bell(uint word, uint other)\n"
    "{\n"
    "    int rest = (int)(other & 0xffff) - (int)(other >> 16);\n"
    "    return (float)((__popc(word) - 16) * 0x10000 + rest);\n"
    "}\n"
    "__device__ ushort f16(float x)\n"
    "{\n"
    "    ushort bits;\n"
    "    asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(bits) : \"f\"(x));\n"
    "    return bits;\n"
    "}\n"
    "__device__ ushort bf16(float x)\n"
    "{\n"
    "    uint bits = __float_as_uint(x);\n"
    "    return (ushort)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);\n"
    "}\n"
    "__device__ float to_odd(long whole)\n"
    "{\n"
    "    float cut = __ll2float_rz(whole);\n"
    "    return __uint_as_float(__float_as_uint(cut) | (__float2ll_rz(cut) != whole));\n"
    "}\n"
    "__device__ int saturated(long x)\n"
    "{\n"
    "    return x > 2147483647 ? 2147483647 : x < -2147483647 ? -2147483647 - 1 : (int)x;\n"
    "}\n"
    "#define REAL_f32(x) (x)\n"
    "#define WHOLE_f32(x) (float)(x)\n"
    "#define REAL_f16(x) f16(x)\n"
    "#define WHOLE_f16(x) f16((float)(x))\n"
    "#define REAL_bf16(x) bf16(x)\n"
    "#define WHOLE_bf16(x) bf16(to_odd(x))\n"
    "#define REAL_f64(x) (x)\n"
    "#define WHOLE_f64(x) (double)(x)\n"
    "#define REAL_i32(x) __float2int_rn(x)\n"
    "#define WHOLE_i32(x) saturated(x)\n"
    "#define REAL_i64(x) __float2ll_rn(x)\n"
    "#define WHOLE_i64(x) (x)\n"
    "#define REAL_bool(x) ((x) != 0)\n"
    "#define WHOLE_bool(x) ((x) != 0)\n"
    "#define SAME_f32(a, b) (__float_as_uint(a) == __float_as_uint(b))\n"
    "#define SAME_f16(a, b) ((a) == (b))\n"
    "#define SAME_bf16(a, b) ((a) == (b))\n"
    "#define SAME_f64(a, b) (__double_as_longlong(a) == __double_as_longlong(b))\n"
    "#define SAME_i32(a, b) ((a) == (b))\n"
    "#define SAME_i64(a, b) ((a) == (b))\n"
    "#define SAME_bool(a, b) ((a) == (b))\n"
    "extern \"C\" __global__ void make(TYPE *out, ulong count, uint2 key, uint stream,\n"
    "                                float step, float base, ulong range, long lowest,\n"
    "                                int *differs)\n"
    "{\n"
    "    ulong block = (ulong)blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    uint words[4];\n"
    "    philox(block, key, stream, words);\n"
    "    for (int i = 0; i < 4; i++) {\n"
    "        uint w = words[i], other = words[i ^ 1];\n"
    "        TYPE made = VALUE;\n"
    "        if (4 * block + i >= count)\n"
    "            continue;\n"
    "        if (!differs)\n"
    "            out[4 * block + i] = made;\n"
    "        else if (!SAME(out[4 * block + i], made))\n"
    "            *differs = 1;\n"
    "    }\n"
    "}\n";

static const char *const types[] = {
    [DTYPE_F32] = "float", [DTYPE_F16] = "ushort", [DTYPE_BF16] = "ushort", [DTYPE_F64] = "double",
    [DTYPE_I32] = "int",   [DTYPE_I64] = "long",   [DTYPE_BOOL] = "uchar",
};

/* Kinds without a formula are made on the host. */
static const struct formula {
    const char *stored; /* REAL or WHOLE */
    const char *value;
} formulas[] = {
    [FILL_UNIFORM] = {"REAL", "fmaf((float)(w >> 8), step, base)"},
    [FILL_NORMAL] = {"REAL", "fmaf(bell(w, other), step, base)"},
    [FILL_INTEGERS] = {"WHOLE", "lowest + (long)(w * range >> 32)"},
    [FILL_MASK] = {"WHOLE", "(long)(w < range)"},
    [FILL_PERMUTATION] = {NULL, NULL},
    [FILL_MODEL] = {NULL, NULL},
};

/* The program that makes such contents, compiled when it is first asked for. */
static enum status find_program(struct device *device, const struct value *value,
                                struct program **found, struct error *err)
{
    const struct formula *formula = &formulas[value->fill.kind];
    struct program **kept = &device->fill_programs[value->fill.kind][value->dtype];
    struct strbuf text = {0};
    enum status st = STATUS_OK;

    strbuf_addf(&text, "#define TYPE %s\n#define VALUE %s_%s(%s)\n#define SAME SAME_%s\n%s",
                types[value->dtype], formula->stored, dtype_name(value->dtype), formula->value,
                dtype_name(value->dtype), source);
    if (!*kept)
        st = cuda_internal_build(device, strbuf_cstr(&text), kept, err);
    strbuf_release(&text);
    *found = *kept;
    return st;
}

enum { BLOCK = 256, BLOCK_ELEMENTS = 4 * BLOCK };

/* Store the elements, or compare them where `differs` is not 0. */
static enum status generate(struct buffer *buffer, const struct contents *contents,
                            CUdeviceptr differs, struct error *err)
{
    const struct value *value = contents->value;
    struct fill_factors factors = fill_factors(&value->fill);
    CUdeviceptr out = cuda_buffer_contents(buffer);
    uint64_t count = (uint64_t)shape_elements(&value->shape);
    uint32_t key[2] = {(uint32_t)contents->seed, (uint32_t)(contents->seed >> 32)};
    uint32_t stream = contents->stream;
    void *arguments[] = {&out,           &count,          key,
                         &stream,        &factors.step,   &factors.base,
                         &factors.range, &factors.lowest, &differs};
    unsigned blocks = (unsigned)((count - 1) / BLOCK_ELEMENTS + 1);
    struct program *program;
    enum status st = find_program(buffer->device, value, &program, err);

    if (st)
        return st;
    return cuda_check(
        cuda_result(buffer->device,
                    cuda_internal_launch(program, "make", (struct line_of_blocks){blocks, BLOCK},
                                         arguments),
                    STATUS_IO),
        err, "make the contents of %s", value->name);
}

static enum status make_on_host(struct buffer *buffer, const struct contents *contents,
                                struct error *err)
{
    void *elements = mem_alloc_zeroed(buffer->bytes, 1);
    enum status st;

    fill_make(contents->value, contents->seed, contents->stream, elements);
    st = cuda_buffer_write(buffer, elements, err);
    free(elements);
    return st;
}

static bool is_generated(const struct value *value)
{
    return value->fill.kind != FILL_CONSTANT && formulas[value->fill.kind].value;
}

enum status cuda_buffer_fill(struct buffer *buffer, const struct contents *contents,
                             struct error *err)
{
    if (is_generated(contents->value))
        return generate(buffer, contents, 0, err);
    return make_on_host(buffer, contents, err);
}

enum status cuda_buffer_holds(struct buffer *buffer, const struct contents *contents, bool *holds,
                              struct error *err)
{
    const struct device *device = buffer->device;
    int32_t differs = 0;
    enum status st;

    if (!is_generated(contents->value))
        return error_set(err, STATUS_UNAVAILABLE, "%s is made on the host", contents->value->name);
    st = cuda_check(cuda_result(device, device->cuda.cuMemsetD32(device->differs, 0, 1), STATUS_IO),
                    err, "set an int");
    if (!st)
        st = generate(buffer, contents, device->differs, err);
    if (!st)
        st = cuda_check(
            cuda_result(device,
                        device->cuda.cuMemcpyDtoH(&differs, device->differs, sizeof(differs)),
                        STATUS_IO),
            err, "look at %s", contents->value->name);
    if (!st)
        *holds = !differs;
    return st;
}
