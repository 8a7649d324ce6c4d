#include "core/judge/device_oracle/oracle_kernel_sums.h"

#include "core/judge/device_oracle/oracle_kernel_alike.h"

enum { PARTS = 4096 }; /* as in products.cl */

bool oracle_sums_have_ratio(const struct oracle_kernel *kernel)
{
    const struct oracle_writer *w = kernel->writer;

    return oracle_writer_keeps_variances(w) &&
           (w->places[kernel->node->in[1]].variances != NO_BUFFER ||
            (tensor_is_given(kernel->call.in[1]->role) &&
             rounding_changes_given(w->rounding, kernel->call.in[1]->dtype)));
}

static void write_step(struct oracle_kernel *kernel, int64_t work_items, const char *step)
{
    oracle_kernel_begin(kernel, work_items);
    oracle_kernel_add(kernel, "    %s\n", step);
    oracle_kernel_end(kernel);
}

_Static_assert(ORACLE_RATIO_STATE == 2 * PARTS + 2, "the place of the ratio");

static void write_ratio(struct oracle_kernel *kernel)
{
    oracle_kernel_add(kernel, "#define COUNT %lld\n",
                      (long long)shape_elements(&kernel->call.in[1]->shape));
    write_step(kernel, PARTS, "RATIO_SUMS");
    write_step(kernel, 1, "RATIO_TOTALS");
    write_step(kernel, PARTS, "RATIO_CHECKS");
    write_step(kernel, 1, "RATIO_RESULT");
    oracle_kernel_add(kernel, "#undef COUNT\n");
}

void oracle_sums_begin(struct oracle_kernel *kernel, const struct oracle_sums *sums)
{
    bool has_ratio = oracle_sums_have_ratio(kernel);
    int64_t place = (has_ratio ? ORACLE_RATIO_STATE : 0) + sums->room;
    int64_t alike = oracle_alike_room(kernel, sums->alike, sums->terms);

    if (place + alike)
        kernel->state = oracle_writer_take(kernel->writer, place + alike);
    if (has_ratio)
        write_ratio(kernel);
    oracle_kernel_add(kernel, "#define TERMS %.17g\n#define GROWTH %.17g\n", sums->terms,
                      sums->growth);
    oracle_alike_write(kernel, sums->alike, sums->terms, place);
}

void oracle_sums_undefine(struct oracle_kernel *kernel)
{
    oracle_alike_undefine(kernel);
    oracle_kernel_add(kernel, "#undef TERMS\n#undef GROWTH\n");
    oracle_writer_give(kernel->writer, kernel->state);
}

void oracle_sums_declare_ratio(struct strbuf *out, bool has_one)
{
    if (has_one)
        strbuf_addf(out, "const double ratio = state[%d]; ", 2 * PARTS);
    else
        strbuf_adds(out, "const double ratio = 0; ");
}

void oracle_sums_store(struct oracle_kernel *kernel, bool has_bias, const char *at)
{
    if (has_bias)
        oracle_kernel_add(kernel, "    PRODUCT_END(X2(%s), V2(%s))\n    ", at, at);
    else
        oracle_kernel_add(kernel, "    PRODUCT_END(0, 0)\n    ");
    oracle_kernel_store(kernel, "i", "y", "v");
    oracle_kernel_add(kernel, "\n");
}

void oracle_sums_add_terms(struct strbuf *out, size_t operand, const char *at, int terms)
{
    strbuf_addf(out, "const INDEX at = from%zu + %s; const double e = X%zu(at); x[0] = e;", operand,
                at, operand);
    if (terms > 1)
        strbuf_adds(out, operand == 0 ? " const double v = V0(at); x[1] = OWN * e * e + v;"
                                      : " x[1] = e * e;");
    if (terms > 2)
        strbuf_adds(out, operand == 0 ? " x[2] = e * e + v;" : " x[2] = V1(at);");
}

void oracle_sums_store_tiles(struct oracle_kernel *kernel, bool has_bias, const char *at,
                             const char *excess)
{
    oracle_kernel_add(kernel,
                      "    const double total = sum_0, squares = sum_1;\n"
                      "    const double more = (ratio != 0 ? 0 : sum_2) + %s;\n",
                      excess);
    oracle_sums_store(kernel, has_bias, at);
}
