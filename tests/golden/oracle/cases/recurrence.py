"""Recurrent layers, element by element of the state."""
import numpy as np

from case import case, node, normal


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def follow(step, gates, weight, *rest, reverse=False):
    """The states after each step, [states, steps, batch, width]."""
    width, count = weight.shape[1], 2 if step is lstm else 1
    bias = rest[count] if len(rest) > count else np.zeros(len(weight))
    made = np.zeros((count, *gates.shape[:2], width))
    for sample in range(gates.shape[1]):
        states = [state[sample] for state in rest[:count]]
        for t in reversed(range(len(gates))) if reverse else range(len(gates)):
            z = np.array([sum(w * h for w, h in zip(row, states[0])) for row in weight]) + bias
            states = step(gates[t, sample].reshape(-1, width), z.reshape(-1, width), states)
            made[:, t, sample] = states
    return made if count > 1 else made[0]


def lstm(x, z, states):
    i, f, g, o = x + z
    cell = sigmoid(f) * states[1] + sigmoid(i) * np.tanh(g)
    return [sigmoid(o) * np.tanh(cell), cell]


def gru(x, z, states):
    reset, update = sigmoid(x[0] + z[0]), sigmoid(x[1] + z[1])
    return [(1 - update) * np.tanh(x[2] + reset * z[2]) + update * states[0]]


for op, step, parts in (('lstm', lstm, 4), ('gru', gru, 3), ('rnn', lambda x, z, s: [np.tanh(x[0] + z[0])], 1)):
    cell = {'c': normal(2, 3)} if op == 'lstm' else {}
    case([node(op, 'x', 'w', 'h', *cell, 'b')], lambda *given, step=step: follow(step, *given),
         x=normal(5, 2, parts * 3), w=normal(parts * 3, 3), h=normal(2, 3), **cell, b=normal(parts * 3))
    case([node(op, 'x', 'w', 'h', *cell, reverse=True)],
         lambda *given, step=step: follow(step, *given, reverse=True),
         x=normal(4, 2, parts * 3), w=normal(parts * 3, 3), h=normal(2, 3), **cell)
case([node('rnn', 'x', 'w', 'h', nonlinearity='relu')],
     lambda *given: follow(lambda x, z, s: [np.maximum(x[0] + z[0], 0)], *given),
     x=normal(6, 1, 4), w=normal(4, 4), h=normal(1, 4))
