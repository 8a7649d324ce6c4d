"""What cases are made of: a graph over small random tensors, and a function that computes its outputs
in another way."""
import numpy as np

RNG = np.random.default_rng(20261120)
CASES = []


def case(graph, expected, **inputs):
    """Inputs are arrays; `expected` maps them, in this order, to the one output y or to a dict."""
    CASES.append((graph, expected, inputs))


def node(op, *operands, out='y', **attributes):
    return {'op': op, 'in': list(operands), 'out': out, **attributes}


def normal(*shape):
    return RNG.normal(size=shape)


def positive(*shape):
    return RNG.uniform(0.1, 3, size=shape)


def integers(low, high, *shape):
    return RNG.integers(low, high, size=shape)
