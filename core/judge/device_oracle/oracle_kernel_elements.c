#include "core/judge/device_oracle/oracle_kernel.h"

#include <string.h>

#include "core/judge/oracle/rounding/dependence.h"

/* Attribute `index` as a number; 0 if the operation has fewer. */
static double number_of(const struct op_call *call, size_t index)
{
    for (size_t i = 0; i <= index; i++)
        if (!call->op->attributes[i].name)
            return 0;
    return call->op->attributes[index].kind == ATTRIBUTE_NUMBER
               ? call->attributes[index].number
               : (double)call->attributes[index].integers[0];
}

/* Append the name of the function that computes an element; casts have one for each type. */
static void add_name(const struct oracle_kernel *k, struct strbuf *name)
{
    strbuf_adds(name, k->call.op->name);
    if (strcmp(k->call.op->name, "cast") == 0)
        strbuf_addf(name, "_%s", dtype_name(k->call.out->dtype));
}

/* True for the repeated operand of "or" and "and" (settle_repeated() of spread_elementwise.c). */
static bool is_repeated(const struct oracle_kernel *k, size_t operand)
{
    bool selects_truth = k->call.in_count == 3 && k->call.out->dtype == DTYPE_BOOL;

    return selects_truth && (operand == 1 || operand == 2) &&
           k->node->in[operand] == k->node->in[0];
}

static void add_operands(struct oracle_kernel *k)
{
    ptrdiff_t dense[SHAPE_MAX_RANK], strides[SHAPE_MAX_RANK];

    oracle_kernel_add(k, "    double x[3] = {0, 0, 0}, v[3] = {0, 0, 0};\n");
    for (size_t operand = 0; operand < k->call.in_count; operand++) {
        const struct shape *shape = &k->call.in[operand]->shape, *out = &k->call.out->shape;
        size_t lead = out->rank - shape->rank;
        struct strbuf at = {0};

        if (is_repeated(k, operand)) {
            oracle_kernel_add(k, "    x[%zu] = %d;\n", operand, operand == 1);
            continue;
        }
        shape_strides(shape, dense);
        for (size_t i = 0; i < out->rank; i++)
            strides[i] = i < lead || shape->dims[i - lead] == 1 ? 0 : dense[i - lead];
        if (shape_elements(shape) == shape_elements(out))
            strbuf_adds(&at, "i");
        else
            oracle_strided(&at, "i", out, strides);
        oracle_kernel_add(k, "    x[%zu] = X%zu(%s);\n    v[%zu] = V%zu(%s);\n", operand, operand,
                          strbuf_cstr(&at), operand, operand, strbuf_cstr(&at));
        strbuf_release(&at);
    }
}

/* Append the literal of a number, which may be infinite. */
static void add_number(struct strbuf *out, double number)
{
    if (number > 1.79769e308 || number < -1.79769e308)
        strbuf_addf(out, "%s(double)INFINITY", number < 0 ? "-" : "");
    else
        strbuf_addf(out, "%.17g", number);
}

static size_t node_of(const struct oracle_kernel *k)
{
    return (size_t)(k->node - k->writer->graph->nodes.items);
}

/* True if operands share an error, so that the simple formula for variances does not hold. */
static bool is_dependent(const struct oracle_kernel *k)
{
    return k->writer->rounding && dependence_in(k->writer->graph, node_of(k), k->writer->rounding);
}

/*
 * Compute y where elements may be at the edge of the function's domain: there it is the value at
 * the edge, or NaN in the evaluation that strays. The first evaluation finds these elements.
 */
static void add_edge(struct oracle_kernel *k, const char *name)
{
    bool is_first = oracle_writer_keeps_variances(k->writer);

    oracle_kernel_add(k, "double y = f_%s(x[0], x[1], x[2], p, q);\n", name);
    if (is_first)
        oracle_kernel_add(
            k,
            "    const double reach = edge_reach(v[0], STORED_%s(x[0]));\n"
            "    state[i] = reach > 0 && is_nan(f_%s(x[0] - reach, x[1], x[2], p, q)) "
            "&& !is_nan(f_%s(x[0] + reach, x[1], x[2], p, q));\n",
            dtype_name(k->call.in[0]->dtype), name, name);
    if (k->writer->strays)
        oracle_kernel_add(k, "    y = state[i] != 0 ? NOT_A_NUMBER : y;\n    ");
    else
        oracle_kernel_add(k,
                          "    if (state[i] != 0 && !is_finite(y))\n"
                          "        y = f_%s(EDGE_ARGUMENT, x[1], x[2], p, q);\n    ",
                          name);
}

/* Append the variance of a result by finite differences, or that of a comparison. */
static void add_spread(const struct oracle_kernel *k, const char *name, int is_function,
                       struct strbuf *variance)
{
    const struct oracle_error *e = &k->rule->error;
    double margin = oracle_step_margin(&k->call);
    unsigned truths = 0;

    for (size_t i = 0; i < k->call.in_count; i++)
        truths |= (unsigned)(k->call.in[i]->dtype == DTYPE_BOOL) << i;
    if (k->rule->compares) {
        enum equality equality = dependence_equality(k->writer->graph, node_of(k));

        strbuf_addf(variance, "comparison_variance(x, v, %d, %d)",
                    equality == EQUAL_MOVED || equality == EQUAL_BUT_ZEROS,
                    equality == EQUAL_BUT_ZEROS);
        return;
    }
    if (margin != 1)
        strbuf_addf(variance, "%.17g * ", margin);
    strbuf_addf(variance,
                "spread_f_%s(x, v, y, p, q, UNIT * (%g * fabs(y) + %g + %g * fabs(x[0])), %d, "
                "%zu, %d, %d, %u, %.17g)",
                name, e->relative, e->absolute, e->by_operand, is_function, k->call.in_count,
                k->rule->has_joint_change, is_dependent(k), truths, oracle_flip(&k->call));
}

static double pairs_of(const struct oracle_kernel *k)
{
    return dependence_pairs(k->writer->graph, node_of(k), k->writer->rounding);
}

bool oracle_write_elements(struct oracle_kernel *kernel)
{
    const struct oracle_error *e = &kernel->rule->error;
    bool is_function = e->relative + e->absolute + e->by_operand > 0;
    bool depends = is_dependent(kernel), is_formula = kernel->rule->strip_variance && !depends;
    struct strbuf name = {0}, p = {0}, q = {0}, variance = {0};
    const size_t *edges = kernel->writer->edges;
    bool has_edge = edges && edges[node_of(kernel)] != NO_BUFFER;
    double limit =
        strcmp(kernel->call.op->name, "cast") == 0 && dtype_is_float(kernel->call.in[0]->dtype)
            ? rounding_integer_limit(kernel->call.out->dtype)
            : 0;

    add_name(kernel, &name);
    add_number(&p, number_of(&kernel->call, 0));
    add_number(&q, number_of(&kernel->call, 1));
    if (!is_formula)
        oracle_kernel_add(kernel, "#ifndef HAS_%s\n#define HAS_%s\nSPREAD(f_%s);\n#endif\n",
                          strbuf_cstr(&name), strbuf_cstr(&name), strbuf_cstr(&name));
    if (has_edge)
        kernel->state = edges[node_of(kernel)];
    oracle_kernel_begin(kernel, shape_elements(&kernel->call.out->shape));
    add_operands(kernel);
    oracle_kernel_add(kernel, "    const double p = %s, q = %s;\n    ", strbuf_cstr(&p),
                      strbuf_cstr(&q));
    if (has_edge)
        add_edge(kernel, strbuf_cstr(&name));
    else
        oracle_kernel_add(kernel, "const double y = f_%s(x[0], x[1], x[2], p, q);\n    ",
                          strbuf_cstr(&name));
    if (limit > 0)
        strbuf_addf(&variance, "cast_variance(x[0], v[0], %.17g, ", limit);
    if (is_formula)
        strbuf_addf(&variance, "(is_finite(y) ? variance_%s(x, v, p) : 0)", strbuf_cstr(&name));
    else
        add_spread(kernel, strbuf_cstr(&name), is_function + (e->has_pole || has_edge), &variance);
    if (limit > 0)
        strbuf_adds(&variance, ")");
    if (dependence_may_distribute(kernel->writer->graph, node_of(kernel)) &&
        kernel->writer->whole[kernel->node->out] == WHOLE_NOT)
        strbuf_adds(&variance, " + variance_of_terms(x[0], y)");
    if (kernel->writer->rounding && pairs_of(kernel) > 0)
        strbuf_addf(&variance, " + %.17g * square(v[0]) / UNIT_VARIANCE", pairs_of(kernel));
    oracle_kernel_store(kernel, "i", "y", strbuf_cstr(&variance));
    oracle_kernel_add(kernel, "\n");
    oracle_kernel_end(kernel);
    strbuf_release(&name);
    strbuf_release(&p);
    strbuf_release(&q);
    strbuf_release(&variance);
    return true;
}
