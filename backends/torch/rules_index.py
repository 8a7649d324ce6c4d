"""Rules (rules.py) for indexing: reading and assigning parts of a tensor."""

import torch

from graph import VALUES, Unknown
from rules_movement import cut, numbers

RULES = {}


def _full_index(index, rank):
    """The index with one entry for each axis, and None for each new axis."""
    index = list(index) if isinstance(index, tuple) else [index]
    if any(not isinstance(i, (int, slice, type(None), type(...), torch.Tensor)) or
           isinstance(i, bool) for i in index):
        raise Unknown("an index that is neither a number, a slice nor a tensor")
    given = sum(i is not None and i is not ... for i in index)
    at = next((i for i, entry in enumerate(index) if entry is ...), None)
    if at is not None:
        return index[:at] + [slice(None)] * (rank - given) + index[at + 1:]
    return index + [slice(None)] * (rank - given)


def _range(entry, length):
    """Start, end and step of an entry that is a number or a slice."""
    if isinstance(entry, int):
        entry = slice(entry % length, entry % length + 1)
    return entry.indices(length)


def _sliced(g, value, entries, shape):
    """The value at the numbers and slices of an index; the axes of tensors stay whole."""
    for axis, (entry, length) in enumerate(zip(entries, shape)):
        if isinstance(entry, torch.Tensor):
            continue
        start, end, step = _range(entry, length)
        if (start, end, step) != (0, length, 1):
            value = cut(g, value, axis, start, end, step)
    return value


def _place(g, index, length):
    """An index without negative numbers, which count from the end."""
    return g.node("where", [g.node("lt", [index, 0]), g.node("add", [index, length]), index])


def _chosen(g, value, shape, first, indices):
    """The value with the axes from `first` on, one for each index, replaced by one axis of the indices."""
    lengths = shape[first:first + len(indices)]
    place, together = None, 1
    for index, length in reversed(list(zip(indices, lengths))):
        one = _place(g, index, length)
        one = one if together == 1 else g.node("mul", [one, together])
        place = one if place is None else g.node("add", [place, one])
        together *= length
    if len(indices) > 1:
        value = g.node("reshape", [value],
                       shape=shape[:first] + [together] + shape[first + len(indices):])
    count = torch.broadcast_shapes(*[i.shape for i in indices]).numel()
    return g.node("index_select", [value, g.node("reshape", [place], shape=[count])], dim=first)


def _gathered(g, value, entries, shape):
    """The value at the index tensors among the entries."""
    axes = [i for i, entry in enumerate(entries) if isinstance(entry, torch.Tensor)]
    if any(entries[i].dtype not in (torch.int32, torch.int64) for i in axes):
        raise Unknown("elements at the places of a mask, whose number depends on the data")
    if axes != list(range(axes[0], axes[0] + len(axes))):
        raise Unknown("index tensors with other axes between them")
    if any(isinstance(entry, int) for entry in entries):
        raise Unknown("an index of tensors and numbers")
    left = [length if isinstance(entry, torch.Tensor) else len(range(*_range(entry, length)))
            for entry, length in zip(entries, shape)]
    return _chosen(g, value, left, axes[0], [entries[i] for i in axes])


def _with_tensors(g, index):
    """The index with tensors in place of lists of numbers."""
    if isinstance(index, tuple):
        return tuple(_with_tensors(g, entry) for entry in index)
    if not isinstance(index, list) or not all(isinstance(i, int) and not isinstance(i, bool) for i in index):
        return index
    made = torch.empty([len(index)], dtype=torch.int64, device="meta")
    g.bind(made, numbers(g, index, torch.int64))
    return made


def getitem(g, result, input, index):
    index = _with_tensors(g, index)
    entries, shape = _full_index(index, input.dim()), list(input.shape)
    own = [entry for entry in entries if entry is not None]
    value = _sliced(g, g.name(input), own, shape)
    if any(isinstance(entry, torch.Tensor) for entry in own):
        if len(own) < len(entries):
            raise Unknown("an index of tensors and new axes")
        value = _gathered(g, value, own, shape)
    return g.node("reshape", [value], shape=list(result.shape))


def _replaced(g, value, shape, axis, ranges, part):
    """The value with `part` in place of the region that `ranges` name from `axis` on."""
    if axis == len(shape):
        return part
    start, end, step = ranges[axis]
    if step != 1:
        return _woven(g, value, shape, axis, ranges, part)
    inner = shape[:axis] + [end - start] + shape[axis + 1:]
    if (start, end) == (0, shape[axis]):
        return _replaced(g, value, inner, axis + 1, ranges, part)
    middle = _replaced(g, cut(g, value, axis, start, end), inner, axis + 1, ranges, part)
    pieces = [cut(g, value, axis, 0, start)] if start else []
    pieces += [middle] + ([cut(g, value, axis, end, shape[axis])] if end < shape[axis] else [])
    return g.node("concat", pieces, dim=axis)


def _woven(g, value, shape, axis, ranges, part):
    """
    _replaced() for an axis with a step: blocks of `step` elements, of which the first is replaced.
    The last block may reach beyond the end.
    """
    (start, end, step), length = ranges[axis], shape[axis]
    count, before, after = len(range(start, end, step)), shape[:axis], shape[axis + 1:]
    beyond = max(start + count * step - length, 0)
    taken = cut(g, value, axis, start, end, step)
    first = _replaced(g, taken, before + [count] + after, axis + 1, ranges, part)
    blocks = cut(g, value, axis, start, start + count * step - beyond)
    if beyond:
        blocks = g.node("pad", [blocks], pad=[0, 0] * len(after) + [0, beyond], value=0)
    blocks = g.node("reshape", [blocks], shape=before + [count, step] + after)
    others = cut(g, blocks, axis + 1, 1, step)
    first = g.node("reshape", [first], shape=before + [count, 1] + after)
    woven = g.node("concat", [first, others], dim=axis + 1)
    woven = g.node("reshape", [woven], shape=before + [count * step] + after)
    pieces = [cut(g, value, axis, 0, start)] if start else []
    pieces += [cut(g, woven, axis, 0, count * step - beyond) if beyond else woven]
    if start + count * step < length:
        pieces.append(cut(g, value, axis, start + count * step, length))
    return g.node("concat", pieces, dim=axis) if len(pieces) > 1 else pieces[0]


def _written(g, target, value, seen, whole):
    """
    The value that is assigned to a region, in the target's type: of shape `seen` as the file sees
    it, without the axes that numbers select, and of shape `whole` in the target.
    """
    if not isinstance(value, torch.Tensor):
        return g.constant(torch.empty(whole, dtype=target.dtype, device="meta"), value)
    made, shape = g.name(value), list(value.shape)
    if value.dtype != target.dtype:
        made = g.node("cast", [made], dtype=VALUES[target.dtype])
    if len(shape) > len(seen):
        shape = shape[len(shape) - len(seen):]
        made = g.node("reshape", [made], shape=shape)
    if shape != seen:
        made = g.node("expand", [made], size=seen)
    return made if seen == whole else g.node("reshape", [made], shape=whole)


def _masked(g, input, mask, value):
    if isinstance(value, torch.Tensor) and value.dim():
        raise Unknown("elements at the places of a mask, each with a value of its own")
    more = [1] * (input.dim() - mask.dim())
    return g.node("where", [g.node("reshape", [mask], shape=list(mask.shape) + more), value, input])


def setitem(g, result, input, index, value):
    """The new contents of `input` after input[index] = value."""
    tensors = [i for i in (index if isinstance(index, tuple) else (index,)) if i is not ...]
    if len(tensors) == 1 and isinstance(tensors[0], torch.Tensor) and tensors[0].dtype == torch.bool:
        return _masked(g, input, tensors[0], value)
    entries, shape = _full_index(index, input.dim()), list(input.shape)
    own = [entry for entry in entries if entry is not None]
    if any(isinstance(entry, torch.Tensor) for entry in own):
        raise Unknown("an assignment at the places of an index tensor")
    ranges = [_range(entry, length) for entry, length in zip(own, shape)]
    ranges = [(start, max(start, end), step) for start, end, step in ranges]
    whole = [len(range(*one)) for one in ranges]
    sizes = iter(whole)
    seen = [1 if entry is None else size for entry in entries
            for size in ([1] if entry is None else [next(sizes)]) if not isinstance(entry, int)]
    if 0 in whole:
        return g.name(input)
    return _replaced(g, g.name(input), shape, 0, ranges, _written(g, input, value, seen, whole))


def copy(g, result, input, src, non_blocking=False):
    """input.copy_(src)"""
    return _written(g, input, src, list(input.shape), list(input.shape))


RULES["__getitem__"], RULES["__setitem__"], RULES["copy"] = getitem, setitem, copy
