"""Which values of a graph are whole numbers, or halves or quarters, so few that a type of 16 bits represents them all.

To round such values is no fault.
"""
import fractions
import math

import sizes

BITS = 8  # of the numbers of bf16
TRUTHS = ("lt", "le", "gt", "ge", "eq", "ne", "sign")
SAME = ("cast", "reshape", "flatten", "squeeze", "unsqueeze", "permute", "transpose", "slice", "expand", "concat",
        "gather", "abs", "neg", "relu", "max", "min", "dropout")


def _of_number(number):
    """Return the magnitude of a number, and the power of two that it is a multiple of."""
    if not math.isfinite(number) or number == 0:
        return 0, fractions.Fraction(1)
    exact = fractions.Fraction(number)
    twos = exact.numerator & -exact.numerator
    return abs(exact), fractions.Fraction(twos, exact.denominator)


class ExactNumbers:
    """The largest magnitude of values, and the power of two that they are multiples of, by name."""

    def __init__(self, document):
        self.document = document
        self.known = {name: found for name, tensor in document["tensors"].items() if (found := self._of_tensor(tensor))}
        for node in document["graph"]:
            found = self._of_node(node, [self._of_operand(operand) for operand in node["in"]])
            if found:
                self.known[node["out"]] = found

    def short(self):
        """Return the names of values that BITS bits represent."""
        return {name for name, (most, step) in self.known.items() if most <= step * 2 ** BITS}

    def whole(self):
        """Return the names of values that are 0 or not near 0."""
        return {name for name, (_, step) in self.known.items() if step >= fractions.Fraction(1, 64)}

    def _of_tensor(self, tensor):
        fill = tensor.get("fill", {})
        if tensor["dtype"] == "bool" or "mask" in fill:
            return _of_number(1)
        if "constant" in fill:
            return _of_number(fill["constant"])
        if "integers" in fill:
            ends = [abs(sizes.number(end, self.document.get("dims", {}))) for end in fill["integers"]]
            return fractions.Fraction(max(ends)), fractions.Fraction(1)
        return None

    def _of_operand(self, operand):
        return self.known.get(operand) if isinstance(operand, str) else _of_number(operand)

    def _of_node(self, node, operands):
        op = node["op"]
        if op in TRUTHS or op == "log" and self._is_truth(node["in"][0]):
            return _of_number(1)  # the logarithm of a truth value is 0 or -infinity
        if op == "where":
            operands = operands[1:]
        if None in operands:
            return None
        return self._of_result(node, [most for most, _ in operands], [step for _, step in operands])

    def _of_result(self, node, most, step):
        op = node["op"]
        if op == "where" or op in SAME:
            return max(most), min(step)
        if op in ("add", "sub"):
            return sum(most), min(step)
        if op == "mul":
            return most[0] * most[1], step[0] * step[1]
        if op == "div" and most[1] == step[1]:
            return most[0] / most[1], step[0] / step[1]
        if op == "clamp":
            bounds = [_of_number(node[end]) for end in ("min", "max") if end in node]
            reached = [most for most, _ in bounds]
            return max(reached if len(bounds) == 2 else [*most, *reached]), min([*step, *(step for _, step in bounds)])
        if op == "cumsum":
            return most[0] * self._length(node), step[0]
        return None

    def _is_truth(self, name):
        return self.known.get(name) == _of_number(1)

    def _length(self, node):
        """Return how many elements a running sum adds, at most: those of the tensor."""
        tensor = self.document["tensors"].get(node["in"][0])
        return sizes.elements(tensor["shape"], self.document.get("dims", {})) if tensor else math.inf
