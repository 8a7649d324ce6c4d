#include "core/codegen/matrix.h"

#include <stdio.h>
#include <string.h>

#include "core/base/array.h"
#include "core/codegen/cuda/background.cuh.h"
#include "core/codegen/cuda/clusters.cuh.h"
#include "core/codegen/cuda/columns.cuh.h"
#include "core/codegen/cuda/matrix_registers.cuh.h"
#include "core/codegen/cuda/mma.cuh.h"
#include "core/codegen/cuda/rounded.cuh.h"
#include "core/codegen/cuda/wgmma.cuh.h"
#include "core/codegen/formula.h"

/* The places where the operands of a product begin, in units of descriptors. */
struct product {
    int line, column;
};

enum { MOST_PRODUCTS = 12 };

/* A function that kernels call for some products at once. */
struct multiplication {
    const char *name; /* what follows "multiply_<columns>" */
    struct product products[MOST_PRODUCTS];
    size_t count;
};

/* A product over 16 elements, and those of all 64 elements of a line. */
static const struct multiplication single = {"", {{0, 0}}, 1};
static const struct multiplication line = {"_line", {{0, 0}, {2, 2}, {4, 4}, {6, 6}}, 4};

/*
 * The products of parts, in which both operands have three parts of 64 bytes a line, one after
 * another, the operand of lines 128 lines; the smallest products come first.
 */
static struct multiplication products_of_parts(int columns)
{
    static const struct product parts[] = {{2, 0}, {1, 1}, {0, 2}, {1, 0}, {0, 1}, {0, 0}};
    enum { LINES = 128, UNITS_OF_LINE = 4, STEPS = 2, UNITS_OF_STEP = 2 };
    struct multiplication made = {.name = "_parts"};

    for (size_t i = 0; i < COUNT(parts); i++)
        for (int step = 0; step < STEPS; step++)
            made.products[made.count++] =
                (struct product){parts[i].line * LINES * UNITS_OF_LINE + step * UNITS_OF_STEP,
                                 parts[i].column * columns * UNITS_OF_LINE + step * UNITS_OF_STEP};
    return made;
}

/* Write the instruction that adds a product to the sums, or replaces them if `adds` is false. */
static void write_product(int columns, const char *type, const struct product *product,
                          struct strbuf *out)
{
    int count = columns / 2;

    strbuf_addf(out,
                "                 \"add.s64 line, %%%d, %d;\\nadd.s64 column, %%%d, %d;\\n\"\n"
                "                 \"wgmma.mma_async.sync.aligned.m64n%dk16.f32.%s.%s {\"\n",
                count, product->line, count + 1, product->column, columns, type, type);
    for (int i = 0; i < count; i++)
        strbuf_addf(out, "%s%%%d%s", i % 16 == 0 ? "                 \"" : "", i,
                    i + 1 == count ? "\"\n"
                    : i % 16 == 15 ? ", \"\n"
                                   : ", ");
    strbuf_adds(
        out,
        "                 \"}, line, column, adds, 1, 1, 0, 0;\\nsetp.eq.u32 adds, 0, 0;\\n\"\n");
}

/*
 * Write a function that adds products of 64 lines and `columns` lines to sums in registers. All are
 * one piece of assembly, because compilers take long for pieces with so many operands.
 */
static void write_multiply(int columns, const char *type, const struct multiplication *made,
                           struct strbuf *out)
{
    int count = columns / 2;

    strbuf_addf(out,
                "__device__ inline void multiply_%d%s(float (&d)[%d], ulong a, ulong b, bool adds"
                " = true)\n{\n"
                "    asm volatile(\"{\\n.reg .pred adds;\\n.reg .b64 line, column;\\n\"\n"
                "                 \"setp.ne.s32 adds, %%%d, 0;\\n\"\n",
                columns, made->name, count, count + 2);
    for (size_t i = 0; i < made->count; i++)
        write_product(columns, type, &made->products[i], out);
    strbuf_adds(out, "                 \"}\"\n");
    for (int i = 0; i < count; i++)
        strbuf_addf(out, "%s\"+f\"(d[%d])%s",
                    i == 0       ? "                 : "
                    : i % 8 == 0 ? "                   "
                                 : "",
                    i,
                    i + 1 == count ? "\n"
                    : i % 8 == 7   ? ",\n"
                                   : ", ");
    strbuf_adds(out, "                 : \"l\"(a), \"l\"(b), \"r\"((int)adds));\n}\n");
}

/* Write the function if the kernels call it. */
static void write_called(const char *kernels, int columns, const char *type,
                         const struct multiplication *made, struct strbuf *out)
{
    char name[32];

    snprintf(name, sizeof(name), "multiply_%d%s(", columns, made->name);
    if (strstr(kernels, name))
        write_multiply(columns, type, made, out);
}

/* Write the functions for products with `columns` columns. */
static void write_products(const char *kernels, int columns, const char *type, struct strbuf *out)
{
    const struct multiplication parts = products_of_parts(columns);

    write_called(kernels, columns, type, &single, out);
    write_called(kernels, columns, type, &line, out);
    write_called(kernels, columns, type, &parts, out);
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
        write_products(kernels, columns, type, out);
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
