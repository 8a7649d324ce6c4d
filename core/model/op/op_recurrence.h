#ifndef CORE_MODEL_OP_OP_RECURRENCE_H
#define CORE_MODEL_OP_OP_RECURRENCE_H

#include "core/model/op/op.h"

/*
 * rnn, lstm and gru: one layer of torch.nn.RNN, LSTM or GRU in one direction, over all its steps,
 * without the product of the input, which does not depend on other steps. Operand `gates` is that
 * product with its bias, [steps, batch, gates * width]. Step t computes
 *
 *     z = hidden weight^T + bias                        weight [gates * width, width]
 *     rnn:  hidden = tanh(x + z), or relu(x + z)
 *     lstm: i, f, g, o = x + z in four parts
 *           cell = sigmoid(f) cell + sigmoid(i) tanh(g); hidden = sigmoid(o) tanh(cell)
 *     gru:  r, u = sigmoid(x + z) of two parts; n = tanh(x + r z) of the third
 *           hidden = (1 - u) n + u hidden
 *
 * with x = gates[t]. With `reverse` the last step comes first. The result has the state after each
 * step, [steps, batch, width]; lstm's is [2, steps, batch, width], hidden states and then cells.
 */
enum recurrence_cell { CELL_TANH, CELL_RELU, CELL_LSTM, CELL_GRU };

struct recurrence {
    enum recurrence_cell cell;
    int64_t steps, batch, width;
    size_t gates, states; /* parts of a row of `gates`; parts of the result */
    size_t bias;          /* the operand; 0 for none */
    bool is_reversed;
};

/* The sizes of a call. Its states before the first step are operands 2 and, for lstm, 3. */
struct recurrence recurrence_of(const struct op_call *call);

#endif
