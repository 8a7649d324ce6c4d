#include <cblas.h>

#include "core/judge/oracle/oracle_family.h"
#include "core/judge/oracle/oracle_gemm.h"
#include "core/judge/oracle/products/spread_alike.h"
#include "core/judge/oracle/products/spread_vector.h"
#include "core/judge/oracle/walk.h"
#include "core/model/op/op_product.h"

static void add_bias_rows(const struct product *product, const double *bias, double *out)
{
    for (int64_t row = 0; row < product->m; row++)
        cblas_daxpy((blasint)product->n, 1, bias, 1, out + row * product->n, 1);
}

static void multiply(const struct product *product, const double *a, const double *b, double *out)
{
    size_t m = (size_t)product->m, n = (size_t)product->n, k = (size_t)product->k;

    oracle_gemm(&(struct oracle_gemm){.m = m,
                                      .n = n,
                                      .k = k,
                                      .scale = 1,
                                      .a = a,
                                      .b = b,
                                      .c = out,
                                      .a_row = product->a_transposed ? m : k,
                                      .b_row = product->b_transposed ? k : n,
                                      .c_row = n,
                                      .a_transposed = product->a_transposed,
                                      .b_transposed = product->b_transposed});
}

static void evaluate(const struct oracle_call *call, const struct oracle_rule *rule)
{
    struct product product = product_of(call->op);
    struct walk batch = walk_matrices(call->op);
    int64_t matrices = shape_elements(&product.batch);

    (void)rule;
    for (int64_t i = 0; i < matrices; i++, walk_step(&batch))
        multiply(&product, call->in[0] + batch.offsets[0] * product.m * product.k,
                 call->in[1] + batch.offsets[1] * product.k * product.n,
                 call->out + i * product.m * product.n);
    if (product.bias)
        add_bias_rows(&product, call->in[2], call->out);
}

double oracle_product_growth(int64_t m, int64_t n, int64_t k)
{
    return m > 1 && n > 1 && k > 1 ? 8 : 1;
}

static void spread(const struct oracle_spread *spread, const struct oracle_rule *rule)
{
    struct product product = product_of(spread->call.op);
    size_t last = spread->call.op->out->shape.rank;

    oracle_spread_bilinear(
        spread, rule,
        (struct bilinear){(double)product.k, last > 0 ? last - 1 : 0,
                          oracle_product_growth(product.m, product.n, product.k)});
    if (spread_vector_is(spread->call.op))
        spread_vector_add(spread);
    spread_alike_product(spread);
}

const struct oracle_rule oracle_product[] = {
    {"matmul", .evaluate = evaluate, .spread = spread},
    {"linear", .evaluate = evaluate, .spread = spread},
    {0},
};
