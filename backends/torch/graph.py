"""The graph of a problem (FORMATS.md), as it is written down call by call."""

import math

import torch

DTYPES = {torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16",
          torch.float64: "f64", torch.int32: "i32", torch.int64: "i64", torch.bool: "bool"}


# Problems have no infinity.  Where elements are hidden from a softmax the lowest number does as well,
# and finish() sees to it that nothing else looks at it.
LOWEST = -3.4e38
HIDES = "hides"
BLIND = {"softmax", "log_softmax", "logsumexp", "max"}


class Unknown(Exception):
    """There is no such operation in a problem."""


class Graph:
    """Nodes in the order of the calls, over named values; numbers stand for themselves."""

    def __init__(self):
        self.nodes = []
        self._makers = {}  # name: node

    def node(self, op, operands, **attributes):
        """Write down an operation; the name of its result."""
        if len(operands) > 8:
            raise Unknown(f"{op} of more than 8 operands")
        made = {"op": op, "in": [self._operand(o) for o in operands],
                "out": f"t{len(self.nodes) + 1}", **attributes}
        self.nodes.append(made)
        self._makers[made["out"]] = made
        return made["out"]

    def maker(self, name):
        """The node that computes a value; None for a tensor of the problem."""
        return self._makers.get(name)

    @staticmethod
    def _operand(operand):
        if isinstance(operand, bool) or not isinstance(operand, (str, int, float)):
            raise Unknown(f"an operand that is a {type(operand).__name__}")
        if isinstance(operand, float) and not math.isfinite(operand):
            raise Unknown(f"the number {operand}")
        return operand

    def finish(self, results, taken):
        """
        Keep what `results` (names with shapes) need, name these y or y0, y1 ..., and return those names.  `taken` are
        names that the problem has already.
        """
        names = ["y"] if len(results) == 1 else [f"y{i}" for i in range(len(results))]
        names = [name if name not in taken else f"{name}_out" for name in names]
        own = []
        for result, shape in results:
            if result not in self._makers or result in own:
                result = self.node("reshape", [result], shape=list(shape))
            own.append(result)
        self._drop_unused(own)
        self._check_hidden(own)
        self._rename(dict(zip(own, names)), taken | set(names))
        return names

    def _drop_unused(self, needed):
        needed = set(needed)
        kept = []
        for node in reversed(self.nodes):
            if node["out"] in needed:
                needed.update(o for o in node["in"] if isinstance(o, str))
                kept.append(node)
        self.nodes = kept[::-1]

    def _check_hidden(self, results):
        for node in self.nodes:
            if not node.pop(HIDES, False):
                continue
            readers = {other["op"] for other in self.nodes if node["out"] in other["in"]}
            if node["out"] in results or not readers <= BLIND:
                raise Unknown("elements that are -inf, and not only for a softmax")

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
