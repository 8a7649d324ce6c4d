#include "core/judge/oracle/recurrence/recurrent_cell.h"

#include <math.h>

#include "core/judge/oracle/rounding/rounding.h"

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

void recurrent_cell_compute(enum recurrence_cell cell, const double *x, const double *z,
                            double *state)
{
    double change, update;

    switch (cell) {
    case CELL_TANH:
        state[0] = tanh(x[0] + z[0]);
        break;
    case CELL_RELU:
        state[0] = x[0] + z[0] > 0 ? x[0] + z[0] : 0;
        break;
    case CELL_LSTM:
        state[1] = sigmoid(x[1] + z[1]) * state[1] + sigmoid(x[0] + z[0]) * tanh(x[2] + z[2]);
        state[0] = sigmoid(x[3] + z[3]) * tanh(state[1]);
        break;
    case CELL_GRU:
        update = sigmoid(x[1] + z[1]);
        change = tanh(x[2] + sigmoid(x[0] + z[0]) * z[2]);
        state[0] = (1 - update) * change + update * state[0];
        break;
    }
}

/* Errors of float32 functions as in oracle_elementwise.c, as a number of roundings. */
static const double function_roundings = 100;

static struct inexact add(struct inexact a, struct inexact b)
{
    double sum = a.value + b.value;

    return (struct inexact){sum, a.variance + b.variance + ROUNDING_VARIANCE * sum * sum};
}

static struct inexact multiply(struct inexact a, struct inexact b)
{
    double product = a.value * b.value;

    return (struct inexact){product, a.value * a.value * b.variance +
                                         b.value * b.value * a.variance +
                                         ROUNDING_VARIANCE * product * product};
}

static struct inexact sigmoid_of(struct inexact x)
{
    double y = sigmoid(x.value), slope = y * (1 - y);

    return (struct inexact){y, slope * slope * x.variance +
                                   function_roundings * ROUNDING_VARIANCE * (y * y + 0.1)};
}

static struct inexact tanh_of(struct inexact x)
{
    double y = tanh(x.value), slope = 1 - y * y;

    return (struct inexact){y, slope * slope * x.variance +
                                   function_roundings * ROUNDING_VARIANCE * (y * y + 0.1)};
}

void recurrent_cell_spread(enum recurrence_cell cell, const struct inexact *x,
                           const struct inexact *z, struct inexact *state)
{
    struct inexact update, kept;

    switch (cell) {
    case CELL_TANH:
        state[0] = tanh_of(add(x[0], z[0]));
        break;
    case CELL_RELU:
        state[0] = add(x[0], z[0]);
        state[0].value = state[0].value > 0 ? state[0].value : 0;
        break;
    case CELL_LSTM:
        kept = multiply(sigmoid_of(add(x[1], z[1])), state[1]);
        state[1] = add(kept, multiply(sigmoid_of(add(x[0], z[0])), tanh_of(add(x[2], z[2]))));
        state[0] = multiply(sigmoid_of(add(x[3], z[3])), tanh_of(state[1]));
        break;
    case CELL_GRU:
        update = sigmoid_of(add(x[1], z[1]));
        kept = (struct inexact){1 - update.value, update.variance};
        state[0] =
            add(multiply(kept, tanh_of(add(x[2], multiply(sigmoid_of(add(x[0], z[0])), z[2])))),
                multiply(update, state[0]));
        break;
    }
}
