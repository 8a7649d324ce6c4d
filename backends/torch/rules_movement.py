"""Rules (rules.py) for functions that move elements."""

import math

import torch

from graph import LOWEST, MASKED, MOST_OPERANDS, VALUES, Unknown

RULES = {}
MOST_NUMBERS = 64  # of a tensor that forward makes of a list


def rule(*names):
    def keep(function):
        for name in names or [function.__name__]:
            RULES[name] = function
        return function
    return keep


@rule("view", "reshape", "flatten", "unflatten", "squeeze", "unsqueeze", "view_as", "reshape_as",
      "_unsafe_view", "ravel")
def reshape(g, result, input, *args, **kwargs):
    if not hasattr(result, "shape") or (args and not isinstance(args[0], (int, tuple, list, str))
                                        and not hasattr(args[0], "shape")):
        raise Unknown("a view as another type")
    return g.node("reshape", [input], shape=list(result.shape))


@rule("transpose", "swapaxes", "swapdims")
def transpose(g, result, input, dim0, dim1):
    return g.node("transpose", [input], dim0=dim0, dim1=dim1)


@rule("mT", "mH", "adjoint")
def turn_last(g, result, input):
    return g.node("transpose", [input], dim0=input.dim() - 2, dim1=input.dim() - 1)


@rule("T", "t")
def turn(g, result, input):
    if input.dim() < 2:
        return g.name(input)
    if input.dim() > 2:
        return g.node("permute", [input], dims=list(range(input.dim()))[::-1])
    return g.node("transpose", [input], dim0=0, dim1=1)


@rule()
def permute(g, result, input, *dims):
    dims = dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims
    return g.node("permute", [input], dims=[d % input.dim() for d in dims])


@rule("movedim", "moveaxis")
def movedim(g, result, input, source, destination):
    one = lambda d: [d % input.dim()] if isinstance(d, int) else [x % input.dim() for x in d]
    order = [d for d in range(input.dim()) if d not in one(source)]
    for place, axis in sorted(zip(one(destination), one(source))):
        order.insert(place, axis)
    return g.node("permute", [input], dims=order)


def _with_axes(g, tensor, shape):
    """The value of a tensor; where it is a known number, which has no axes, a constant of the shape."""
    value = g.name(tensor)
    if isinstance(value, str) or value is None or not shape:
        return value
    return g.constant(torch.empty(shape, dtype=tensor.dtype, device="meta"), value)


@rule("expand", "expand_as", "broadcast_to")
def expand(g, result, input, *args, **kwargs):
    value = _with_axes(g, input, result.shape)
    return g.node("expand", [value], size=list(result.shape)) if value == g.name(input) else value


@rule("repeat", "tile")
def repeat(g, result, input, *sizes):
    """Insert an axis before each axis, expand it by the count, and merge the two."""
    shape = [1] * (result.dim() - input.dim()) + list(input.shape)
    counts = [n // m for n, m in zip(result.shape, shape)]
    if all(n == 1 or m == 1 for n, m in zip(shape, counts)):
        return g.node("expand", [input], size=list(result.shape))
    pairs = [n for pair in zip([1] * len(shape), shape) for n in pair]
    wide = [n for pair in zip(counts, shape) for n in pair]
    if len(wide) > 8:
        raise Unknown("repeat along many axes")
    apart = g.node("expand", [g.node("reshape", [input], shape=pairs)], size=wide)
    return g.node("reshape", [apart], shape=list(result.shape))


@rule("cat", "concat")
def cat(g, result, tensors, dim=0):
    """Tensors without elements add nothing.  More than a concat has operands are joined in groups first."""
    parts = [t for t in tensors if not isinstance(t, torch.Tensor) or t.numel()]
    if len(parts) == 1:
        return g.name(parts[0])
    parts = [_with_axes(g, part, part.shape) if isinstance(part, torch.Tensor) else part for part in parts]
    while len(parts) > MOST_OPERANDS:
        groups = [parts[i:i + MOST_OPERANDS] for i in range(0, len(parts), MOST_OPERANDS)]
        parts = [g.node("concat", group, dim=dim) if len(group) > 1 else group[0]
                 for group in groups]
    return g.node("concat", parts, dim=dim)


def cut(g, value, dim, start, end, step=1):
    return g.node("slice", [value], dim=dim, start=start, end=end,
                  **({"step": step} if step != 1 else {}))


@rule()
def narrow(g, result, input, dim, start, length):
    return cut(g, input, dim, start, start + length)


@rule()
def select(g, result, input, dim, index):
    index %= input.shape[dim]
    return g.node("reshape", [cut(g, input, dim, index, index + 1)], shape=list(result.shape))


@rule("chunk", "split", "tensor_split", "split_with_sizes")
def split(g, result, input, sizes, dim=0):
    names, start = [], 0
    for part in result:
        names.append(cut(g, input, dim, start, start + part.shape[dim]) if part.numel() else "")
        start += part.shape[dim]
    return names


@rule()
def unbind(g, result, input, dim=0):
    return [g.node("reshape", [cut(g, input, dim, i, i + 1)], shape=list(part.shape))
            for i, part in enumerate(result)]


@rule()
def pad(g, result, input, pad, mode="constant", value=None):
    if mode == "constant":
        return _padded(g, input, list(pad), int(value or 0) if isinstance(value, bool) else value or 0)
    made = g.name(input)
    for axis in range(len(pad) // 2):
        dim = input.dim() - 1 - axis
        made = _pad_by_elements(g, made, mode, dim, input.shape[dim], pad[2 * axis:2 * axis + 2])
    return made


def _padded(g, input, pad, value):
    """The input with numbers around it; infinite ones take the place of zeros."""
    if not math.isinf(value):
        return g.node("pad", [input], pad=pad, value=value)
    ones = g.constant(torch.empty(input.shape, dtype=torch.int32, device="meta"), 1)
    inside = g.node("pad", [ones], pad=pad, value=0)
    operands = [g.node("eq", [inside, 1]), g.node("pad", [input], pad=pad, value=0), LOWEST if value < 0 else value]
    return g.node("where", operands, **({MASKED: True} if value < 0 else {}))


def _pad_by_elements(g, value, mode, dim, length, sides):
    """The value with elements of its own before and after it along an axis; negative numbers cut."""
    before, after = sides
    if before < 0 or after < 0:
        start, end = max(-before, 0), length - max(-after, 0)
        if start >= end:
            raise Unknown("padding of an axis that is cut to nothing")
        value, length = cut(g, value, dim, start, end), end - start
        before, after = max(before, 0), max(after, 0)
    edges = {"circular": lambda: ((length - before, length, 1), (0, after, 1)),
             "reflect": lambda: ((1, before + 1, -1), (length - 1 - after, length - 1, -1)),
             "replicate": lambda: ((0, 1, before), (length - 1, length, after))}
    if mode not in edges:
        raise Unknown(f"padding by \"{mode}\"")
    parts = []
    for count, (start, end, turn) in zip((before, after), edges[mode]()):
        part = cut(g, value, dim, start, end) if count else None
        if part and turn < 0:
            part = g.node("slice", [part], dim=dim, step=-1)
        parts.append([part] * (turn if mode == "replicate" else 1) if part else [])
    return cat(g, None, parts[0] + [value] + parts[1], dim) if before or after else value


@rule()
def gather(g, result, input, dim, index, *, sparse_grad=False):
    return g.node("gather", [input, index], dim=dim)


@rule()
def index_select(g, result, input, dim, index):
    return g.node("index_select", [input, index], dim=dim)


@rule()
def index_copy(g, result, input, dim, index, source):
    return g.node("index_copy", [input, index, source], dim=dim)


@rule()
def index_reduced(g, result, input, dim, index, source, name):
    return g.node("index_reduce", [input, index, source], dim=dim, reduce=name)


@rule()
def scatter_reduced(g, result, input, dim, index, source, name):
    return g.node("scatter_reduce", [input, index, source], dim=dim, reduce=name)


@rule()
def embedding(g, result, input, weight, padding_idx=None, max_norm=None, norm_type=2.0,
              scale_grad_by_freq=False, sparse=False):
    if max_norm is not None:
        raise Unknown("embedding with max_norm")
    return g.node("embedding", [input, weight])


def numbers(g, values, dtype):
    """A row of numbers that are known: runs of equal numbers and of whole ones at equal steps, joined."""
    runs = _runs(values)
    if not runs or len(runs) > MOST_NUMBERS:
        raise Unknown(f"a tensor of {len(values)} numbers that forward makes, in {len(runs)} runs of equal steps: at "
                      f"most {MOST_NUMBERS}, and not none")
    parts = [_run(g, *run, dtype) for run in runs]
    return cat(g, None, parts) if len(parts) > 1 else parts[0]


def _runs(values):
    """Parts (first number, step, length) of the numbers; only parts of whole numbers have steps."""
    runs, is_whole = [], all(isinstance(value, int) for value in values)
    for value in values:
        first, step, length = runs[-1] if runs else (value, 0, 0)
        if length == 1 and is_whole and abs(value - first) == 1:
            runs[-1] = (first, value - first, 2)
        elif length and value == first + step * length:
            runs[-1] = (first, step, length + 1)
        else:
            runs.append((value, 0, 1))
    return runs


def _run(g, first, step, length, dtype):
    if not step:
        return g.constant(torch.empty([length], dtype=dtype, device="meta"), first)
    counted = count(g, [length], 0, dtype)
    return g.node("add", [counted if step == 1 else g.node("neg", [counted]), first - step])


def count(g, shape, axis, dtype):
    """1, 2, 3 ... along an axis of `shape`, whose other axes have length 1: a cumsum of ones."""
    ones = g.constant(torch.empty(shape, dtype=dtype, device="meta"), 1)
    return g.node("cumsum", [ones], dim=axis)


def _places(g, sizes, dtype):
    """The numbers of the rows, [rows, 1], and of the columns, [1, columns], from 1 on."""
    rows, columns = sizes
    return [count(g, shape, axis, dtype) for axis, shape in enumerate(([rows, 1], [1, columns]))]


@rule()
def eye(g, result, *args, **kwargs):
    same = g.node("eq", _places(g, result.shape, torch.int64))
    return same if result.dtype == torch.bool else g.node("cast", [same],
                                                          dtype=VALUES[result.dtype])


def _triangle(lower):
    """
    Zeros beyond the diagonal.  Reals are multiplied by clamp(row - column + 1 + diagonal, 0, 1) for
    the lower triangle, by clamp(column - row + 1 - diagonal, 0, 1) for the upper; integers and masks
    are chosen where the same number is positive.
    """
    def write(g, result, input, diagonal=0):
        is_real = input.is_floating_point()
        row, column = _places(g, input.shape[-2:], input.dtype if is_real else torch.int64)
        apart = g.node("sub", [row, column] if lower else [column, row])
        reach = g.node("add", [apart, 1 + (diagonal if lower else -diagonal)])
        if is_real and not (g.graph.maker(g.name(input)) or {}).get(MASKED):
            return g.node("mul", [input, g.node("clamp", [reach], min=0, max=1)])
        return g.node("where", [g.node("gt", [reach, 0]), input, 0])
    return write


RULES["tril"], RULES["triu"] = _triangle(True), _triangle(False)


@rule()
def flip(g, result, input, *given, dims=()):
    dims = given[0] if given and not isinstance(given[0], int) else given or dims
    dims = [dims] if isinstance(dims, int) else dims
    value = g.name(input)
    for dim in dims:
        value = g.node("slice", [value], dim=dim, step=-1)
    return value


@rule()
def roll(g, result, input, shifts, dims=None):
    shifts, dims = ([v] if isinstance(v, int) else list(v or []) for v in (shifts, dims))
    value = g.name(input)
    if not dims:
        flat = g.node("reshape", [value], shape=[input.numel()])
        rolled = _rolled(g, flat, shifts[0], 0, input.numel())
        return g.node("reshape", [rolled], shape=list(input.shape))
    for shift, dim in zip(shifts, dims):
        value = _rolled(g, value, shift, dim, input.shape[dim])
    return value


def _rolled(g, value, shift, dim, length):
    first = (length - shift) % length
    if not first:
        return value
    return g.node("concat", [cut(g, value, dim, first, length), cut(g, value, dim, 0, first)], dim=dim)
