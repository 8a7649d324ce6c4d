#include "core/codegen/matrix.h"

#include <stdio.h>
#include <string.h>

#include "core/codegen/cuda/background.cuh.h"
#include "core/codegen/cuda/clusters.cuh.h"
#include "core/codegen/cuda/columns.cuh.h"
#include "core/codegen/cuda/matrix_registers.cuh.h"
#include "core/codegen/cuda/mma.cuh.h"
#include "core/codegen/cuda/rounded.cuh.h"
#include "core/codegen/cuda/wgmma.cuh.h"
#include "core/codegen/formula.h"

/*
 * Write the function that adds the product of 64 lines and `columns` lines, over 16 steps of the
 * sum, to sums in registers.
 */
static void write_multiply(int columns, const char *type, struct strbuf *out)
{
    int count = columns / 2;

    strbuf_addf(out,
                "__device__ inline void multiply_%d(float (&d)[%d], ulong a, ulong b)\n{\n"
                "    asm volatile(\"{\\n.reg .pred adds;\\nsetp.eq.u32 adds, 0, 0;\\n\"\n"
                "                 \"wgmma.mma_async.sync.aligned.m64n%dk16.f32.%s.%s {\"\n",
                columns, count, columns, type, type);
    for (int i = 0; i < count; i++)
        strbuf_addf(out, "%s%%%d%s", i % 16 == 0 ? "                 \"" : "", i,
                    i + 1 == count ? "\"\n"
                    : i % 16 == 15 ? ", \"\n"
                                   : ", ");
    strbuf_addf(out, "                 \"}, %%%d, %%%d, adds, 1, 1, 0, 0;\\n}\"\n", count,
                count + 1);
    for (int i = 0; i < count; i++)
        strbuf_addf(out, "%s\"+f\"(d[%d])%s",
                    i == 0       ? "                 : "
                    : i % 8 == 0 ? "                   "
                                 : "",
                    i,
                    i + 1 == count ? "\n"
                    : i % 8 == 7   ? ",\n"
                                   : ", ");
    strbuf_adds(out, "                 : \"l\"(a), \"l\"(b));\n}\n");
}

/* True if the kernels call multiply_<columns>(). */
static bool has_call(const char *kernels, int columns)
{
    char name[32];

    snprintf(name, sizeof(name), "multiply_%d(", columns);
    return strstr(kernels, name);
}

void matrix_functions(const char *kernels, const char *type, struct strbuf *out)
{
    enum { COLUMN_STEP = 16, MOST_COLUMNS = 256 };
    struct formula_words words = {.of = {['T'] = type}};

    strbuf_adds(out, "#ifdef __CUDA_ARCH_FEAT_SM90_ALL\n");
    strbuf_adds(out, wgmma_cuh);
    formula_expand(matrix_registers_cuh, &words, out);
    if (strstr(kernels, "load_rounded") || strstr(kernels, "unpack(") ||
        strstr(kernels, "store_runs("))
        formula_expand(rounded_cuh, &words, out);
    if (strstr(kernels, "round_lines<"))
        strbuf_adds(out, background_cuh);
    if (strstr(kernels, "group_barrier("))
        strbuf_adds(out, columns_cuh);
    for (int columns = COLUMN_STEP; columns <= MOST_COLUMNS; columns += COLUMN_STEP)
        if (has_call(kernels, columns))
            write_multiply(columns, type, out);
    strbuf_adds(out, "#endif\n");
}

void matrix_warp_functions(const char *type, struct strbuf *out)
{
    struct formula_words words = {.of = {['T'] = type}};

    formula_expand(matrix_registers_cuh, &words, out);
    formula_expand(mma_cuh, &words, out);
}

void matrix_cluster_functions(struct strbuf *out)
{
    strbuf_adds(out, clusters_cuh);
}
