"""
Decompositions of functions that add elements to the places that an index names, or put
them there: scatter, index_add, bags of embeddings, histograms.  A graph has operations for sums and maxima at an
index, which ignore an index beyond the axis; for products each place looks for its elements among all.
"""

import math

import torch
from torch.overrides import handle_torch_function

from graph import Unknown

from .ordering import check_compared
from .selection import LEAST

MOST_ONE_BY_ONE = 16  # elements that are put one after the other


def index_reduced(input, dim, index, source, name):
    """An empty tensor in the shape of the operation's result.  rules_movement.py has the operation."""
    return torch.empty_like(input)


def scatter_reduced(input, dim, index, source, name):
    return torch.empty_like(input)


def _reduced_at(input, dim, index, source, name):
    """Combine elements of the source with those of the input that the index names, by "sum" or "amax"."""
    dim %= input.dim()
    kept, narrow = input.dtype, not input.is_floating_point() and input.dtype not in (torch.int32, torch.int64)
    input, source = (t.to(torch.int32) if narrow else t for t in (input, source.to(kept)))
    operation = index_reduced if index.dim() == 1 else scatter_reduced
    # the tracer sees the call as one of a torch function
    made = handle_torch_function(operation, (input, index, source), input, dim, index, source, name)
    return made.to(kept) if narrow else made


def _lowest(dtype):
    return -math.inf if dtype.is_floating_point else LEAST[dtype]


def _numbers(length, dim, rank, device):
    """0, 1, 2 ... along an axis."""
    return torch.arange(length, device=device).reshape([-1] + [1] * (rank - 1 - dim))


def _one_by_one(input, dim, index, src, combine):
    places = _numbers(input.shape[dim], dim, input.dim(), input.device)
    for i in range(index.shape[dim]):
        one = src.narrow(dim, i, 1) if isinstance(src, torch.Tensor) else src
        input = torch.where(places == index.narrow(dim, i, 1), combine(input, one), input)
    return input


def _product(input, dim, index, src, kept):
    """The products of the elements that an index of the source's shape names for each place."""
    check_compared("prod", index, input.shape[dim])
    x, index, src = (t.movedim(dim, -1) for t in (input, index, src))
    seen = index.unsqueeze(-2) == torch.arange(x.shape[-1], device=index.device).unsqueeze(-1)
    made = torch.where(seen, src.unsqueeze(-2), 1).prod(-1).to(input.dtype)
    made = made * x if kept else torch.where(seen.any(-1), made, x)
    return made.movedim(-1, dim)


def _of_parts(function):
    """Also for an index that has fewer rows than the input: the others stay as they are."""
    def of_part(input, dim, index, src, *more):
        dim %= input.dim()
        rows = tuple(slice(None) if d == dim else slice(n) for d, n in enumerate(index.shape))
        if all(d == dim or n == input.shape[d] for d, n in enumerate(index.shape)):
            return function(input, dim, index, src, *more)
        src = src[tuple(slice(n) for n in index.shape)] if isinstance(src, torch.Tensor) else src
        made = input.clone()
        made[rows] = function(input[rows], dim, index, src, *more)
        return made
    return of_part


def _rows_named(index, dim, like):
    """The places along `dim` where those of all other axes are the same, as in index[:, None].expand(-1, n)."""
    if any(d != dim and (index.shape[d] != like.shape[d] or index.stride(d) and n > 1)
           for d, n in enumerate(index.shape)):
        return None
    return index[tuple(slice(None) if d == dim else 0 for d in range(index.dim()))]


def _counted(input, dim, index):
    """How many elements an index names for each place of the input."""
    own = index.dim() == 1
    zeros = torch.zeros(input.shape[dim:dim + 1] if own else input.shape)
    return _reduced_at(zeros, 0 if own else dim, index, torch.ones(index.shape), "sum")


def _seen(input, dim, index):
    """Whether an index names each place of the input, in a shape that is broadcast to it."""
    count = _counted(input, dim, index)
    return _along(count, dim, input) > 0


def _along(made, dim, like):
    return made if made.dim() == like.dim() else made.reshape([-1] + [1] * (like.dim() - 1 - dim))


def _joined(name, input, dim, index, src, kept):
    """Join the elements of src that the index names for each place; with `kept` also the old element of the input."""
    if name == "amin":
        return -_joined("amax", -input, dim, index, -src, kept)
    none = torch.full_like(input, _lowest(input.dtype) if name == "amax" else 0)
    made = _reduced_at(input if kept else none, dim, index, src, "amax" if name == "amax" else "sum")
    if kept and name != "mean":
        return made
    count = _along(_counted(input, dim, index), dim, input)
    if name == "mean":
        one = (count + (1 if kept else 0)).clamp(min=1)
        made = (made / one).to(made.dtype) if src.is_floating_point() else made // one.to(made.dtype)
    return made if kept else torch.where(count > 0, made, input)


@_of_parts
def _product_of_part(input, dim, index, src, kept):
    return _product(input, dim, index, src, kept)


def _reduced(name, input, dim, index, src, kept=True):
    """scatter_reduce, whose index and src have the input's shape but for `dim`."""
    dim %= input.dim()
    src = src if isinstance(src, torch.Tensor) else torch.full(index.shape, src, dtype=input.dtype)
    src = src if src.shape == index.shape else src[tuple(slice(n) for n in index.shape)]
    if name == "prod":
        return _product_of_part(input, dim, index, src, kept)
    rows = _rows_named(index, dim, input)
    return _joined(name, input, dim, index if rows is None else rows, src, kept)


@_of_parts
def _put(input, dim, index, src):
    """Replace elements; of several for one place the last counts, as in PyTorch on a CPU."""
    if index.shape[dim] <= MOST_ONE_BY_ONE:
        return _one_by_one(input, dim, index, src, lambda old, new: new)
    rows = _rows_named(index, dim, input)
    count = torch.arange(index.shape[dim]).to(torch.int32)
    if rows is not None:
        none = torch.full([input.shape[dim]], -1, dtype=torch.int32)
        last = _reduced_at(none, 0, rows, count, "amax").to(torch.int64)
        src = src.index_select(dim, last.clamp(min=0)) if isinstance(src, torch.Tensor) else src
        return torch.where(_along(last, dim, input) >= 0, src, input)
    none = torch.full(input.shape, -1, dtype=torch.int32)
    last = _reduced_at(none, dim, index, _along(count, dim, index).expand(index.shape), "amax").to(torch.int64)
    src = src.gather(dim, last.clamp(min=0)) if isinstance(src, torch.Tensor) else src
    return torch.where(last >= 0, src, input)


def scatter(input, dim, index, src=None, *, value=None, reduce=None):
    src = value if src is None else src
    if reduce is None:
        return _put(input, dim % input.dim(), index, src)
    return _added("prod" if reduce == "multiply" else "sum", input, dim, index, src)


def _added(name, input, dim, index, src):
    dim %= input.dim()
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


def index_add(input, dim, index, source, *, alpha=1):
    return _reduced_at(input, dim, index.reshape([-1]), source if alpha == 1 else source * alpha, "sum")


def index_reduce(input, dim, index, source, reduce, *, include_self=True):
    dim %= input.dim()
    if reduce != "prod":
        return _joined(reduce, input, dim, index, source, include_self)
    return _product(input, dim, _along(index, dim, source).expand(source.shape), source, include_self)


def index_fill(input, dim, index, value):
    dim %= input.dim()
    return torch.where(_seen(input, dim, index.reshape([-1])), value, input)


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


def _bags(count, starts):
    """The bag of each element: how many bags begin at it or before it, less one."""
    begun = _reduced_at(torch.zeros([count], dtype=torch.int32), 0, starts,
                        torch.ones(starts.shape, dtype=torch.int32), "sum")
    return torch.cumsum(begun, 0) - 1


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
        bag = torch.arange(input.shape[0]).unsqueeze(-1).expand(input.shape).reshape([-1])
        input, rows, used, count = input.reshape([-1]), rows.flatten(0, 1), used.reshape([-1]), input.shape[0]
    else:
        starts = offsets[:-1] if include_last_offset else offsets
        bag, count = _bags(input.shape[0], starts), starts.shape[0]
    bag = bag if used is None else torch.where(used, bag, -1)
    none = torch.zeros([count, weight.shape[1]], dtype=weight.dtype)
    return _joined(name, none, 0, bag, rows, name == "sum")


def histc(input, bins=100, min=0, max=0):
    if min == max:
        low, high = input.amin().float(), input.amax().float()
        apart = torch.where(low == high, 1.0, 0.0)
        min, max = low - apart, high + apart
    place = ((input.flatten() - min) * (bins / (max - min))).to(torch.int64)
    inside = (input.flatten() >= min) & (input.flatten() <= max)
    place = torch.where(inside, place.clamp(max=bins - 1), -1)
    return _reduced_at(torch.zeros([bins]), 0, place, torch.ones(place.shape), "sum").to(input.dtype)


def bincount(input, weights=None, minlength=0):
    """The counts of the numbers below minlength: of others the result is longer (lengths.py)."""
    if not minlength:
        raise Unknown("bincount without minlength, whose length depends on the data",
                      torch.empty([1], dtype=torch.int64 if weights is None else weights.dtype, device="meta"))
    weights = torch.ones(input.shape, dtype=torch.int64) if weights is None else weights if \
        weights.dtype == torch.float32 else weights.double()
    return _reduced_at(torch.zeros([minlength], dtype=weights.dtype), 0, input, weights, "sum")


FUNCTIONS = {f.__name__: f for f in (scatter, scatter_add, scatter_reduce, index_add, index_reduce, index_fill,
                                     index_put, put, embedding_bag, histc, bincount)}
