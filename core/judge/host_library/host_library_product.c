#include <cblas.h>
#include <string.h>

#include "core/judge/host_library/host_library_family.h"
#include "core/model/op/op_product.h"
#include "core/system/parallel.h"

/* Add the product of a and b to `out`, or store it there. */
static void multiply(const struct product *product, const float *a, const float *b, bool adds,
                     float *out)
{
    cblas_sgemm(CblasRowMajor, product->a_transposed ? CblasTrans : CblasNoTrans,
                product->b_transposed ? CblasTrans : CblasNoTrans, (blasint)product->m,
                (blasint)product->n, (blasint)product->k, 1, a,
                (blasint)(product->a_transposed ? product->m : product->k), b,
                (blasint)(product->b_transposed ? product->k : product->n), adds ? 1 : 0, out,
                (blasint)product->n);
}

static void run_matrices(void *data, size_t first, size_t last)
{
    const struct host_library_step *step = data;
    struct product product = product_of(&step->op);
    struct walk batch = walk_matrices(&step->op);

    walk_seek(&batch, first);
    for (size_t i = first; i < last; i++, walk_step(&batch))
        multiply(&product, step->in[0] + batch.offsets[0] * product.m * product.k,
                 step->in[1] + batch.offsets[1] * product.k * product.n, product.bias,
                 step->out + (ptrdiff_t)i * product.m * product.n);
}

static void set_rows(void *data, size_t first, size_t last)
{
    const struct host_library_step *step = data;
    size_t n = (size_t)step->op.in[2]->shape.dims[0];

    for (size_t i = first; i < last; i++)
        memcpy(step->out + i * n, step->in[2], n * sizeof(*step->out));
}

/* OpenBLAS computes a large matrix on all cores, and small ones each on the calling core. */
static void run(struct host_library_step *step)
{
    struct product product = product_of(&step->op);
    size_t work = (size_t)(product.m * product.n * product.k);

    if (product.bias)
        parallel_for((size_t)product.m, 1 + (1 << 15) / (size_t)product.n, set_rows, step);
    parallel_for((size_t)shape_elements(&product.batch), 1 + (1 << 18) / work, run_matrices, step);
}

const struct host_library_rule host_library_product[] = {
    {"matmul", .run = run},
    {"linear", .run = run},
    {0},
};
