"""
Recurrent layers as the operations of their steps, by the definitions in the documentation of
torch.nn.RNN, LSTM and GRU.
"""

import torch
import torch.nn.functional as F

from graph import Unknown

# Steps of all layers together: a graph with many more is too long for kernels and people.
MOST_STEPS = 256


def _rnn(activation):
    def step(gates, hidden, state):
        return [activation(gates + hidden(state[0]))]
    return step


def _lstm(gates, hidden, state):
    entry, forget, change, output = (gates + hidden(state[0])).chunk(4, -1)
    cell = torch.sigmoid(forget) * state[1] + torch.sigmoid(entry) * torch.tanh(change)
    return [torch.sigmoid(output) * torch.tanh(cell), cell]


def _gru(gates, hidden, state):
    given, kept = gates.chunk(3, -1), hidden(state[0]).chunk(3, -1)
    reset, update = (torch.sigmoid(given[i] + kept[i]) for i in range(2))
    change = torch.tanh(given[2] + reset * kept[2])
    return [(1 - update) * change + update * state[0]]


STEPS = {"rnn_tanh": _rnn(torch.tanh), "rnn_relu": _rnn(torch.relu), "lstm": _lstm, "gru": _gru}


def _run(step, x, state, weights, is_reversed):
    """One layer in one direction over x, [steps, batch, features]: its outputs and last state."""
    from_input, from_hidden, *biases = weights
    first, second = biases or (None, None)
    gates, made = F.linear(x, from_input, first), []
    for t in range(x.shape[0])[::-1 if is_reversed else 1]:
        state = step(gates[t], lambda h: F.linear(h, from_hidden, second), state)
        made.append(state[0])
    return torch.stack(made[::-1] if is_reversed else made), state


def _untraced(name, x, states, layout):
    """The error for too many steps, with tensors of the right shapes as the result."""
    width = states[0].shape[-1] * (2 if layout["bidirectional"] else 1)
    made = [x.new_zeros(list(x.shape[:-1]) + [width])] + [torch.zeros_like(s) for s in states]
    return Unknown(f"{name} of {x.shape[1 if layout['batch_first'] else 0]} steps in "
                   f"{layout['layers']} layers: a graph has at most {MOST_STEPS} steps", made)


def _layers(name, x, states, weights, layout):
    """All layers; the outputs of the last one and the last states of each."""
    ways = 2 if layout["bidirectional"] else 1
    runs = layout["layers"] * ways
    each = 4 if layout["biases"] else 2
    if layout["dropout"] or x.dim() != 3 or len(weights) != runs * each:
        raise Unknown(f"{name} with dropout or projections, or without a batch")
    if x.shape[1 if layout["batch_first"] else 0] * runs > MOST_STEPS:
        raise _untraced(name, x, states, layout)
    x, last = x.transpose(0, 1) if layout["batch_first"] else x, []
    for layer in range(layout["layers"]):
        made = []
        for way in range(ways):
            run = layer * ways + way
            y, end = _run(STEPS[name], x, [s[run] for s in states],
                          weights[run * each:(run + 1) * each], way == 1)
            made.append(y)
            last.append(end)
        x = torch.cat(made, -1) if ways == 2 else made[0]
    ends = [torch.stack([end[i] for end in last]) for i in range(len(states))]
    return (x.transpose(0, 1) if layout["batch_first"] else x, *ends)


def _layer(name):
    def function(input, hx, params, has_biases, num_layers, dropout, train, bidirectional,
                 batch_first):
        if isinstance(params, bool):
            raise Unknown(f"{name} of sequences of several lengths")
        states = list(hx) if isinstance(hx, (tuple, list)) else [hx]
        layout = {"biases": has_biases, "layers": num_layers, "bidirectional": bidirectional,
                  "dropout": dropout if train and num_layers > 1 else 0,
                  "batch_first": batch_first}
        return _layers(name, input, states, list(params), layout)
    function.__name__ = name
    return function


def _cell(name):
    def function(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
        states = list(hx) if isinstance(hx, (tuple, list)) else [hx]
        made = STEPS[name](F.linear(input, w_ih, b_ih), lambda h: F.linear(h, w_hh, b_hh), states)
        return tuple(made) if len(made) > 1 else made[0]
    function.__name__ = f"{name}_cell"
    return function


FUNCTIONS = {f.__name__: f for name in STEPS for f in (_layer(name), _cell(name))}
