"""Sizes of a problem, and a problem with smaller sizes."""
import copy
import math
import re

WORD = re.compile(r"\b[A-Za-z_]\w*\b")
FUNCTIONS = {"min": min, "max": max, "ceildiv": lambda a, b: -(-a // b), "align": lambda a, b: -(-a // b) * b}
PRODUCTS = ("linear", "matmul", "conv", "attention")
LEAST = 16


def number(expression, dims):
    """Return the value of a size expression (FORMATS.md, "Launch plan")."""
    if isinstance(expression, int):
        return expression
    return eval(expression.replace("/", "//"), {"__builtins__": {}}, {**FUNCTIONS, **dims})  # only our own files


def elements(shape, dims):
    return math.prod(number(size, dims) for size in shape)


def _cost(document, dims):
    """Return about the number of elements or multiplications of the largest operation."""
    sizes = [elements(tensor["shape"], dims) for tensor in document["tensors"].values()]
    if any(word in node["op"] for node in document["graph"] or () for word in PRODUCTS):
        return max(sizes) * max(dims.values(), default=1)
    return max(sizes)


def _fan_in(tensor, dims):
    return elements(tensor["shape"][1:], dims)


def _rescale(document, before):
    """Keep the magnitude of sums over weights: fewer terms need larger weights."""
    for tensor in document["tensors"].values():
        if tensor["role"] == "param" and "normal" in tensor.get("fill", ()) and len(tensor["shape"]) > 1:
            mean, deviation = tensor["fill"]["normal"]
            ratio = _fan_in(tensor, before) / _fan_in(tensor, document["dims"])
            tensor["fill"] = {"normal": [mean, deviation * math.sqrt(ratio)]}


def _scaled_sets(document, before):
    for sizes in document.get("also", ()):
        for name, value in sizes.items():
            if value > LEAST:
                sizes[name] = max(1, value * document["dims"][name] // before[name]) | 1


def shrink(document, limit, is_valid):
    """Return the problem with its largest dimensions halved until an operation has at most `limit` steps.

    `is_valid` tells if a problem with other dimensions can be built.
    """
    small = copy.deepcopy(document)
    before, fixed = dict(document.get("dims", {})), set()
    while small.get("dims") and _cost(small, small["dims"]) > limit:
        dims = small["dims"]
        name = max((n for n in dims if n not in fixed and dims[n] > LEAST and dims[n] % 2 == 0), key=dims.get,
                   default=None)
        if name is None:
            break
        dims[name] //= 2
        if not is_valid(small):
            dims[name] *= 2
            fixed.add(name)
    _rescale(small, before)
    _scaled_sets(small, before)
    return small
