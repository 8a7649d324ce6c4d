"""Which values of a graph can be larger than usual, have a sign, or need their last bits.

A fault beyond the usual numbers is a mutant only where legal inputs lead there.  The judge and these tests call an
input free if its range has numbers of both signs: such a range is no bound that has a meaning, so that larger numbers
are legal.
"""
import functools
import math

import exact_numbers
import sizes

# Operations whose results stay within few units, whatever their operands are.
BOUNDING = {"sigmoid", "hardsigmoid", "softmax", "tanh", "softsign", "sin", "cos", "atan", "erf", "sign", "clamp", "hardtanh",
            "argmax", "argmin"}
NORMS = {"layer_norm", "rms_norm", "group_norm", "instance_norm", "batch_norm"}
POSITIVE = {"relu", "abs", "exp", "sqrt", "rsqrt", "softplus", "var", "softmax", "sigmoid", "hardsigmoid"}
# Operations whose results are hardly below zero.
LOW = {"gelu", "silu", "mish", "hardswish", "elu", "selu"}
CUT_AT = {"relu": 0, "hardswish": -3, "hardsigmoid": -3, "hardtanh": -1, "clamp": -math.inf}
MOVING = {"reshape", "flatten", "squeeze", "unsqueeze", "permute", "transpose", "slice", "expand", "concat", "gather"}
# Operations of values that are never negative, which give such values.
KEEPING_SIGN = MOVING | {"add", "mul", "div", "sum", "mean", "max", "min", "maximum", "cumsum", "cumprod", "prod",
                         "pow", "cast"}
SHORT_TYPES = ("f16", "bf16")


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
        self.positive, self.negative, self.never_low = set(), set(), set()
        self.made = {node["out"]: node for node in document["graph"]}
        for node in document["graph"]:
            if any(name in self.free for name in node["in"] if isinstance(name, str)) and self._passes(node):
                self.free.add(node["out"])
            self.never_low |= {node["out"]} if node["op"] in POSITIVE | LOW else set()
            if self._is_positive(node):
                self.positive.add(node["out"])
            if node["op"] == "log_softmax" or (node["op"] in MOVING and node["in"][0] in self.negative):
                self.negative.add(node["out"])
        exact = exact_numbers.ExactNumbers(document)
        self.short, self.whole = exact.short(), exact.whole()

    def _is_positive(self, node):
        op, operands = node["op"], node["in"]
        if op == "neg":
            return operands[0] in self.negative
        if op == "sub":  # what a clamp cuts off at its upper end
            cut = self.made.get(operands[1], {}) if isinstance(operands[1], str) else {}
            return cut.get("op") == "clamp" and cut["in"][0] == operands[0] and "min" not in cut
        values = operands[:1] if op == "gather" else operands
        is_kept = op in KEEPING_SIGN and all(map(self._is_at_least_zero, values))
        return op in POSITIVE or self._is_square(node) or is_kept

    def _is_at_least_zero(self, operand):
        return operand in self.positive if isinstance(operand, str) else operand >= 0

    @staticmethod
    def _is_square(node):
        same = node["op"] == "mul" and node["in"][0] == node["in"][1]
        return same or node["op"] == "pow" and node["in"][1] == 2

    def _passes(self, node):
        """Tell if larger operands give results beyond a few units: n numbers are normalized to sqrt(n) at most."""
        if node["op"] in NORMS:
            return self._normalized(node) >= 600
        return node["op"] not in BOUNDING and not self._is_written_norm(node)

    def _is_written_norm(self, node):
        """Tell if a few numbers are multiplied by the inverse root of their mean square."""
        if node["op"] != "mul":
            return False
        root = node
        for op in ("rsqrt", "add", "mean"):
            before = [self.made[name] for name in root["in"] if name in self.made]
            root = next((made for made in before if made["op"] == op), None)
            if root is None:
                return False
        square = self.made.get(root["in"][0])
        return bool(square) and self._is_square(square) and square["in"][0] in node["in"] and self._averaged(root) < 600

    def _averaged(self, mean):
        """Return how many numbers a mean is of."""
        shape = self._shape(mean["in"][0])
        dims = mean.get("dim")
        axes = range(len(shape)) if dims is None else dims if isinstance(dims, list) else [dims]
        return math.prod(shape[axis] for axis in axes)

    def _shape(self, name):
        tensors = {**self.document["tensors"], **self.plan.get("scratch", {})}
        return [sizes.number(size, self.document.get("dims", {})) for size in tensors[name]["shape"]]

    def _normalized(self, node):
        shape = self._shape(node["in"][0])
        if node["op"] in ("layer_norm", "rms_norm"):
            return shape[-1]
        groups = node.get("num_groups", shape[1])
        return math.prod(shape[1:]) // groups if node["op"] != "batch_norm" else math.prod(shape) // shape[1]

    def users(self, name):
        return [node for node in self.document["graph"] if name in node["in"]]

    def is_rounded_next(self, name):
        """Tell if nothing but the value in 16 bits is used."""
        users = self.users(name)
        return bool(users) and all(user["op"] == "cast" and user["dtype"] in SHORT_TYPES for user in users)

    @functools.cached_property
    def coarse(self):
        """The values that are rounded to bf16 before they reach an output, or computed from such values."""
        coarse = set()
        for node in self.document["graph"]:
            rounds = node["op"] == "cast" and node["dtype"] == "bf16"
            if rounds or any(name in coarse for name in node["in"]):
                coarse.add(node["out"])
        for node in reversed(self.document["graph"]):
            users = self.users(node["out"])
            if users and all(user["out"] in coarse for user in users):
                coarse.add(node["out"])
        return coarse

    def loses_sign(self, name):
        """Tell if all that use a value take its magnitude or its square."""
        users = self.users(name)
        return bool(users) and all(user["op"] == "abs" or self._is_square(user) for user in users)

    def cut(self, name):
        """Return the least number that makes a difference in the value, by the operations that use it."""
        return min((self._cut_by(node) for node in self.users(name)), default=-math.inf)

    @staticmethod
    def _factor(node):
        """Return the number that a node multiplies a value by, or 0."""
        first, *others = node["in"]
        if node["op"] == "add" and others == [first]:
            return 2
        return others[0] if node["op"] == "mul" and not isinstance(others[0], str) else 0

    def _cut_by(self, node):
        if node["op"] in MOVING:
            return self.cut(node["out"])
        factor = self._factor(node)
        if factor > 0:
            return self.cut(node["out"]) / factor
        own = node.get("min_val", node.get("min"))
        return CUT_AT.get(node["op"], -math.inf) if own is None else own
