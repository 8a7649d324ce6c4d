"""Which values of a graph can be larger than usual, and which of them only their positive part is used of.

A fault beyond the usual numbers is a mutant only where legal inputs lead there.  The judge and these tests call an
input free if its range has numbers of both signs: such a range is no bound that has a meaning, so that larger numbers
are legal.
"""
import math

import sizes

# Operations whose results stay within few units, whatever their operands are.
BOUNDING = {"sigmoid", "hardsigmoid", "softmax", "tanh", "softsign", "sin", "cos", "atan", "erf", "sign", "clamp", "hardtanh",
            "argmax", "argmin"}
NORMS = {"layer_norm", "rms_norm", "group_norm", "instance_norm", "batch_norm"}
POSITIVE = {"relu", "abs", "exp", "sqrt", "rsqrt", "softplus", "var", "softmax", "sigmoid", "hardsigmoid"}
# Operations whose results are hardly below zero.
LOW = {"gelu", "silu", "mish", "hardswish", "elu", "selu"}
CUT_AT = {"relu": 0, "hardswish": -3, "hardsigmoid": -3, "hardtanh": -1, "clamp": -math.inf}
MOVING = {"reshape", "flatten", "squeeze", "unsqueeze", "permute", "transpose", "slice", "expand", "concat"}


def is_free(tensor):
    fill = tensor.get("fill", {})
    if tensor["role"] != "input" or tensor["dtype"] in ("i32", "i64", "bool"):
        return False
    if "normal" in fill:
        return abs(fill["normal"][0]) < 5 * fill["normal"][1]
    return "uniform" in fill and fill["uniform"][0] < 0 < fill["uniform"][1]


class Reach:
    """The values that free inputs reach, that are never negative, and that are never below -3, by name."""

    def __init__(self, document, plan):
        self.document, self.plan = document, plan
        self.free = {name for name, tensor in document["tensors"].items() if is_free(tensor)}
        self.positive, self.never_low = set(), set()
        for node in document["graph"]:
            if any(name in self.free for name in node["in"] if isinstance(name, str)) and self._passes(node):
                self.free.add(node["out"])
            self.never_low |= {node["out"]} if node["op"] in POSITIVE | LOW else set()
            if node["op"] in POSITIVE or (node["op"] in MOVING and set(node["in"]) <= self.positive):
                self.positive.add(node["out"])

    def _passes(self, node):
        """Tell if larger operands give results beyond a few units: n numbers are normalized to sqrt(n) at most."""
        if node["op"] in NORMS:
            return self._normalized(node) >= 600
        return node["op"] not in BOUNDING

    def _normalized(self, node):
        tensors = {**self.document["tensors"], **self.plan.get("scratch", {})}
        shape = [sizes.number(size, self.document.get("dims", {})) for size in tensors[node["in"][0]]["shape"]]
        if node["op"] in ("layer_norm", "rms_norm"):
            return shape[-1]
        groups = node.get("num_groups", shape[1])
        return math.prod(shape[1:]) // groups if node["op"] != "batch_norm" else math.prod(shape) // shape[1]

    def cut(self, name):
        """Return the least number that makes a difference in the value, by the operations that use it."""
        users = [node for node in self.document["graph"] if name in node["in"]]
        return min((self._cut_by(node) for node in users), default=-math.inf)

    def _cut_by(self, node):
        if node["op"] in MOVING:
            return self.cut(node["out"])
        own = node.get("min_val", node.get("min"))
        return CUT_AT.get(node["op"], -math.inf) if own is None else own
