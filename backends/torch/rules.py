"""
Rules that express torch functions in operations of a problem (FORMATS.md).  A rule takes the tracer
`g`, the function's result (for its shape and type), and then the function's own parameters.  It
returns the name of the value that the function returns, or a list of names for several.
"""

import math

import torch

import rules_constants
import rules_index
import rules_movement
import rules_window
from conversion import cast_to, in_range
from decompositions import complex_numbers, recurrent
from graph import LOWEST, MASKED, NARROW, VALUES, Unknown

RULES = {**rules_constants.RULES, **rules_index.RULES, **rules_movement.RULES, **rules_window.RULES}

# Names of Python's operators, and other names of the same functions.
ALIASES = {
    "__add__": "add", "__radd__": "add", "__sub__": "sub", "subtract": "sub", "__rsub__": "rsub",
    "__mul__": "mul", "__rmul__": "mul", "multiply": "mul", "__truediv__": "div", "divide": "div",
    "true_divide": "div", "__rtruediv__": "rdiv", "__rdiv__": "rdiv", "__pow__": "pow",
    "__rpow__": "rpow", "__matmul__": "matmul", "__rmatmul__": "rmatmul", "mm": "matmul",
    "spmm": "matmul", "bmm": "matmul", "__neg__": "neg", "negative": "neg", "absolute": "abs", "__abs__": "abs",
    "clip": "clamp", "swish": "silu", "concat": "cat", "concatenate": "cat", "special_erf": "erf",
    "arctan": "atan", "special_softmax": "softmax", "sgn": "sign", "special_expit": "sigmoid", "expit": "sigmoid",
    "special_log_softmax": "log_softmax", "__eq__": "eq", "__ne__": "ne", "__lt__": "lt",
    "__le__": "le", "__gt__": "gt", "__ge__": "ge", "not_equal": "ne", "less": "lt",
    "less_equal": "le", "greater": "gt", "greater_equal": "ge", "__and__": "logical_and",
    "__rand__": "logical_and", "__or__": "logical_or", "__ror__": "logical_or",
    "__xor__": "logical_xor", "__rxor__": "logical_xor", "__invert__": "logical_not",
    "bitwise_and": "logical_and", "bitwise_or": "logical_or", "bitwise_xor": "logical_xor",
    "bitwise_not": "logical_not", "__iand__": "logical_and", "__ior__": "logical_or",
}

# Functions that return their operand unchanged.
SAME = {"contiguous", "clone", "detach", "data", "requires_grad", "cuda", "cpu", "dropout",
        "alpha_dropout", "feature_dropout", "dropout2d", "dropout3d", "dropout1d", "identity",
        "feature_alpha_dropout", "positive", "real", "conj", "conj_physical", "resolve_conj", "resolve_neg"}


# Functions whose results may be outside of a narrow type.
OVERFLOWING = {"add", "sub", "rsub", "mul", "neg", "abs", "pow", "rpow", "square"}


def rule(*names):
    """Register a rule under `names`, by default under its own name."""
    def keep(function):
        for name in names or [function.__name__.strip("_")]:
            RULES[name] = function
        return function
    return keep


def is_in_place(name, kwargs):
    """True if a call changes its first operand."""
    return bool(kwargs.get("inplace")) or name == "__setitem__" or (
        name.endswith("_") and not name.endswith("__"))


def _own_name(name):
    """The name that a rule has, also for a function that changes its operand."""
    base = name[:-1] if name.endswith("_") and not name.endswith("__") else name
    return ALIASES.get(base, base)


def has(name):
    return _own_name(name) in RULES


def apply(g, name, args, kwargs, result):
    """Apply the rule for a call; returns a name for each tensor of its result."""
    base = _own_name(name)
    if kwargs.pop("out", None) is not None:
        raise Unknown(f"{name} with out=")
    kwargs.pop("inplace", None)
    if base not in RULES:
        raise Unknown(f"no operation for {name}")
    if base not in complex_numbers.READABLE and complex_numbers.is_complex([*args, result]):
        raise Unknown(f"no operation for {name} of complex numbers")
    try:
        made = RULES[base](g, result, *args, **kwargs)
    except TypeError as why:
        raise Unknown(f"{name} with arguments that problems do not have ({why})") from None
    if base in OVERFLOWING and result.dtype in NARROW:
        made = in_range(g, made, result.dtype)
    return made if isinstance(made, list) else [made]


def _as_result_type(g, operand, result):
    """The operand, with integers and masks converted to the type of the result."""
    if not isinstance(operand, torch.Tensor) or operand.is_floating_point() or (
            operand.dtype == result.dtype):
        return operand
    return g.node("cast", [operand], dtype=VALUES[result.dtype])


def _same(g, result, input, *args, **kwargs):
    return g.name(input)


for _name in SAME:
    RULES[_name] = _same


def _unary(op):
    def write(g, result, input, inplace=False):
        return g.node(op, [_as_result_type(g, input, result)])
    return write


for _name in ("abs", "neg", "sign", "relu", "selu", "silu", "mish", "sigmoid", "softsign",
              "hardswish", "hardsigmoid", "tanh", "exp", "log", "sqrt", "rsqrt", "sin", "cos",
              "atan", "erf"):
    RULES[_name] = _unary(_name)


def _binary(op, turned=False):
    def write(g, result, input, other):
        operands = [_as_result_type(g, input, result), _as_result_type(g, other, result)]
        return g.node(op, operands[::-1] if turned else operands)
    return write


for _name in ("mul", "pow", "minimum", "maximum"):
    RULES[_name] = _binary(_name)
RULES["rdiv"], RULES["rpow"] = _binary("div", True), _binary("pow", True)


def _sum_of(op, turned=False):
    def write(g, result, input, other, *, alpha=1):
        operands = [_as_result_type(g, input, result), _as_result_type(g, other, result)]
        extra = {} if alpha == 1 else {"alpha": alpha}
        return g.node(op, operands[::-1] if turned else operands, **extra)
    return write


RULES["add"], RULES["sub"], RULES["rsub"] = _sum_of("add"), _sum_of("sub"), _sum_of("sub", True)


@rule()
def div(g, result, input, other, *, rounding_mode=None):
    if rounding_mode:
        raise Unknown("div with rounding")
    return g.node("div", [_as_result_type(g, input, result), _as_result_type(g, other, result)])


@rule()
def reciprocal(g, result, input):
    return g.node("div", [1, input])


@rule()
def square(g, result, input):
    return g.node("mul", [input, input])


@rule()
def log1p(g, result, input):
    return g.node("log", [g.node("add", [input, 1])])


@rule()
def logsigmoid(g, result, input):
    return g.node("neg", [g.node("softplus", [g.node("neg", [input])])])


@rule()
def relu6(g, result, input, inplace=False):
    return g.node("hardtanh", [input], min_val=0, max_val=6)


@rule()
def tanhshrink(g, result, input):
    return g.node("sub", [input, g.node("tanh", [input])])


@rule()
def prelu(g, result, input, weight):
    shape = [1] * input.dim()
    if weight.numel() > 1:
        shape = [weight.numel()] if input.dim() < 2 else [1, weight.numel()] + shape[2:]
    below = g.node("neg", [g.node("relu", [g.node("neg", [input])])])
    scaled = g.node("mul", [below, g.node("reshape", [weight], shape=shape)])
    return g.node("add", [g.node("relu", [input]), scaled])


@rule()
def clamp(g, result, input, min=None, max=None):
    made = g.name(input)
    if any(isinstance(limit, torch.Tensor) for limit in (min, max)):
        made = made if min is None else g.node("maximum", [made, min])
        return made if max is None else g.node("minimum", [made, max])
    limits = {name: limit for name, limit in (("min", min), ("max", max))
              if limit is not None and not math.isinf(limit)}
    return g.node("clamp", [_as_result_type(g, input, result)], **limits) if limits else made


@rule()
def clamp_min(g, result, input, min):
    return clamp(g, result, input, min)


@rule()
def clamp_max(g, result, input, max):
    return clamp(g, result, input, None, max)


@rule()
def leaky_relu(g, result, input, negative_slope=0.01, inplace=False):
    return g.node("leaky_relu", [input], negative_slope=negative_slope)


@rule()
def elu(g, result, input, alpha=1.0, inplace=False):
    return g.node("elu", [input], alpha=alpha)


@rule()
def gelu(g, result, input, approximate="none"):
    return g.node("gelu", [input], approximate=approximate)


@rule()
def softplus(g, result, input, beta=1, threshold=20):
    return g.node("softplus", [input], beta=beta, threshold=threshold)


@rule()
def hardtanh(g, result, input, min_val=-1.0, max_val=1.0, inplace=False):
    return g.node("hardtanh", [input], min_val=min_val, max_val=max_val)


def _comparison(op):
    def write(g, result, input, other):
        numbers = [x for x in (input, other) if not isinstance(x, torch.Tensor)]
        operands = [input, other]
        if numbers and not input.is_floating_point():  # the number need not be of this type
            wide = torch.int64 if float(numbers[0]).is_integer() else torch.float32
            operands[0] = cast_to(g, input, wide)
        return g.node(op, [int(x) if isinstance(x, bool) else x for x in operands])
    return write


for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    RULES[_name] = _comparison(_name)


def _truth(g, operand, name, result):
    """The operand as a mask.  Operators on the bits of integers are not supported."""
    if not isinstance(operand, torch.Tensor) or result.dtype != torch.bool:
        raise Unknown(f"{name} of integers")
    return cast_to(g, operand, torch.bool)


@rule()
def logical_and(g, result, input, other):
    a, b = (_truth(g, x, "and", result) for x in (input, other))
    return g.node("where", [a, b, a])


@rule()
def logical_or(g, result, input, other):
    a, b = (_truth(g, x, "or", result) for x in (input, other))
    return g.node("where", [a, a, b])


@rule()
def logical_xor(g, result, input, other):
    return g.node("ne", [_truth(g, x, "xor", result) for x in (input, other)])


@rule()
def logical_not(g, result, input):
    return g.node("eq", [_truth(g, input, "not", result), 0])


@rule()
def where(g, result, condition, input, other):
    is_masked = any(isinstance(x, float) and x == -math.inf for x in (input, other))
    chosen = [LOWEST if isinstance(x, float) and x == -math.inf else x for x in (input, other)]
    if not any(isinstance(x, torch.Tensor) for x in chosen):
        shape = [1] * max(result.dim(), 1)
        chosen[0] = g.constant(torch.empty(shape, dtype=result.dtype, device="meta"), chosen[0])
    made = g.node("where", [condition, *chosen], **({MASKED: True} if is_masked else {}))
    return made if result.dim() else g.node("reshape", [made], shape=[])


@rule()
def masked_fill(g, result, input, mask, value):
    if value == -math.inf:
        return g.node("where", [mask, LOWEST, input], **{MASKED: True})
    return g.node("where", [mask, value, input])


@rule("to", "type", "type_as", "float", "double", "half", "bfloat16", "long", "int", "bool")
def cast(g, result, input, *args, **kwargs):
    return cast_to(g, input, result.dtype)


@rule("view_as_real", "view_as_complex")
def view_of_parts(g, result, input):
    """Complex numbers are pairs along a last axis."""
    return g.name(input)


@rule()
def softmax(g, result, input, dim=None, _stacklevel=3, dtype=None):
    return g.node("softmax", [cast_to(g, input, dtype)], dim=dim)


@rule()
def log_softmax(g, result, input, dim=None, _stacklevel=3, dtype=None):
    return g.node("log_softmax", [cast_to(g, input, dtype)], dim=dim)


@rule()
def softmin(g, result, input, dim=None, _stacklevel=3, dtype=None):
    return g.node("softmax", [g.node("neg", [cast_to(g, input, dtype)])], dim=dim)


@rule()
def cumsum(g, result, input, dim, *, dtype=None):
    return g.node("cumsum", [cast_to(g, input, dtype)], dim=dim)


@rule()
def cumprod(g, result, input, dim, *, dtype=None):
    return g.node("cumprod", [cast_to(g, input, dtype)], dim=dim)


@rule()
def log_of_sums_so_far(g, result, input, dim):
    return g.node("logcumsumexp", [input], dim=dim)


@rule()
def largest_so_far(g, result, input, dim):
    return g.node("cummax", [input], dim=dim)


@rule()
def row_order(g, result, input, dim, descending):
    return g.node("argsort", [input], dim=dim, **({"descending": True} if descending else {}))


def _weights(*tensors):
    """The tensors that are given; problems have no norm with a bias and no weight."""
    given = [t for t in tensors if t is not None]
    if given and tensors[0] is None:
        raise Unknown("a norm with a bias and no weight")
    return given


@rule()
def layer_norm(g, result, input, normalized_shape, weight=None, bias=None, eps=1e-5):
    shape = [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
    return g.node("layer_norm", [input, *_weights(weight, bias)], normalized_shape=shape, eps=eps)


@rule()
def rms_norm(g, result, input, normalized_shape, weight=None, eps=None):
    shape = [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
    eps = torch.finfo(input.dtype).eps if eps is None else eps
    return g.node("rms_norm", [input, *_weights(weight)], normalized_shape=shape, eps=eps)


@rule()
def group_norm(g, result, input, num_groups, weight=None, bias=None, eps=1e-5):
    return g.node("group_norm", [input, *_weights(weight, bias)], num_groups=num_groups, eps=eps)


@rule()
def instance_norm(g, result, input, running_mean=None, running_var=None, weight=None, bias=None,
                  use_input_stats=True, momentum=0.1, eps=1e-5):
    if not use_input_stats:
        raise Unknown("instance_norm with running statistics")
    return g.node("instance_norm", [input, *_weights(weight, bias)], eps=eps)


def _along(dim, keepdim):
    attributes = {} if dim is None else {"dim": list(dim) if isinstance(dim, (tuple, list))
                                         else dim}
    return {**attributes, **({"keepdim": True} if keepdim else {})}


def _reduction(op):
    def write(g, result, input, dim=None, keepdim=False, *, dtype=None):
        operand = _as_result_type(g, input, result) if dtype is None else cast_to(g, input, dtype)
        return g.node(op, [operand], **_along(dim, keepdim))
    return write


for _name in ("sum", "mean", "prod", "logsumexp", "argmax", "argmin"):
    RULES[_name] = _reduction(_name)
RULES["amax"], RULES["amin"] = _reduction("max"), _reduction("min")


def _extreme(op, position, of_two):
    def write(g, result, input, dim=None, keepdim=False):
        if isinstance(dim, torch.Tensor):
            return g.node(of_two, [input, dim])
        if dim is None:
            return g.node(op, [input])
        return [g.node(name, [input], **_along(dim, keepdim)) for name in (op, position)]
    return write


RULES["max"] = _extreme("max", "argmax", "maximum")
RULES["min"] = _extreme("min", "argmin", "minimum")


@rule()
def var(g, result, input, dim=None, unbiased=True, keepdim=False, *, correction=None):
    dim, unbiased = (None, dim) if isinstance(dim, bool) else (dim, unbiased)
    correction = int(unbiased) if correction is None else correction
    return g.node("var", [input], correction=correction, **_along(dim, keepdim))


@rule()
def std(g, result, input, dim=None, unbiased=True, keepdim=False, *, correction=None):
    return g.node("sqrt", [var(g, result, input, dim, unbiased, keepdim, correction=correction)])


def _before_transpose(g, operand):
    """The operand before its last two axes were exchanged, and True if they were."""
    name = g.name(operand)
    made = g.graph.maker(name)
    rank = operand.dim()
    if made and made["op"] == "transpose" and {made["dim0"] % rank, made["dim1"] % rank} == {
            rank - 2, rank - 1}:
        return made["in"][0], True
    return name, False


@rule()
def matmul(g, result, input, other):
    """Of integers in double precision, which is exact up to 2^53."""
    if not result.is_floating_point():
        reals = [x.to(torch.float64) for x in (input, other)]
        for real, x in zip(reals, (input, other)):
            g.bind(real, cast_to(g, x, torch.float64))
        return g.node("cast", [matmul(g, torch.empty_like(result, dtype=torch.float64), *reals)], dtype=VALUES[result.dtype])
    if input.dim() < 2 or other.dim() < 2:
        return _with_vectors(g, result, input, other)
    (left, a), (right, b) = _before_transpose(g, input), _before_transpose(g, other)
    flags = {name: True for name, flag in (("transpose_a", a), ("transpose_b", b)) if flag}
    return g.node("matmul", [left, right], **flags)


def _with_vectors(g, result, input, other):
    left = g.node("unsqueeze", [input], dim=0) if input.dim() < 2 else g.name(input)
    right = g.node("unsqueeze", [other], dim=1) if other.dim() < 2 else g.name(other)
    product = g.node("matmul", [left, right])
    return g.node("reshape", [product], shape=list(result.shape))


@rule()
def rmatmul(g, result, input, other):
    return matmul(g, result, other, input)


@rule()
def linear(g, result, input, weight, bias=None):
    return g.node("linear", [input, weight] + ([] if bias is None else [bias]))


@rule()
def scaled_dot_product_attention(g, result, query, key, value, attn_mask=None, dropout_p=0.0,
                                 is_causal=False, scale=None, enable_gqa=False):
    if dropout_p:
        raise Unknown("attention with dropout")
    flags = {name: True for name, flag in (("is_causal", is_causal), ("enable_gqa", enable_gqa))
             if flag}
    if scale is not None:
        flags["scale"] = scale
    operands = [query, key, value] + ([] if attn_mask is None else [attn_mask])
    return g.node("scaled_dot_product_attention", operands, **flags)


@rule()
def recurrent_steps(g, result, name, gates, weight, states, bias, is_reversed):
    op, attributes = recurrent.LAYERS[name]
    operands = [gates, weight, *states] + ([] if bias is None else [bias])
    return g.node(op, operands, **attributes, **({"reverse": True} if is_reversed else {}))


@rule()
def broadcast_tensors(g, result, *tensors):
    tensors = tensors[0] if len(tensors) == 1 and not isinstance(tensors[0], torch.Tensor) else tensors
    return [g.node("expand", [one], size=list(made.shape)) for one, made in zip(tensors, result)]
