#include "core/codegen/dialect.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "core/codegen/cores/prelude.inc.h"
#include "core/codegen/cuda/additions.cuh.h"
#include "core/codegen/cuda/copies.cuh.h"
#include "core/codegen/cuda/prelude.cuh.h"
#include "core/codegen/cuda/vectors.cuh.h"
#include "core/codegen/hip/prelude.hip.h"
#include "core/codegen/opencl/additions.cl.h"
#include "core/codegen/opencl/order.cl.h"
#include "core/model/language.h"

/* Words that HIP shares with CUDA C++. */
#define CUDA_WORDS                                                                                \
    {                                                                                             \
        [WORD_KERNEL] = "extern \"C\" __global__ void", [WORD_ARGUMENT] = "", [WORD_GLOBAL] = "", \
        [WORD_LOCAL] = "__shared__ __align__(16)", [WORD_BARRIER] = "__syncthreads()",            \
        [WORD_GLOBAL_ID] = "(blockIdx.? * blockDim.? + threadIdx.?)",                             \
        [WORD_GLOBAL_SIZE] = "(gridDim.? * blockDim.?)", [WORD_GROUP_ID] = "blockIdx.?",          \
        [WORD_GROUP_COUNT] = "gridDim.?", [WORD_LOCAL_ID] = "threadIdx.?",                        \
        [WORD_LOCAL_SIZE] = "blockDim.?",                                                         \
    }

#define CUDA_VECTOR                                                                                \
    {                                                                                              \
        .type = "vec<$T, $n>", .make = "$t($x)", .load = "load<$n>($p)", .store = "store($v, $p)", \
        .load_aligned = "load_aligned<$n>($p)", .store_aligned = "store_aligned($v, $p)",          \
        .component = "$v.s[$i]", .low = "$v.half(0)", .high = "$v.half(1)",                        \
        .choice = "choose($c, $a, $b)",                                                            \
    }

static const struct dialect dialects[DIALECT_COUNT] = {
    [DIALECT_OPENCL] =
        {
            .prelude = "",
            .order = order_cl,
            .additions = additions_cl,
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
    [DIALECT_CUDA] =
        {
            .prelude = prelude_cuh,
            .order = "",
            .additions = additions_cuh,
            .vectors = vectors_cuh,
            .axes = "xyz",
            .words = CUDA_WORDS,
            .vector = CUDA_VECTOR,
            .is_aligned = true,
            .has_divisors = true,
            .bounds = "__launch_bounds__",
            .approximate = "--use_fast_math",
            .has_matrix = true,
            .copies = copies_cuh,
            .warp = 32,
            .prefetch = "asm volatile(\"prefetch.global.L2 [%0];\" :: \"l\"($p))",
            .part_barrier = "asm volatile(\"bar.sync 1, $i;\" ::: \"memory\")",
            .shuffle = "__shfl_xor_sync(~0u, $x, $i)",
        },
    /* The shuffle reaches 32 work-items on every GPU, although AMD's warps may have 64. */
    [DIALECT_HIP] =
        {
            .prelude = prelude_hip,
            .order = "",
            .additions = additions_cuh,
            .vectors = vectors_cuh,
            .axes = "xyz",
            .words = CUDA_WORDS,
            .vector = CUDA_VECTOR,
            .is_aligned = true,
            .has_divisors = true,
            .bounds = "__launch_bounds__",
            .approximate = "-ffast-math",
            .warp = 32,
            .shuffle = "__shfl_xor($x, $i)",
        },
    [DIALECT_C] =
        {
            .prelude = prelude_inc,
            .order = "",
            .vectors = "",
            .axes = "012",
            .words =
                {
                    [WORD_KERNEL] = "INLINE void",
                    [WORD_ARGUMENT] = "",
                    [WORD_GLOBAL] = "",
                    [WORD_LOCAL] = "",
                    [WORD_BARRIER] =
                        "_Static_assert(0, \"C has no work-groups: lanes 1, local 0\")",
                    [WORD_GLOBAL_ID] = "item_at.global?",
                    [WORD_GLOBAL_SIZE] = "item_at.size?",
                    [WORD_GROUP_ID] = "item_at.group?",
                    [WORD_GROUP_COUNT] = "item_at.groups?",
                    [WORD_LOCAL_ID] = "item_at.local?",
                    [WORD_LOCAL_SIZE] = "item_at.locals?",
                },
            .vector =
                {
                    .type = "$T$n",
                    .make = "VECTOR($t, $x)",
                    .load = "load_$n($p)",
                    .store = "store_$n($v, $p)",
                    .load_aligned = "load_$n($p)",
                    .store_aligned = "store_$n($v, $p)",
                    .component = "($v)[$i]",
                    .low = "low_of($v)",
                    .high = "high_of($v)",
                    .choice = "choose($c, $a, $b)",
                },
            .has_calls = true,
        },
};

const struct dialect *dialect_of(const char *language)
{
    enum dialect_kind kind = language_of(language)->dialect;

    return kind ? &dialects[kind] : NULL;
}

static const char *const names[WORD_COUNT] = {
    [WORD_KERNEL] = "kernel",           [WORD_ARGUMENT] = "argument",
    [WORD_GLOBAL] = "global",           [WORD_LOCAL] = "local",
    [WORD_BARRIER] = "barrier",         [WORD_GLOBAL_ID] = "global_id",
    [WORD_GLOBAL_SIZE] = "global_size", [WORD_GROUP_ID] = "group_id",
    [WORD_GROUP_COUNT] = "group_count", [WORD_LOCAL_ID] = "local_id",
    [WORD_LOCAL_SIZE] = "local_size",
};

/* Only kforge's own texts are translated, so the word exists. */
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
