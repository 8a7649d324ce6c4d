"""
Recurrent layers by the definitions in the documentation of torch.nn.RNN, LSTM and GRU: for each
layer and direction a product of the input with its weights, and an operation over all steps.
"""

import functools

import torch
import torch.nn.functional as F
from torch.overrides import handle_torch_function

from graph import Unknown

MOST_STEPS = 64  # whose operations a graph has one by one

# The operation of a problem, and its attributes.
LAYERS = {"rnn_tanh": ("rnn", {}), "rnn_relu": ("rnn", {"nonlinearity": "relu"}),
          "lstm": ("lstm", {}), "gru": ("gru", {})}


def recurrent_steps(name, gates, weight, states, bias, is_reversed):
    """An empty tensor in the shape of the operation's result.  rules.py has the operation."""
    shape = [*gates.shape[:2], weight.shape[1]]
    return gates.new_empty([2, *shape] if name == "lstm" else shape)


def _run(name, x, states, weights, is_reversed):
    """One layer in one direction over x, [steps, batch, features]: its outputs and last states."""
    from_input, from_hidden, *biases = weights
    first, second = biases or (None, None)
    gates = F.linear(x, from_input, first)
    tensors = [t for t in (gates, from_hidden, *states, second) if t is not None]
    # the tracer sees the call as one of a torch function
    made = handle_torch_function(recurrent_steps, tensors, name, gates, from_hidden, states, second,
                                 is_reversed)
    all_states = [made[0], made[1]] if name == "lstm" else [made]
    return all_states[0], [s[0 if is_reversed else -1] for s in all_states]


def _run_projected(x, states, weights, is_reversed):
    """An LSTM whose hidden state is projected after each step: the operations of each step."""
    from_input, from_hidden, *biases, projection = weights
    first, second = biases or (None, None)
    steps, made = x.shape[0], []
    if steps > MOST_STEPS:
        raise Unknown(f"{steps} steps of an lstm with projections (proj_size): at most {MOST_STEPS}")
    gates = F.linear(x, from_input, first)
    for t in range(steps)[::-1 if is_reversed else 1]:
        hidden, cell = _lstm(gates[t], F.linear(states[0], from_hidden, second), states)
        states = [F.linear(hidden, projection), cell]
        made.append(states[0])
    return torch.stack(made[::-1 if is_reversed else 1]), states


def _layers(name, x, states, weights, layout):
    """All layers; the outputs of the last one and the last states of each."""
    ways = 2 if layout["bidirectional"] else 1
    each, last = len(weights) // layout["runs"], []
    run_one = _run_projected if each % 2 else functools.partial(_run, name)
    x = x.transpose(0, 1) if layout["batch_first"] else x
    for layer in range(layout["layers"]):
        made = []
        for way in range(ways):
            run = layer * ways + way
            y, end = run_one(x, [s[run] for s in states], weights[run * each:(run + 1) * each], way == 1)
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
        if dropout and train and num_layers > 1:
            raise Unknown(f"{name} with dropout between its layers")
        layout = {"layers": num_layers, "bidirectional": bidirectional,
                  "runs": num_layers * (2 if bidirectional else 1), "batch_first": batch_first}
        return _layers(name, input, states, list(params), layout)
    function.__name__ = name
    return function


def _rnn(activation):
    def step(gates, hidden, state):
        return [activation(gates + hidden)]
    return step


def _lstm(gates, hidden, state):
    entry, forget, change, output = (gates + hidden).chunk(4, -1)
    cell = torch.sigmoid(forget) * state[1] + torch.sigmoid(entry) * torch.tanh(change)
    return [torch.sigmoid(output) * torch.tanh(cell), cell]


def _gru(gates, hidden, state):
    given, kept = gates.chunk(3, -1), hidden.chunk(3, -1)
    reset, update = (torch.sigmoid(given[i] + kept[i]) for i in range(2))
    change = torch.tanh(given[2] + reset * kept[2])
    return [(1 - update) * change + update * state[0]]


CELLS = {"rnn_tanh": _rnn(torch.tanh), "rnn_relu": _rnn(torch.relu), "lstm": _lstm, "gru": _gru}


def _cell(name):
    """A single step, whose operations other ones can be fused with."""
    def function(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
        states = list(hx) if isinstance(hx, (tuple, list)) else [hx]
        made = CELLS[name](F.linear(input, w_ih, b_ih), F.linear(states[0], w_hh, b_hh), states)
        return tuple(made) if len(made) > 1 else made[0]
    function.__name__ = f"{name}_cell"
    return function


FUNCTIONS = {f.__name__: f for name in LAYERS for f in (_layer(name), _cell(name))}
