#include <string.h>

#include "core/judge/device_oracle/oracle_kernel.h"
#include "core/model/op/op_lookup.h"

/* Comparisons of all elements with all indices beyond which the CPU is faster. */
static const double most_compared = 1e11;

/* True if the index has the axes of x but for the one that it is about. */
static bool is_whole(const struct op_call *call, const struct lookup *lookup)
{
    for (size_t i = 0; i < lookup->places.rank; i++)
        if (lookup->table_strides[i] != 0 && lookup->places.dims[i] != call->in[0]->shape.dims[i])
            return false;
    return true;
}

static const char sum[] =
    "    double variances = V0(i), deviations = sqrt(V0(i));\n    struct sum s;\n"
    "    float turned = 0;\n    sum_start(&s);\n    sum_add(&s, X0(i));\n"
    "    EACH(sum_add(&s, X2(at)); variances += V2(at); deviations += sqrt(V2(at));)\n"
    "    EACH_BACKWARD(turned = add_single(turned, X2(at));)\n"
    "    sum_turn(&s, add_single(turned, X0(i)));\n    const double y = s.total;\n"
    "    const double v = is_finite(y) ? %s + %s : 0;\n    ";

/* Any element that reaches what the largest one surely is may be the largest. */
static const char largest[] =
    "    double y = X0(i), v = 0, sure = X0(i) - DEVIATIONS * sqrt(V0(i));\n"
    "    EACH(const double x = X2(at); y = MORE(y, x);\n"
    "         sure = fmax(sure, x - DEVIATIONS * sqrt(V2(at)));)\n"
    "    if (X0(i) + DEVIATIONS * sqrt(V0(i)) >= sure)\n        v = V0(i);\n"
    "    EACH(if (X2(at) + DEVIATIONS * sqrt(V2(at)) >= sure) v = fmax(v, V2(at));)\n    ";

/*
 * Write a kernel in which each element looks for what is added to it (oracle_scatter.c). `step`
 * elements follow each other in a row; ELEMENT(j) is the place of source j, INDEX_AT(j) of its
 * index.
 */
bool oracle_write_scatter(struct oracle_kernel *k)
{
    struct lookup lookup = lookup_of(&k->call);
    const struct shape *index = &k->call.in[lookup.index]->shape;
    long long step = lookup.row_stride, rows = lookup.rows, count = 1;
    bool is_each = strcmp(k->call.op->name, "scatter_reduce") == 0;
    bool is_mixed = k->writer->rounding && k->writer->rounding->is_mixed;

    for (size_t i = 0; i < index->rank; i++)
        if (lookup.table_strides[i] == 0 || !is_each)
            count *= index->dims[is_each ? i : 0];
    if (!is_whole(&k->call, &lookup) ||
        (double)shape_elements(&k->call.out->shape) * (double)count > most_compared)
        return false;
    oracle_kernel_begin(k, shape_elements(&k->call.out->shape));
    oracle_kernel_add(
        k,
        "    const INDEX row = i / %lld %% %lld, first = i / %lld * %lld + i %% %lld;\n"
        "#define EACH(body) for (INDEX j = 0; j < %lld; j++) \\\n"
        "    { const INDEX at = first + j * %lld; if (X1(%s) == row) { body } }\n"
        "#define EACH_BACKWARD(body) for (INDEX j = %lld; j-- > 0;) \\\n"
        "    { const INDEX at = first + j * %lld; if (X1(%s) == row) { body } }\n",
        step, rows, step * rows, step * count, step, count, step, is_each ? "at" : "j", count, step,
        is_each ? "at" : "j");
    if (op_attribute(&k->call, "reduce")->integers[0] != 0)
        oracle_kernel_add(k, "%s", largest);
    else
        oracle_kernel_add(k, sum, is_mixed ? "variances" : "deviations * deviations",
                          dtype_is_float(k->call.out->dtype) ? "sum_variance(&s)" : "0");
    oracle_kernel_store(k, "i", "y", "v");
    oracle_kernel_add(k, "\n");
    oracle_kernel_end(k);
    oracle_kernel_add(k, "#undef EACH\n#undef EACH_BACKWARD\n");
    return true;
}
