"""Mutations of a problem's graph: each yields a mutant, a problem whose plain kernels compute something else."""
import copy

# Functions that are close to each other over part of their range.
NEIGHBOURS = {
    "relu": ("elu", "softplus", "abs"), "gelu": ("silu",), "silu": ("gelu",), "sigmoid": ("hardsigmoid", "tanh"),
    "tanh": ("hardtanh", "softsign", "sigmoid"), "softplus": ("relu",), "elu": ("relu",), "selu": ("elu",),
    "mish": ("silu",), "hardswish": ("silu",), "hardsigmoid": ("sigmoid",), "hardtanh": ("tanh",),
    "leaky_relu": ("relu",), "sqrt": ("abs",), "abs": ("relu",), "erf": ("tanh",), "atan": ("tanh",), "sin": ("tanh",),
    "log_softmax": ("softmax",), "softmax": ("log_softmax",), "rms_norm": ("layer_norm",), "layer_norm": ("rms_norm",),
}
OPERATORS = {
    "add": ("sub", "maximum"), "sub": ("add",), "mul": ("add",), "div": ("mul",), "maximum": ("minimum", "add"),
    "minimum": ("maximum",), "max": ("mean", "min"), "min": ("mean", "max"), "sum": ("mean",), "mean": ("sum", "max"),
    "logsumexp": ("max",), "argmax": ("argmin",), "argmin": ("argmax",), "cumsum": ("cumprod",), "var": ("mean",),
    "max_pool1d": ("avg_pool1d",), "max_pool2d": ("avg_pool2d",), "max_pool3d": ("avg_pool3d",),
    "eq": ("ne",), "ne": ("eq",), "lt": ("le",), "le": ("lt",), "gt": ("ge",), "ge": ("gt",),
    "avg_pool1d": ("max_pool1d",), "avg_pool2d": ("max_pool2d",), "avg_pool3d": ("max_pool3d",),
}
KEEPING = ("reshape", "flatten", "squeeze", "unsqueeze", "dropout", "expand")
ORDERED = ("sub", "div", "pow", "matmul")
AXES = ("dim", "dims", "dim0", "dim1", "start_dim", "end_dim", "normalized_shape", "num_groups", "shape")


def _with_node(problem, index, **changes):
    mutant = copy.deepcopy(problem)
    node = mutant["graph"][index]
    node.update(changes)
    for name in [name for name, value in node.items() if value is None]:
        del node[name]
    return mutant


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def drop_operand(problem, index, node):
    """Leave out the last operand: a bias, a weight, a mask."""
    if len(node["in"]) > 1 and node["op"] not in OPERATORS:
        yield f"without {node['in'][-1]}", _with_node(problem, index, **{"in": node["in"][:-1]})


def _keeps_elements(node):
    dims = node.get("dims", ())
    return node["op"] in KEEPING or (node["op"] == "permute" and list(dims) == sorted(dims))


def drop_operation(problem, index, node):
    """Pass an operand on in place of the result."""
    for operand in node["in"]:
        if isinstance(operand, str) and not _keeps_elements(node):
            plain = {"op": "mul", "in": [operand, 1], "out": node["out"]}
            mutant = copy.deepcopy(problem)
            mutant["graph"][index] = plain
            yield f"{operand} in place of {node['op']}", mutant


def other_function(problem, index, node):
    """Compute a function that is close to the right one."""
    for name in NEIGHBOURS.get(node["op"], ()):
        kept = {key: node[key] for key in ("in", "out", "dim", "eps") if key in node}
        mutant = copy.deepcopy(problem)
        mutant["graph"][index] = {"op": name, **kept}
        yield f"{name} for {node['op']}", mutant
    if node["op"] == "gelu":
        other = "none" if node.get("approximate") == "tanh" else "tanh"
        yield f"gelu by {other}", _with_node(problem, index, approximate=other)


def other_operator(problem, index, node):
    """Use another operator with the same operands."""
    for name in OPERATORS.get(node["op"], ()):
        yield f"{name} for {node['op']}", _with_node(problem, index, op=name)


def _loses_sign(problem, name):
    users = [node for node in problem["graph"] if name in node["in"]]
    return bool(users) and all(user["op"] == "abs" or user["op"] == "mul" and user["in"] == [name, name]
                               for user in users)


def swapped_operands(problem, index, node):
    if node["op"] in ORDERED and not (node["op"] == "sub" and _loses_sign(problem, node["out"])):
        first, second, *rest = node["in"]
        yield f"{node['op']} of swapped operands", _with_node(problem, index, **{"in": [second, first, *rest]})


def wrong_epsilon(problem, index, node):
    if node["op"].endswith("_norm"):
        eps = node.get("eps", 1e-5)
        for other in (0, 10 * eps, 100 * eps):
            yield f"eps {other:g} for {eps:g}", _with_node(problem, index, eps=other)


def _wrong_number(number):
    if number == 0:
        return 0.01
    return number * (10 if 0 < number < 1e-4 else 1.01)


def wrong_constant(problem, index, node):
    """Change a number, in the operands or attributes, by 1 % or by one; an epsilon ten times."""
    for place, operand in enumerate(node["in"]):
        if _is_number(operand):
            changed = list(node["in"])
            changed[place] = _wrong_number(operand)
            yield f"{changed[place]:g} for {operand:g}", _with_node(problem, index, **{"in": changed})
    for name, value in node.items():
        if _is_number(value) and name not in (*AXES, "eps", "correction"):
            changed = value + 1 if isinstance(value, int) else _wrong_number(value)
            yield f"{name} {changed:g} for {value:g}", _with_node(problem, index, **{name: changed})


def wrong_axis(problem, index, node):
    for name in ("dim", "dim0", "dim1"):
        value = node.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            for other in sorted({value - 1, value + 1} - {value}):
                yield f"{name} {other} for {value}", _with_node(problem, index, **{name: other})


def wrong_flag(problem, index, node):
    for name, value in node.items():
        if isinstance(value, bool) and name != "keepdim":
            yield f"{name} {str(not value).lower()}", _with_node(problem, index, **{name: not value})


def _is_pointwise(problem, node):
    """Tell if a window is a single element, which no dilation changes."""
    weight = problem["tensors"].get(node["in"][1]) if len(node["in"]) > 1 else None
    return weight is not None and all(size == 1 for size in weight["shape"][2:])


def wrong_window(problem, index, node):
    """Move or widen a window by one element."""
    for name in ("padding", "dilation", "stride", "kernel_size", "start"):
        value = node.get(name)
        if name == "dilation" and _is_pointwise(problem, node):
            continue
        if isinstance(value, list) and all(map(_is_number, value)):
            yield f"{name} one less", _with_node(problem, index, **{name: [max(0, v - 1) for v in value]})
            yield f"{name} one more", _with_node(problem, index, **{name: [v + 1 for v in value]})
        elif name == "start" and _is_number(value):
            yield "start one later", _with_node(problem, index, start=value + 1)


def wrong_correction(problem, index, node):
    if node["op"] == "var":
        other = 1 - node.get("correction", 1)
        yield f"correction {other}", _with_node(problem, index, correction=other)


MUTATIONS = (drop_operand, drop_operation, other_function, other_operator, swapped_operands, wrong_epsilon,
             wrong_constant, wrong_axis, wrong_flag, wrong_window, wrong_correction)


def mutants(mutations, problem):
    """Yield (kind, description, problem) for every mutation of every node.  Some are no valid problems."""
    for index, node in enumerate(problem.get("graph", ())):
        for mutation in mutations:
            for said, mutant in mutation(problem, index, node):
                yield mutation.__name__.replace("_", " "), f"node {index}: {said}", mutant
