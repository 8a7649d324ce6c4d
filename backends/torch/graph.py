"""The graph of a problem (FORMATS.md), built call by call."""

import itertools
import math

import torch

DTYPES = {torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16",
          torch.float64: "f64", torch.int32: "i32", torch.int64: "i64", torch.bool: "bool"}

# Types that values of a graph may have, but no tensor of a problem: the least number, and how many there are.
NARROW = {torch.int8: (-128, 256), torch.uint8: (0, 256), torch.int16: (-32768, 65536)}
# Floats of 8 bits, which values and tensors of a problem hold as f32, by name: the bits of the fraction, the exponents
# of the least and the largest normal number, and the largest number.
_BYTES = {"float8_e4m3fn": (3, -6, 8, 448.0), "float8_e5m2": (2, -14, 15, 57344.0)}
BYTES = {getattr(torch, name): parts for name, parts in _BYTES.items() if hasattr(torch, name)}
VALUES = {**DTYPES, **dict.fromkeys(NARROW, "i32")}

# Problems have no infinity but as the logarithm of 0.  For elements masked before a softmax the lowest number has
# the same effect; finish() puts the infinity in its place where another operation reads them.
LOWEST = -3.4e38
MASKED = "masked"
IGNORE_LOWEST = {"softmax", "log_softmax", "logsumexp", "max", "argmax", "exp", "sigmoid", "tanh", "relu", "eq",
                 "ne", "lt", "le", "gt", "ge"}
# Operations whose results are the lowest number where an operand is.
KEEP_LOWEST = {"where", "add", "sub", "reshape", "transpose", "permute", "expand", "slice", "concat",
               "unsqueeze", "squeeze"}
MOST_OPERANDS = 8
MOST_NODES = 4096


class Unknown(Exception):
    """
    No operation of a problem can express this call; the text says which part of it.  `result`:
    tensors of the shapes that the call returns, where PyTorch takes long to find them.  `place`: FILE:LINE, if it is not
    that of the call.
    """

    def __init__(self, text, result=None, place=None):
        super().__init__(text)
        self.result, self.place = result, place


def _without(node, *names):
    return {name: value for name, value in node.items() if name not in names}


class Graph:
    """Nodes in the order of the calls.  Operands are names of values, or numbers."""

    def __init__(self, zero):
        self.nodes = []
        self._numbers = itertools.count(1)
        self._zero = zero  # makes a value of one element that is 0
        self._makers = {}  # name: node
        self._same = set()  # pairs of names that is_same() has found
        self._infinite = []  # the nodes that make infinite numbers

    def infinity(self, number):
        """The name of an infinite number, or of nan; the first nodes make all three."""
        if not self._infinite:
            steps = (("log", self._zero(), "log 0", {}), ("reshape", "log 0", "-inf", {"shape": []}),
                     ("neg", "-inf", "inf", {}))
            self._infinite = [{"op": op, "in": [operand], "out": out, **more} for op, operand, out, more in steps]
            self._infinite.append({"op": "sub", "in": ["inf", "inf"], "out": "nan"})
            self.nodes[:0] = self._infinite
            self._makers.update((node["out"], node) for node in self._infinite)
        return str(number)

    def node(self, op, operands, **attributes):
        """Append an operation, and return the name of its result."""
        if len(operands) > MOST_OPERANDS:
            raise Unknown(f"{op} of more than {MOST_OPERANDS} operands")
        made = {"op": op, "in": [self._operand(o) for o in operands],
                "out": f"#{next(self._numbers)}", **attributes}  # no name of a tensor
        self.nodes.append(made)
        self._makers[made["out"]] = made
        return made["out"]

    def maker(self, name):
        """The node that computes a value; None for a tensor of the problem."""
        return self._makers.get(name)

    def is_same(self, a, b):
        """True if two values are made by equal operations on equal operands."""
        if a == b or (a, b) in self._same:
            return True
        one, other = self._makers.get(a), self._makers.get(b)
        if not one or not other or _without(one, "in", "out") != _without(other, "in", "out") or (
                len(one["in"]) != len(other["in"])) or not all(map(self.is_same, one["in"], other["in"])):
            return False
        self._same.add((a, b))
        return True

    def _operand(self, operand):
        operand = int(operand) if isinstance(operand, bool) else operand
        if not isinstance(operand, (str, int, float)):
            raise Unknown(f"an operand that is a {type(operand).__name__}")
        if isinstance(operand, float) and not math.isfinite(operand):
            return self.infinity(operand)
        return operand

    def finish(self, results, taken):
        """
        Drop the nodes that `results` (names with shapes) do not need, rename the results to y, or
        y0, y1 ..., and return the new names.  `taken` are names that the problem already uses.
        """
        same = self._join_equal()
        results = [(same.get(result, result), shape) for result, shape in results]
        names = ["y"] if len(results) == 1 else [f"y{i}" for i in range(len(results))]
        names = [name if name not in taken else f"{name}_out" for name in names]
        nodes = []  # each output needs a node of its own
        for result, shape in results:
            if result not in self._makers or result in nodes:
                result = self.node("reshape", [result], shape=list(shape))
            nodes.append(result)
        self._drop_unused(nodes)
        self._check_masked(nodes)
        self._drop_unused(nodes)
        if len(self.nodes) > MOST_NODES:
            raise Unknown(f"a graph of {len(self.nodes)} operations: at most {MOST_NODES}")
        self._rename(dict(zip(nodes, names)), taken | set(names))
        return names

    def _join_equal(self):
        """Let equal operations on equal values be one node; returns the names that others replace."""
        same, seen, kept = {}, {}, []
        for node in self.nodes:
            node["in"] = [same.get(operand, operand) for operand in node["in"]]
            key = repr([(name, value) for name, value in sorted(node.items()) if name != "out"])
            if key in seen:
                same[node["out"]] = seen[key]
            else:
                seen[key] = node["out"]
                kept.append(node)
        self.nodes = kept
        return same

    def _drop_unused(self, needed):
        needed = set(needed)
        kept = []
        for node in reversed(self.nodes):
            if node["out"] in needed:
                needed.update(o for o in node["in"] if isinstance(o, str))
                kept.append(node)
        self.nodes = kept[::-1]

    def _check_masked(self, results):
        for node in list(self.nodes):
            if not node.pop(MASKED, False):
                continue
            if not self._is_ignored(node["out"], results):
                node["in"] = [self.infinity(-math.inf) if operand == LOWEST else operand for operand in node["in"]]

    def _is_ignored(self, masked, results):
        """True if all operations that read the lowest numbers of a value treat them like -inf."""
        reached = {masked}
        for node in self.nodes:
            read = reached & set(node["in"])
            if read and node["op"] in KEEP_LOWEST and not (node["op"] == "sub" and
                                                           node["in"][1] in read):
                reached.add(node["out"])
            elif read and node["op"] == "maximum":
                reached.update([node["out"]] if set(node["in"]) <= reached else [])
            elif read and node["op"] not in IGNORE_LOWEST:
                return False
        return not reached & set(results)

    def _rename(self, names, taken):
        count = 0
        for node in self.nodes:
            if node["out"] not in names:
                count += 1
                while f"t{count}" in taken:
                    count += 1
                names[node["out"]] = f"t{count}"
        for node in self.nodes:
            node["in"] = [names.get(o, o) if isinstance(o, str) else o for o in node["in"]]
            node["out"] = names[node["out"]]

    def used(self):
        """The names that nodes read."""
        return {o for node in self.nodes for o in node["in"] if isinstance(o, str)}
