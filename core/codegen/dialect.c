#include "core/codegen/dialect.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

/*
 * max() and min() are OpenCL's, which keep the first operand where it is NaN.
 * Names here are none that a dimension has, which may be a macro.
 */
static const char cuda_prelude[] =
    "#define __kernel extern \"C\" __global__\n"
    "#define __global\n"
    "#define restrict __restrict__\n"
    "#define INFINITY __int_as_float(0x7f800000)\n"
    "#define INT_MIN (-2147483647 - 1)\n"
    "#define INT_MAX 2147483647\n"
    "#define LONG_MIN (-9223372036854775807L - 1)\n"
    "#define LONG_MAX 9223372036854775807L\n"
    "#define FUNCTION template <class number> __device__ inline\n"
    "typedef unsigned char uchar;\n"
    "typedef unsigned short ushort;\n"
    "typedef unsigned int uint;\n"
    "typedef unsigned long ulong;\n"
    "struct half { ushort bits; };\n"
    "FUNCTION number first_max(number a, number b) { return a < b ? b : a; }\n"
    "FUNCTION number first_min(number a, number b) { return b < a ? b : a; }\n"
    "FUNCTION number sign(number a) { return (number)((a > 0) - (a < 0)); }\n"
    "FUNCTION number clamp(number a, number low, number high) { return first_min(first_max(a, "
    "low), high); }\n"
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

/* What OpenCL's vectors of floats and of places can do. */
static const char cuda_vectors[] =
    "#define EACH _Pragma(\"unroll\") for (int i = 0; i < width; i++)\n"
    "#define OPERATOR(op) \\\n"
    "    friend vec operator op(vec a, vec b) { EACH a.s[i] = a.s[i] op b.s[i]; return a; }\n"
    "#define COMPARISON(op) \\\n"
    "    friend vec<int, width> operator op(vec a, vec b) \\\n"
    "    { vec<int, width> c; EACH c.s[i] = a.s[i] op b.s[i]; return c; }\n"
    "#define FUNCTION_1(name) friend vec name(vec a) { EACH a.s[i] = ::name(a.s[i]); return a; }\n"
    "#define FUNCTION_2(name) \\\n"
    "    friend vec name(vec a, vec b) { EACH a.s[i] = ::name(a.s[i], b.s[i]); return a; }\n"
    "template <class scalar, int width> struct vec {\n"
    "    scalar s[width];\n"
    "    vec() = default;\n"
    "    vec(scalar x) { EACH s[i] = x; }\n"
    "    template <class... others> vec(scalar x, scalar y, others... more) : s{x, y, "
    "scalar(more)...} {}\n"
    "    auto half(int first) const\n"
    "    {\n"
    "        if constexpr (width == 2) {\n"
    "            return s[first];\n"
    "        } else {\n"
    "            vec<scalar, width / 2> part;\n"
    "            _Pragma(\"unroll\") for (int i = 0; i < width / 2; i++)\n"
    "                part.s[i] = s[first * (width / 2) + i];\n"
    "            return part;\n"
    "        }\n"
    "    }\n"
    "    vec operator-() const { return vec(0) - *this; }\n"
    "    vec &operator+=(vec a) { return *this = *this + a; }\n"
    "    vec &operator*=(vec a) { return *this = *this * a; }\n"
    "    OPERATOR(+) OPERATOR(-) OPERATOR(*) OPERATOR(/)\n"
    "    COMPARISON(==) COMPARISON(>) COMPARISON(<)\n"
    "    FUNCTION_1(exp) FUNCTION_1(expm1) FUNCTION_1(log) FUNCTION_1(log1p) FUNCTION_1(sqrt)\n"
    "    FUNCTION_1(rsqrt) FUNCTION_1(sin) FUNCTION_1(cos) FUNCTION_1(tanh) FUNCTION_1(erf)\n"
    "    FUNCTION_1(fabs) FUNCTION_1(rint) FUNCTION_1(sign)\n"
    "    FUNCTION_2(pow) FUNCTION_2(copysign) FUNCTION_2(first_max) FUNCTION_2(first_min)\n"
    "    friend vec<int, width> isinf(vec a)\n"
    "    {\n"
    "        vec<int, width> c;\n"
    "        EACH c.s[i] = ::isinf(a.s[i]);\n"
    "        return c;\n"
    "    }\n"
    "    friend vec fma(vec a, vec b, vec c)\n"
    "    {\n"
    "        EACH a.s[i] = ::fma(a.s[i], b.s[i], c.s[i]);\n"
    "        return a;\n"
    "    }\n"
    "    friend vec choose(vec<int, width> which, vec a, vec b)\n"
    "    {\n"
    "        EACH a.s[i] = which.s[i] ? a.s[i] : b.s[i];\n"
    "        return a;\n"
    "    }\n"
    "};\n"
    "template <int width> __device__ inline vec<float, width> load(const float *p)\n"
    "{\n"
    "    vec<float, width> v;\n"
    "    EACH v.s[i] = p[i];\n"
    "    return v;\n"
    "}\n"
    "template <int width> __device__ inline void store(vec<float, width> v, float *p)\n"
    "{\n"
    "    EACH p[i] = v.s[i];\n"
    "}\n"
    "template <int width> struct piece { typedef float4 type; enum { size = 4 }; };\n"
    "template <> struct piece<2> { typedef float2 type; enum { size = 2 }; };\n"
    "template <int width> __device__ inline vec<float, width> load_aligned(const float *p)\n"
    "{\n"
    "    typename piece<width>::type pieces[width / piece<width>::size];\n"
    "    _Pragma(\"unroll\") for (int i = 0; i < width / piece<width>::size; i++)\n"
    "        pieces[i] = ((const typename piece<width>::type *)p)[i];\n"
    "    return load<width>((const float *)pieces);\n"
    "}\n"
    "template <int width> __device__ inline void store_aligned(vec<float, width> v, float *p)\n"
    "{\n"
    "    typename piece<width>::type pieces[width / piece<width>::size];\n"
    "    store(v, (float *)pieces);\n"
    "    _Pragma(\"unroll\") for (int i = 0; i < width / piece<width>::size; i++)\n"
    "        ((typename piece<width>::type *)p)[i] = pieces[i];\n"
    "}\n";

/* After the "PTX ISA", section on cp.async, which GPUs before sm_80 do without. */
static const char cuda_copies[] =
    "template <int bytes> __device__ inline void copy_later(float *to, const float *from, bool "
    "is_there)\n"
    "{\n"
    "#if __CUDA_ARCH__ >= 800\n"
    "    asm volatile(\"cp.async.ca.shared.global [%0], [%1], %2, %3;\" ::\n"
    "                 \"r\"((uint)__cvta_generic_to_shared(to)), \"l\"(from), \"n\"(bytes),\n"
    "                 \"r\"(is_there ? bytes : 0) : \"memory\");\n"
    "#else\n"
    "    for (int i = 0; i < bytes / 4; i++)\n"
    "        to[i] = is_there ? from[i] : 0;\n"
    "#endif\n"
    "}\n"
    "__device__ inline void copies_end()\n"
    "{\n"
    "#if __CUDA_ARCH__ >= 800\n"
    "    asm volatile(\"cp.async.commit_group;\" ::: \"memory\");\n"
    "#endif\n"
    "}\n"
    "template <int pending> __device__ inline void copies_wait()\n"
    "{\n"
    "#if __CUDA_ARCH__ >= 800\n"
    "    asm volatile(\"cp.async.wait_group %0;\" ::\"n\"(pending) : \"memory\");\n"
    "#endif\n"
    "}\n";

static const struct dialect dialects[] = {
    {
        .language = "opencl",
        .prelude = "",
        .vectors = "",
        .axes = "012",
        .words =
            {
                [WORD_KERNEL] = "__kernel void",
                [WORD_ARGUMENT] = "__global",
                [WORD_GLOBAL] = "global",
                [WORD_LOCAL] = "local",
                [WORD_BARRIER] = "barrier(CLK_LOCAL_MEM_FENCE)",
                [WORD_GLOBAL_ID] = "get_global_id(?)",
                [WORD_GLOBAL_SIZE] = "get_global_size(?)",
                [WORD_GROUP_ID] = "get_group_id(?)",
                [WORD_GROUP_COUNT] = "get_num_groups(?)",
                [WORD_LOCAL_ID] = "get_local_id(?)",
                [WORD_LOCAL_SIZE] = "get_local_size(?)",
            },
        .vector =
            {
                .type = "$T$n",
                .make = "($t)($x)",
                .load = "vload$n(0, $p)",
                .store = "vstore$n($v, 0, $p)",
                .load_aligned = "vload$n(0, $p)",
                .store_aligned = "vstore$n($v, 0, $p)",
                .component = "$v.s$h",
                .low = "$v.lo",
                .high = "$v.hi",
                .choice = "$c ? $a : $b",
            },
    },
    {
        .language = "cuda",
        .prelude = cuda_prelude,
        .vectors = cuda_vectors,
        .axes = "xyz",
        .words =
            {
                [WORD_KERNEL] = "extern \"C\" __global__ void",
                [WORD_ARGUMENT] = "",
                [WORD_GLOBAL] = "",
                [WORD_LOCAL] = "__shared__ __align__(16)",
                [WORD_BARRIER] = "__syncthreads()",
                [WORD_GLOBAL_ID] = "(blockIdx.? * blockDim.? + threadIdx.?)",
                [WORD_GLOBAL_SIZE] = "(gridDim.? * blockDim.?)",
                [WORD_GROUP_ID] = "blockIdx.?",
                [WORD_GROUP_COUNT] = "gridDim.?",
                [WORD_LOCAL_ID] = "threadIdx.?",
                [WORD_LOCAL_SIZE] = "blockDim.?",
            },
        .vector =
            {
                .type = "vec<$T, $n>",
                .make = "$t($x)",
                .load = "load<$n>($p)",
                .store = "store($v, $p)",
                .load_aligned = "load_aligned<$n>($p)",
                .store_aligned = "store_aligned($v, $p)",
                .component = "$v.s[$i]",
                .low = "$v.half(0)",
                .high = "$v.half(1)",
                .choice = "choose($c, $a, $b)",
            },
        .is_aligned = true,
        .bounds = "__launch_bounds__",
        .approximate = "--use_fast_math",
        .has_matrix = true,
        .copies = cuda_copies,
        .warp = 32,
        .prefetch = "asm volatile(\"prefetch.global.L2 [%0];\" :: \"l\"($p))",
        .shuffle = "__shfl_xor_sync(~0u, $x, $i)",
    },
};

const struct dialect *dialect_of(const char *language)
{
    for (size_t i = 0; i < sizeof(dialects) / sizeof(dialects[0]); i++)
        if (strcmp(dialects[i].language, language) == 0)
            return &dialects[i];
    return NULL;
}

static const char *const names[WORD_COUNT] = {
    [WORD_KERNEL] = "kernel",           [WORD_ARGUMENT] = "argument",
    [WORD_GLOBAL] = "global",           [WORD_LOCAL] = "local",
    [WORD_BARRIER] = "barrier",         [WORD_GLOBAL_ID] = "global_id",
    [WORD_GLOBAL_SIZE] = "global_size", [WORD_GROUP_ID] = "group_id",
    [WORD_GROUP_COUNT] = "group_count", [WORD_LOCAL_ID] = "local_id",
    [WORD_LOCAL_SIZE] = "local_size",
};

/* The dialect's word for a name; a text is only ever kforge's own, so there is one. */
static const char *find_word(const struct dialect *dialect, const char *name, size_t len)
{
    size_t word = 0;

    while (word + 1 < WORD_COUNT &&
           (strlen(names[word]) != len || memcmp(names[word], name, len) != 0))
        word++;
    return dialect->words[word];
}

void dialect_translate(const struct dialect *dialect, const char *text, struct strbuf *out)
{
    const char *mark;

    while ((mark = strchr(text, '$'))) {
        size_t len = strspn(mark + 1, "abcdefghijklmnopqrstuvwxyz_");
        const char *word = find_word(dialect, mark + 1, len), *end = mark + 1 + len;
        char axis = dialect->axes[isdigit((unsigned char)*end) ? *end++ - '0' : 0];

        strbuf_add(out, text, (size_t)(mark - text));
        for (const char *at = word; *at; at++)
            strbuf_add(out, *at == '?' ? &axis : at, 1);
        text = end + (*word == '\0' && *end == ' ');
    }
    strbuf_adds(out, text);
}
