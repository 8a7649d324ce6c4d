"""
Decompositions of functions that put elements in order, and of running extremes: by the operations for the order of
rows and for running maxima.
"""

import math

import torch
from torch.overrides import handle_torch_function

from graph import Unknown

MOST_COMPARED = 1 << 28  # comparisons that one call makes


def _numbers(length, device):
    return torch.arange(length, device=device)


def is_long(x, length):
    """True if to compare each element of `x` with `length` others takes too long."""
    return x.numel() * length > MOST_COMPARED


def check_compared(name, x, length):
    """Raise Unknown if is_long()."""
    if is_long(x, length):
        raise Unknown(f"{name} of {x.numel()} elements, each compared with {length}: at most {MOST_COMPARED} "
                      "comparisons")


def row_order(input, dim, descending):
    """An empty tensor in the shape of the operation's result.  rules.py has the operation."""
    return torch.empty(input.shape, dtype=torch.int64, device=input.device)


def largest_so_far(input, dim):
    """The same for running maxima."""
    return torch.empty_like(input)


def log_of_sums_so_far(input, dim):
    """The same for running sums of exponentials."""
    return torch.empty_like(input)


def _order(input, dim, descending):
    """What stands at each place of the sorted rows: its place in the row. The tracer sees a torch function."""
    if not input.dim():
        return torch.zeros([], dtype=torch.int64, device=input.device)
    return handle_torch_function(row_order, (input,), input, dim % input.dim(), bool(descending))


def sort(input, dim=-1, descending=False, *, stable=None):
    order = _order(input, dim, descending)
    return torch.return_types.sort((input.gather(dim, order), order))


def argsort(input, dim=-1, descending=False, *, stable=None):
    return _order(input, dim, descending)


def msort(input):
    return sort(input, 0)[0]


def _at(values, indices, dim, place, keepdim):
    made = [t.narrow(dim, place, 1) for t in (values, indices)]
    return made if keepdim else [t.squeeze(dim) for t in made]


def kthvalue(input, k, dim=-1, keepdim=False):
    values, indices = sort(input, dim)
    return torch.return_types.kthvalue(_at(values, indices, dim, k - 1, keepdim))


def median(input, dim=None, keepdim=False):
    """The lower of the two middle elements where there are two; NaN if one element is."""
    if dim is None:
        return median(input.flatten(), 0)[0]
    values, indices = kthvalue(input, (input.shape[dim] + 1) // 2, dim, keepdim)
    if not input.is_floating_point():
        return torch.return_types.median((values, indices))
    most = input.amax(dim, keepdim)
    return torch.return_types.median((torch.where(most != most, most, values),
                                      torch.where(most != most, input.argmax(dim, keepdim), indices)))


def _kept_or_squeezed(made, dim, keepdim):
    return made.unsqueeze(dim) if keepdim else made


def nanmedian(input, dim=None, keepdim=False):
    """The lower of the two middle elements among those that are numbers."""
    if dim is None:
        return nanmedian(input.flatten(), 0)[0]
    order = _order(input, dim, False).movedim(dim, -1)
    rows = input.movedim(dim, -1)
    place = ((rows == rows).sum(-1, keepdim=True).clamp(min=1) - 1) // 2
    index = order.gather(-1, place)
    return torch.return_types.nanmedian([_kept_or_squeezed(t.squeeze(-1), dim % input.dim(), keepdim)
                                         for t in (rows.gather(-1, index), index)])


def mode(input, dim=-1, keepdim=False):
    """The least of the most frequent elements, and its last place."""
    rows = input.movedim(dim, -1)
    check_compared("mode", input, rows.shape[-1])
    same = rows.unsqueeze(-1) == rows.unsqueeze(-2)
    count = same.sum(-1)
    least = torch.where(count == count.amax(-1, keepdim=True), rows, rows.amax(-1, keepdim=True)).amin(-1)
    index = torch.where(rows == least.unsqueeze(-1), _numbers(rows.shape[-1], rows.device), -1).amax(-1)
    return torch.return_types.mode([_kept_or_squeezed(t, dim % input.dim(), keepdim) for t in (least, index)])


def quantile(input, q, dim=None, keepdim=False, *, interpolation="linear"):
    if not isinstance(q, (int, float)):
        return _quantiles(input, q, dim, keepdim, interpolation, False)
    if dim is None:
        made = quantile(input.flatten(), q, 0, interpolation=interpolation)
        return made.reshape([1] * input.dim()) if keepdim else made
    place = q * (input.shape[dim] - 1)
    below, above, share = math.floor(place), math.ceil(place), place - math.floor(place)
    chosen = {"lower": below, "higher": above, "nearest": round(place)}
    values = sort(input, dim)[0]
    one = lambda i: values.narrow(dim, i, 1)
    if interpolation in chosen:
        made = one(chosen[interpolation])
    elif interpolation in ("linear", "midpoint"):
        share = share if interpolation == "linear" else 0.5 * (share > 0)
        made = one(below) if below == above else one(below) + (one(above) - one(below)) * share
    else:
        raise Unknown(f"quantile by \"{interpolation}\"")
    most = input.amax(dim, keepdim=True)
    made = torch.where(most != most, most, made)
    return made if keepdim else made.squeeze(dim)


def nanquantile(input, q, dim=None, keepdim=False, *, interpolation="linear"):
    q = torch.full([], float(q)) if isinstance(q, (int, float)) else q
    return _quantiles(input, q, dim, keepdim, interpolation, True)


def _quantiles(input, q, dim, keepdim, interpolation, skips_nan):
    """The quantiles of the shares that a tensor holds, along a first axis."""
    if dim is None:
        made = _quantiles(input.flatten(), q, 0, False, interpolation, skips_nan)
        return made.reshape([*made.shape, *[1] * input.dim()]) if keepdim else made
    rows = sort(input, dim)[0].movedim(dim, -1)
    count = (rows == rows).sum(-1, keepdim=True) if skips_nan else torch.full([1] * rows.dim(), rows.shape[-1])
    place = q.reshape([-1]) * (count - 1).clamp(min=0).to(q.dtype)
    place = place.expand([*rows.shape[:-1], place.shape[-1]])
    below = torch.floor(place)
    one = lambda index: rows.gather(-1, index.clamp(0, rows.shape[-1] - 1).to(torch.int64))
    if interpolation in ("linear", "midpoint"):
        share = place - below
        share = share if interpolation == "linear" else torch.where(share > 0, 0.5, 0.0)
        low = one(below)
        made = torch.where(share > 0, low + (one(below + 1) - low) * share.to(low.dtype), low)
    elif interpolation in ("lower", "higher", "nearest"):
        made = one({"lower": below, "higher": torch.ceil(place), "nearest": torch.round(place)}[interpolation])
    else:
        raise Unknown(f"quantile by \"{interpolation}\"")
    if not skips_nan:
        most = rows.amax(-1, keepdim=True)
        made = torch.where(most != most, most, made)
    made = made.movedim(-1, 0)
    made = made.unsqueeze(dim % input.dim() + 1) if keepdim else made
    return made if q.dim() else made.squeeze(0)


def logcumsumexp(input, dim):
    return handle_torch_function(log_of_sums_so_far, (input,), input, dim) if input.dim() else input.clone()


def _running_max(input, dim):
    return handle_torch_function(largest_so_far, (input,), input, dim % input.dim())


def cummax(input, dim):
    """The last place so far that has the running maximum; NaN is larger than all."""
    if not input.dim():
        return torch.return_types.cummax((input.clone(), torch.zeros([], dtype=torch.int64)))
    if input.dtype == torch.bool:
        values, index = cummax(input.to(torch.int32), dim)
        return torch.return_types.cummax((values.to(input.dtype), index))
    dim %= input.dim()
    values = _running_max(input, dim)
    places = torch.arange(input.shape[dim], device=input.device).reshape([-1] + [1] * (input.dim() - 1 - dim))
    is_here = input == values
    if input.is_floating_point():
        is_here = is_here | (input != input)
    return torch.return_types.cummax((values, _running_max(torch.where(is_here, places, 0), dim)))


def cummin(input, dim):
    if input.dtype == torch.bool:
        values, index = cummax(~input, dim)
        return torch.return_types.cummin((~values, index))
    values, index = cummax(-input, dim)
    return torch.return_types.cummin((-values, index))


FUNCTIONS = {f.__name__: f for f in (sort, argsort, msort, kthvalue, median, nanmedian, mode, quantile,
                                     nanquantile, logcumsumexp, cummax, cummin)}
