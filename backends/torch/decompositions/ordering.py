"""
Decompositions of functions that put elements in order, and of running extremes.  To put rows in order, each
element is compared with all others of its row; long rows go through a network of comparisons.
"""

import math

import torch
import torch.nn.functional as F

from graph import Unknown

from . import network

MOST_COMPARED = 1 << 28  # comparisons that one call makes
BLOCK = 16  # elements of a row that are combined before those of other blocks


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


def _ranks(x, descending):
    """The place of each element along the last axis; equal elements keep their order, and NaN is the largest."""
    mine, other = x.unsqueeze(-1), x.unsqueeze(-2)
    place = _numbers(x.shape[-1], x.device)
    earlier = place < place.unsqueeze(-1)
    small, large = (mine, other) if descending else (other, mine)
    if not x.is_floating_point():
        return ((small < large) | ((other == mine) & earlier)).sum(-1)
    below, up_to = (small == small) & ~(small >= large), (large != large) | (large >= small)
    return torch.where(earlier, up_to, below).sum(-1)


def _order(input, dim, descending):
    """What stands at each place of the sorted rows: its place in the row."""
    dim %= max(input.dim(), 1)
    length = input.shape[dim] if input.dim() else 1
    rows = input.movedim(dim, -1)
    if is_long(input, length):
        return network.order(rows, descending).movedim(-1, dim)
    place = _numbers(length, input.device)
    taken = _ranks(rows, descending).unsqueeze(-2) == place.unsqueeze(-1)
    return torch.where(taken, place, 0).sum(-1).movedim(-1, dim)


def sort(input, dim=-1, descending=False, *, stable=None):
    order = _order(input, dim, descending)
    if is_long(input, input.shape[dim] if input.dim() else 1):
        return torch.return_types.sort((network.values(input.movedim(dim, -1), descending).movedim(-1, dim), order))
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


def _doubling(rows, combine):
    """Combine each element of the last axis with all before it: with one, then with two, with four ..."""
    step = 1
    while step < rows[0].shape[-1]:
        before, here = [x[..., :-step] for x in rows], [x[..., step:] for x in rows]
        rows = [torch.cat([x[..., :step], made], -1) for x, made in zip(rows, combine(before, here))]
        step *= 2
    return rows


def _running(rows, combine):
    """Combine each element of the last axis with all before it; long rows in blocks, then each with the blocks before."""
    length = rows[0].shape[-1]
    if length <= 2 * BLOCK:
        return _doubling(rows, combine)
    more = -length % BLOCK
    blocks = [(F.pad(x, (0, more)) if more else x).unflatten(-1, (-1, BLOCK)) for x in rows]
    blocks = _doubling(blocks, combine)
    before = [x[..., :-1].unsqueeze(-1) for x in _running([x[..., -1] for x in blocks], combine)]
    later = combine(before, [x[..., 1:, :] for x in blocks])
    return [torch.cat([x[..., :1, :], made], -2).flatten(-2)[..., :length] for x, made in zip(blocks, later)]


def logcumsumexp(input, dim):
    return _running([input.movedim(dim, -1)], lambda a, b: [torch.logaddexp(a[0], b[0])])[0].movedim(-1, dim)


def _later_of(before, here):
    """The larger one of two values, and its place; of equal ones the later, and NaN is larger than all."""
    (a, i), (b, j) = before, here
    is_later = b >= a
    if a.is_floating_point():
        is_later = (b != b) | (is_later & (a == a))
    return [torch.maximum(a, b), torch.where(is_later, j, i)]


def cummax(input, dim):
    if input.dtype in (torch.bool, torch.int64):
        values, index = cummax(input.to(torch.int32), dim)
        return torch.return_types.cummax((values.to(input.dtype), index))
    rows = input.movedim(dim, -1)
    values, index = _running([rows, _numbers(rows.shape[-1], input.device).expand(rows.shape)], _later_of)
    return torch.return_types.cummax((values.movedim(-1, dim), index.movedim(-1, dim)))


def cummin(input, dim):
    if input.dtype == torch.bool:
        values, index = cummax(~input, dim)
        return torch.return_types.cummin((~values, index))
    values, index = cummax(-input, dim)
    return torch.return_types.cummin((-values, index))


FUNCTIONS = {f.__name__: f for f in (sort, argsort, msort, kthvalue, median, nanmedian, mode, quantile,
                                     nanquantile, logcumsumexp, cummax, cummin)}
