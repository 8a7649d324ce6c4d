#include "core/judge/device_oracle/oracle_kernel.h"

#include <math.h>

#include "core/judge/oracle/rounding/dependence.h"
#include "core/model/op/op_recurrence.h"

/*
 * Recurrent layers (recurrence.cl). Their variances are increased to the errors of an
 * implementation that rounds each state, as in core/judge/oracle/recurrence.
 */

enum { GROUP = 256, STATES = 2 };

static void define(struct oracle_kernel *k, const struct recurrence *r, bool is_rounded)
{
    static const char *const cells[] = {
        [CELL_TANH] = "tanh", [CELL_RELU] = "relu", [CELL_LSTM] = "lstm", [CELL_GRU] = "gru"};
    const struct oracle_writer *w = k->writer;
    const char *type = dtype_name(k->call.out->dtype), *given = dtype_name(k->call.in[1]->dtype);
    bool spreads = oracle_writer_spreads(w) && !is_rounded, rounds = w->rounds && !w->errs;

    oracle_kernel_add(k,
                      "#define STEPS %lld\n#define BATCH %lld\n#define WIDTH %lld\n"
                      "#define GATES %zu\n#define STATES %zu\n#define REVERSED %d\n"
                      "#define GROUP %d\n#define CELL CELL_%s\n#define SPREADS %d\n",
                      (long long)r->steps, (long long)r->batch, (long long)r->width, r->gates,
                      r->states, r->is_reversed, GROUP, cells[r->cell], spreads);
    if (r->bias)
        oracle_kernel_add(k, "#define BIAS(i) X%zu(i)\n#define BIAS_VARIANCE(i) %s%zu(i)\n",
                          r->bias, spreads ? "V" : "0 * X", r->bias);
    else
        oracle_kernel_add(k, "#define BIAS(i) 0\n#define BIAS_VARIANCE(i) 0\n");
    if (is_rounded)
        oracle_kernel_add(k,
                          "#define ROUND_STATE(x) ROUNDED_%s(x)\n"
                          "#define ROUND_PRODUCT(x) ((double)(float)(x))\n"
                          "#define ROUND_WEIGHT(x) ROUNDED_%s(x)\n",
                          type, given);
    else
        oracle_kernel_add(k, "#define ROUND_STATE(x) (x)\n#define ROUND_PRODUCT(x) (x)\n"
                             "#define ROUND_WEIGHT(x) (x)\n");
    if (spreads && w->places[k->node->in[1]].variances != NO_BUFFER)
        oracle_kernel_add(k, "#define WEIGHT_VARIANCE(w, i) V1(i)\n");
    else if (spreads && !w->errs && rounding_changes_given(w->rounding, k->call.in[1]->dtype))
        oracle_kernel_add(k, "#define WEIGHT_VARIANCE(w, i) GIVEN_%s(w)\n", given);
    else
        oracle_kernel_add(k, "#define WEIGHT_VARIANCE(w, i) 0\n");
    if (w->rounding)
        oracle_kernel_add(k, "#define STATE_STORED(y) STORED_%s(y)\n", type);
    else
        oracle_kernel_add(k, "#define STATE_STORED(y) 0\n");
    oracle_kernel_add(k, "#define STORE_STATE(i) to[i] = %s%s(y);%s\n", rounds ? "ROUNDED_" : "",
                      rounds ? type : "", spreads ? " to_variances[i] = v;" : "");
}

static void undefine(struct oracle_kernel *k)
{
    oracle_kernel_add(k, "#undef STEPS\n#undef BATCH\n#undef WIDTH\n#undef GATES\n"
                         "#undef STATES\n#undef REVERSED\n#undef GROUP\n#undef CELL\n"
                         "#undef SPREADS\n#undef BIAS\n#undef BIAS_VARIANCE\n"
                         "#undef ROUND_STATE\n#undef ROUND_PRODUCT\n#undef ROUND_WEIGHT\n"
                         "#undef WEIGHT_VARIANCE\n#undef STATE_STORED\n#undef STORE_STATE\n");
}

/* Write the kernels of all steps, which leave the result in the node's place. */
static void write_steps(struct oracle_kernel *k, const struct recurrence *r, bool is_rounded)
{
    define(k, r, is_rounded);
    oracle_kernel_begin(k, (int64_t)r->gates * r->width * r->width);
    oracle_kernel_add(k, "    const int row = i %% (GATES * WIDTH), k = i / (GATES * WIDTH);\n"
                         "    state[i] = ROUND_WEIGHT(X1(row * WIDTH + k));\n");
    oracle_kernel_end(k);
    oracle_kernel_begin_groups(k, r->batch, GROUP);
    for (size_t s = 0; s < r->states; s++)
        oracle_kernel_add(k, "    START(%zu, X%zu(group * WIDTH + j), %s%zu(group * WIDTH + j))\n",
                          s, 2 + s, oracle_writer_spreads(k->writer) ? "V" : "0 * X", 2 + s);
    oracle_kernel_add(k, "    ALL_STEPS\n");
    oracle_kernel_end(k);
    undefine(k);
}

/* Increase the variances to the errors of an implementation that rounds. */
static void widen(struct oracle_kernel *k, const struct recurrence *r, int64_t count)
{
    struct oracle_writer *w = k->writer;
    struct oracle_place *out = &w->places[k->node->out], exact = *out;
    struct oracle_place rounded = {.elements = oracle_writer_take(w, count),
                                   .variances = NO_BUFFER};
    size_t fit;

    *out = rounded;
    write_steps(k, r, true);
    *out = exact;
    fit = oracle_write_fit(w, &exact, &rounded, count, (double)INFINITY);
    oracle_writer_begin(w, &(struct oracle_call_of_buffers){
                               (size_t[]){exact.elements, exact.variances, fit}, 3, count});
    oracle_kernel_add(k, "    b1[i] = fitted(b1[i], b2);\n");
    if (w->errs)
        oracle_kernel_add(k, "    b0[i] = ROUNDED_%s(b0[i] + own_error(b0[i], b1[i]));\n",
                          dtype_name(k->call.out->dtype));
    else if (!last_rounding_is(w->graph, k->node->out, w->rounding))
        oracle_kernel_add(k, "    b1[i] += STORED_%s(b0[i]);\n", dtype_name(k->call.out->dtype));
    oracle_kernel_add(k, "}\n");
    oracle_writer_give(w, rounded.elements);
    oracle_writer_give(w, fit);
}

bool oracle_write_recurrence(struct oracle_kernel *kernel)
{
    struct oracle_writer *w = kernel->writer;
    struct oracle_place *out = &w->places[kernel->node->out];
    struct recurrence r = recurrence_of(&kernel->call);
    int64_t weights = (int64_t)r.gates * r.width * r.width, places = r.batch * r.width;
    int64_t count = shape_elements(&kernel->call.out->shape);

    kernel->state = oracle_writer_take(w, weights + (int64_t)4 * STATES * places);
    if (w->errs)
        out->variances = oracle_writer_take(w, count);
    write_steps(kernel, &r, false);
    if (oracle_writer_spreads(w))
        widen(kernel, &r, count);
    if (w->errs) {
        oracle_writer_give(w, out->variances);
        out->variances = NO_BUFFER;
    }
    oracle_writer_give(w, kernel->state);
    return true;
}
