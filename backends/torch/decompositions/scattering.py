"""
Decompositions of functions that add elements to the places that an index names, or put
them there: scatter, index_add, bags of embeddings, histograms.  A graph has operations that read at an index
and none that write, so each place looks for its elements among all.
"""

import math

import torch

from graph import Unknown

from .ordering import check_compared, is_long
from .selection import LEAST

MOST_ONE_BY_ONE = 16  # elements that are put one after the other


def _numbers(length, dim, rank, device):
    """0, 1, 2 ... along an axis."""
    return torch.arange(length, device=device).reshape([-1] + [1] * (rank - 1 - dim))


def _one_by_one(input, dim, index, src, combine):
    places = _numbers(input.shape[dim], dim, input.dim(), input.device)
    for i in range(index.shape[dim]):
        one = src.narrow(dim, i, 1) if isinstance(src, torch.Tensor) else src
        input = torch.where(places == index.narrow(dim, i, 1), combine(input, one), input)
    return input


def _found(index, length):
    """[..., place, element]: whether the element of an index, along its last axis, names the place."""
    return index.unsqueeze(-2) == torch.arange(length, device=index.device).unsqueeze(-1)


def _joined(name, input, src, seen, kept):
    """
    The elements of src, [..., element], that `seen`, [..., place, element], names for each place, joined; with
    `kept` also the old element of input, [..., place].
    """
    parts = src.unsqueeze(-2)
    lowest = -math.inf if src.is_floating_point() else LEAST[src.dtype]
    none = {"sum": 0, "mean": 0, "prod": 1, "amax": lowest}.get(name)
    if name == "amin":
        return -_joined("amax", -input, -src, seen, kept)
    chosen = torch.where(seen, parts, none)
    if name == "amax":
        made = chosen.amax(-1)
        return torch.maximum(made, input) if kept else torch.where(seen.any(-1), made, input)
    made = chosen.prod(-1) if name == "prod" else chosen.sum(-1)
    if kept:
        made = made * input if name == "prod" else made + input
    count = seen.sum(-1)
    if name == "mean":
        count_or_one = (count + (1 if kept else 0)).clamp(min=1)
        made = made / count_or_one if src.is_floating_point() else made // count_or_one
    return made if kept else torch.where(count > 0, made, input)


def _of_parts(function):
    """Also for an index that has fewer rows than the input: the others stay as they are."""
    def of_part(name, input, dim, index, src, *more):
        dim %= input.dim()
        rows = tuple(slice(None) if d == dim else slice(n) for d, n in enumerate(index.shape))
        if all(d == dim or n == input.shape[d] for d, n in enumerate(index.shape)):
            return function(name, input, dim, index, src, *more)
        src = src[tuple(slice(n) for n in index.shape)] if isinstance(src, torch.Tensor) else src
        made = input.clone()
        made[rows] = function(name, input[rows], dim, index, src, *more)
        return made
    return of_part


@_of_parts
def _reduced(name, input, dim, index, src, kept=True):
    """scatter_reduce, whose index and src have the input's shape but for `dim`."""
    src = src if isinstance(src, torch.Tensor) else torch.full(index.shape, src, dtype=input.dtype)
    src = src if src.shape == index.shape else src[tuple(slice(n) for n in index.shape)]
    check_compared("scatter", index, input.shape[dim])
    x, index, src = (t.movedim(dim, -1) for t in (input, index, src))
    return _joined(name, x, src, _found(index, x.shape[-1]), kept).movedim(-1, dim)


@_of_parts
def _put(_, input, dim, index, src):
    """Replace elements; of several for one place the last counts, as in PyTorch on a CPU."""
    if index.shape[dim] <= MOST_ONE_BY_ONE:
        return _one_by_one(input, dim, index, src, lambda old, new: new)
    check_compared("scatter", index, input.shape[dim])
    rows = index.movedim(dim, -1)
    count = torch.arange(rows.shape[-1], device=index.device)
    last = torch.where(_found(rows, input.shape[dim]), count, -1).amax(-1).movedim(-1, dim)
    new = src.gather(dim, last.clamp(min=0)) if isinstance(src, torch.Tensor) else src
    return torch.where(last >= 0, new, input)


def scatter(input, dim, index, src=None, *, value=None, reduce=None):
    src = value if src is None else src
    if reduce is None:
        return _put("put", input, dim, index, src)
    return _added("prod" if reduce == "multiply" else "sum", input, dim, index, src)


def _rows_named(index, dim):
    """The places along `dim` where those of all other axes are the same, as in index[:, None].expand(-1, n)."""
    if any(index.stride(d) and index.shape[d] > 1 for d in range(index.dim()) if d != dim):
        return None
    return index[tuple(slice(None) if d == dim else 0 for d in range(index.dim()))]


def _added(name, input, dim, index, src):
    dim %= input.dim()
    rows = _rows_named(index, dim) if name == "sum" and isinstance(src, torch.Tensor) else None
    if rows is not None and src.dtype == torch.float32 and src.shape == index.shape and input.dim() > 1 and all(
            index.shape[d] == input.shape[d] for d in range(input.dim()) if d != dim) and (
                is_long(index, input.shape[dim])):
        return _as_product(input, dim, rows, src)
    is_whole = all(index.shape[d] == input.shape[d] for d in range(input.dim()) if d != dim)
    if is_whole and index.shape[dim] <= MOST_ONE_BY_ONE:
        join = {"sum": lambda old, new: old + new, "prod": lambda old, new: old * new}[name]
        return _one_by_one(input, dim, index, src, join)
    return _reduced(name, input, dim, index, src)


def scatter_add(input, dim, index, src):
    return _added("sum", input, dim, index, src)


def scatter_reduce(input, dim, index, src, reduce, *, include_self=True):
    if reduce == "sum" and include_self:
        return _added("sum", input, dim, index, src)
    return _reduced(reduce, input, dim, index, src, include_self)


def _as_product(input, dim, index, source):
    """Add slices of the source by a product with a matrix of 0 and 1, which compares once for a whole slice."""
    check_compared("sum", index, input.shape[dim])
    rest = [n for d, n in enumerate(input.shape) if d != dim]
    rows = source.movedim(dim, 0).reshape([index.shape[0], -1])
    made = torch.matmul(_found(index, input.shape[dim]).to(source.dtype), rows)
    return input + made.reshape([input.shape[dim], *rest]).movedim(0, dim)


def _beside(name, input, dim, index, source, kept=True):
    """index_reduce: whole slices of the source go to the places of the index."""
    dim %= input.dim()
    if name == "sum" and source.dtype == torch.float32 and index.dim() == 1 and is_long(source, input.shape[dim]):
        return _as_product(input, dim, index, source)
    check_compared(name, source, input.shape[dim])
    x, source = (t.movedim(dim, -1) for t in (input, source))
    return _joined(name, x, source, _found(index, x.shape[-1]), kept).movedim(-1, dim)


def index_add(input, dim, index, source, *, alpha=1):
    return _beside("sum", input, dim, index, source if alpha == 1 else source * alpha)


def index_reduce(input, dim, index, source, reduce, *, include_self=True):
    return _beside(reduce, input, dim, index, source, include_self)


def index_fill(input, dim, index, value):
    dim %= input.dim()
    seen = _found(index, input.shape[dim]).any(-1)
    return torch.where(seen.reshape([-1] + [1] * (input.dim() - 1 - dim)), value, input)


def index_put(input, indices, values, accumulate=False):
    """input[i, j] = values, for indices of the first axes."""
    if len(indices) == 1 and indices[0].dtype == torch.bool and not accumulate:
        made = input.clone()
        made[indices[0]] = values
        return made
    if any(not isinstance(i, torch.Tensor) or i.dtype == torch.bool for i in indices):
        raise Unknown("index_put at the places of a mask or of whole axes")
    lengths, rest = input.shape[:len(indices)], list(input.shape[len(indices):])
    indices = torch.broadcast_tensors(*indices)
    place = 0
    for index, length in zip(indices, lengths):
        place = place * length + torch.where(index < 0, index + length, index)
    source = values.to(input.dtype).expand([*indices[0].shape, *rest]).reshape([-1, *rest])
    flat, place = input.reshape([math.prod(lengths), *rest]), place.reshape([-1])
    made = index_add(flat, 0, place, source) if accumulate else flat.index_copy(0, place, source)
    return made.reshape(input.shape)


def put(input, index, source, accumulate=False):
    flat = input.flatten().index_put((index.flatten(),), source.flatten(), accumulate)
    return flat.reshape(input.shape)


def _bags(input, offsets, include_last):
    """The bag of each element, [element]: how many bags begin before it."""
    starts = offsets[:-1] if include_last else offsets
    place = torch.arange(input.shape[0], device=input.device).unsqueeze(-1)
    return (starts <= place).sum(-1) - 1, starts.shape[0]


def embedding_bag(input, weight, offsets=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False,
                  mode="mean", sparse=False, per_sample_weights=None, include_last_offset=False,
                  padding_idx=None):
    """Bags of the same length, the rows of the input, or those that begin at the offsets."""
    if max_norm is not None:
        raise Unknown("embedding_bag with max_norm")
    name = {"max": "amax"}.get(mode, mode)
    rows = torch.nn.functional.embedding(input, weight)
    rows = rows if per_sample_weights is None else rows * per_sample_weights.unsqueeze(-1)
    used = None if padding_idx is None else input != padding_idx % weight.shape[0]
    if input.dim() == 2 and used is None:
        return {"sum": rows.sum, "mean": rows.mean, "amax": rows.amax}[name](1)
    if input.dim() == 2:
        none = torch.zeros([input.shape[0], weight.shape[1], 1], dtype=weight.dtype)
        return _joined(name, none, rows.transpose(1, 2), used.reshape([-1, 1, 1, input.shape[1]]), False).squeeze(-1)
    bag, count = _bags(input, offsets, include_last_offset)
    seen = _found(bag, count)
    seen = seen if used is None else seen & used
    check_compared("embedding_bag", rows, count)
    none = torch.zeros([weight.shape[1], count], dtype=weight.dtype)
    return _joined(name, none, rows.transpose(0, 1), seen, False).transpose(0, 1)


def histc(input, bins=100, min=0, max=0):
    if min == max:
        low, high = input.amin().float(), input.amax().float()
        apart = torch.where(low == high, 1.0, 0.0)
        min, max = low - apart, high + apart
    place = ((input.flatten() - min) * (bins / (max - min))).to(torch.int64)
    inside = (input.flatten() >= min) & (input.flatten() <= max)
    place = torch.where(inside, place.clamp(max=bins - 1), -1)
    check_compared("histc", place, bins)
    return _found(place, bins).sum(-1).to(input.dtype)


def bincount(input, weights=None, minlength=0):
    """The counts of the numbers below minlength: of others the result is longer (lengths.py)."""
    if not minlength:
        raise Unknown("bincount without minlength, whose length depends on the data",
                      torch.empty([1], dtype=torch.int64 if weights is None else weights.dtype, device="meta"))
    check_compared("bincount", input, minlength)
    seen = _found(input, minlength)
    if weights is None:
        return seen.sum(-1)
    return torch.where(seen, weights if weights.dtype == torch.float32 else weights.double(), 0).sum(-1)


FUNCTIONS = {f.__name__: f for f in (scatter, scatter_add, scatter_reduce, index_add, index_reduce, index_fill,
                                     index_put, put, embedding_bag, histc, bincount)}
