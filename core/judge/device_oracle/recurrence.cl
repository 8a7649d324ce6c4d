/*
 * Recurrent layers and the variances of their rounding errors, as core/judge/oracle/recurrence
 * computes them. A work-group of GROUP work-items computes all steps of one sample. `state` has the
 * weight with neighbouring elements of the state side by side, then the states before and after a
 * step and their variances.
 */
#ifdef __OPENCL_VERSION__
#define GLOBAL_BARRIER barrier(CLK_GLOBAL_MEM_FENCE)
#else
#define GLOBAL_BARRIER __syncthreads()
#endif

struct inexact {
    double value, variance;
};
FN double f_logistic(double x) { return 1 / (1 + exp(-x)); }
FN struct inexact inexact_of(double value, double variance)
{
    struct inexact x;

    x.value = value;
    x.variance = variance;
    return x;
}
FN struct inexact inexact_add(struct inexact a, struct inexact b)
{
    const double sum = a.value + b.value;

    return inexact_of(sum, a.variance + b.variance + UNIT_VARIANCE * sum * sum);
}
FN struct inexact inexact_multiply(struct inexact a, struct inexact b)
{
    const double product = a.value * b.value;

    return inexact_of(product, square(a.value) * b.variance + square(b.value) * a.variance +
                                   UNIT_VARIANCE * product * product);
}
FN struct inexact inexact_logistic(struct inexact x)
{
    const double y = f_logistic(x.value), slope = y * (1 - y);

    return inexact_of(y, slope * slope * x.variance + 100 * UNIT_VARIANCE * (y * y + 0.1));
}
FN struct inexact inexact_tanh(struct inexact x)
{
    const double y = tanh(x.value), slope = 1 - y * y;

    return inexact_of(y, slope * slope * x.variance + 100 * UNIT_VARIANCE * (y * y + 0.1));
}

/* The states after a step from those before it, `hidden` and `cell`. */
#define CELL_tanh hidden = inexact_tanh(inexact_add(x[0], z[0]));
#define CELL_relu                                                                  \
    hidden = inexact_add(x[0], z[0]);                                              \
    hidden.value = hidden.value > 0 ? hidden.value : 0;
#define CELL_lstm                                                                  \
    cell = inexact_multiply(inexact_logistic(inexact_add(x[1], z[1])), cell);      \
    cell = inexact_add(cell,                                                       \
                       inexact_multiply(inexact_logistic(inexact_add(x[0], z[0])), \
                                        inexact_tanh(inexact_add(x[2], z[2]))));   \
    hidden = inexact_multiply(inexact_logistic(inexact_add(x[3], z[3])), inexact_tanh(cell));
#define CELL_gru                                                                   \
    const struct inexact update = inexact_logistic(inexact_add(x[1], z[1]));       \
    const struct inexact change = inexact_tanh(                                    \
        inexact_add(x[2], inexact_multiply(inexact_logistic(inexact_add(x[0], z[0])), z[2]))); \
    hidden = inexact_add(inexact_multiply(inexact_of(1 - update.value, update.variance), change), \
                         inexact_multiply(update, hidden));

#define PLACES (BATCH * WIDTH)
#define STATE(s, half) (state + GATES * WIDTH * WIDTH + (2 * (s) + (half)) * PLACES)
#define VARIANCE(s, half) STATE(2 + (s), half)
#define START(s, x, v)                                                             \
    for (int j = lane; j < WIDTH; j += GROUP) {                                    \
        STATE(s, 0)[group * WIDTH + j] = x;                                        \
        VARIANCE(s, 0)[group * WIDTH + j] = v;                                     \
    }
#define LEAVE(s, x)                                                                \
    {                                                                              \
        const int to_place = (((s) * STEPS + t) * BATCH + group) * WIDTH + j;      \
        const double y = ROUND_STATE((x).value);                                   \
        const double v = SPREADS ? (x).variance + STATE_STORED(y) : 0;             \
        STATE(s, (step + 1) % 2)[at] = y;                                          \
        VARIANCE(s, (step + 1) % 2)[at] = v;                                       \
        STORE_STATE(to_place)                                                      \
    }
#define ALL_STEPS                                                                  \
    GLOBAL_BARRIER;                                                                \
    for (int step = 0; step < STEPS; step++) {                                     \
        const int t = REVERSED ? STEPS - 1 - step : step;                          \
        __global const double *before = STATE(0, step % 2) + group * WIDTH;        \
        __global const double *off = VARIANCE(0, step % 2) + group * WIDTH;        \
        for (int j = lane; j < WIDTH; j += GROUP) {                                \
            const int at = group * WIDTH + j;                                      \
            struct inexact x[GATES], z[GATES];                                     \
            for (int g = 0; g < GATES; g++)                                        \
                z[g] = inexact_of(0, 0);                                           \
            for (int k = 0; k < WIDTH; k++) {                                      \
                const double h = before[k];                                        \
                const double own = UNIT_VARIANCE * (WIDTH + 64) * h * h + off[k];  \
                for (int g = 0; g < GATES; g++) {                                  \
                    const double w = state[(k * GATES + g) * WIDTH + j];           \
                    z[g].value += h * w;                                           \
                    if (SPREADS)                                                   \
                        z[g].variance +=                                           \
                            own * w * w + h * h * WEIGHT_VARIANCE(w, (g * WIDTH + j) * WIDTH + k); \
                }                                                                  \
            }                                                                      \
            for (int g = 0; g < GATES; g++) {                                      \
                const int place = ((t * BATCH + group) * GATES + g) * WIDTH + j;   \
                z[g].value = ROUND_PRODUCT(z[g].value + BIAS(g * WIDTH + j));      \
                z[g].variance += UNIT_VARIANCE * WIDTH / 2 * square(z[g].value) +  \
                                 BIAS_VARIANCE(g * WIDTH + j);                     \
                x[g] = inexact_of(X0(place), SPREADS ? V0(place) : 0);             \
            }                                                                      \
            struct inexact hidden = inexact_of(before[j], off[j]);                 \
            struct inexact cell =                                                  \
                inexact_of(STATE(1, step % 2)[at], VARIANCE(1, step % 2)[at]);     \
            CELL                                                                   \
            LEAVE(0, hidden)                                                       \
            if (STATES > 1)                                                        \
                LEAVE(1, cell)                                                     \
        }                                                                          \
        GLOBAL_BARRIER;                                                            \
    }
