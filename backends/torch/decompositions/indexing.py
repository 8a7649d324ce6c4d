"""
Decompositions of the indices that the rules (rules_index.py) do not take: index tensors beside
numbers, new axes and other axes, positions that are tensors themselves, and assignments at the places of tensors.
Each becomes an index of numbers, slices and new axes, and one of tensors for neighbouring axes.
"""

import torch

from graph import Unknown

WHOLE = slice(None)
KINDS = (int, slice, type(None), torch.Tensor)


def _is_numbers(entry):
    return isinstance(entry, list) and entry != [] and all(type(i) is int for i in entry)


def _entries(index, rank):
    """The index with an entry for each axis, and None for each new axis; a mask has an entry for all of its axes."""
    index = list(index) if isinstance(index, tuple) else [index]
    index = [torch.tensor(entry, device="meta") if _is_numbers(entry) else entry for entry in index]
    if any(entry is not ... and (isinstance(entry, bool) or not isinstance(entry, KINDS)) for entry in index):
        return None
    taken = sum(entry.dim() if _is_mask(entry) else entry is not None for entry in index if entry is not ...)
    at = next((i for i, entry in enumerate(index) if entry is ...), len(index))
    return index[:at] + [WHOLE] * (rank - taken) + index[at + 1:]


def _is_mask(entry):
    return isinstance(entry, torch.Tensor) and entry.dtype in (torch.bool, torch.uint8)


def _is_position(entry):
    return isinstance(entry, torch.Tensor) and not entry.dim() and not _is_mask(entry)


def _is_apart(axes):
    return list(axes) != list(range(axes[0], axes[0] + len(axes)))


def is_read(args):
    """True for input[index] that only getitem() takes."""
    index = args[1] if isinstance(args[1], tuple) else (args[1],)
    tensors = [entry for entry in index if isinstance(entry, torch.Tensor) or _is_numbers(entry)]
    if not tensors or any(map(_is_mask, tensors)):
        return False
    entries = _entries(args[1], args[0].dim())
    if entries is None:
        return False
    axes = [i for i, entry in enumerate(entries) if isinstance(entry, torch.Tensor)]
    return any(map(_is_position, tensors)) or _is_apart(axes) or any(
        entry is None or isinstance(entry, int) for entry in entries)


def is_written(args):
    """True for input[index] = value that only setitem() takes."""
    index = args[1] if isinstance(args[1], tuple) else (args[1],)
    tensors = [entry for entry in index if isinstance(entry, torch.Tensor) or _is_numbers(entry)]
    if len([entry for entry in index if entry is not ...]) == 1 and any(map(_is_mask, tensors)) and (
            not isinstance(args[2], torch.Tensor) or not args[2].dim()):
        return False
    return bool(tensors) and _entries(args[1], args[0].dim()) is not None


def with_numbers(args):
    """The arguments of a call with 0 in place of positions, whose contents PyTorch would read."""
    index = args[1] if isinstance(args[1], tuple) else (args[1],)
    return (args[0], tuple(0 if _is_position(entry) else entry for entry in index), *args[2:])


def _apart(entries):
    """
    The index with slices in place of tensors, and the tensors by their axes in what it gives.  None where it gives
    all.
    """
    plain, tensors, axis = [], {}, 0
    for entry in entries:
        if isinstance(entry, torch.Tensor):
            tensors[axis] = entry
            plain += [WHOLE] * (entry.dim() if _is_mask(entry) else 1)
            axis += entry.dim() if _is_mask(entry) else 1
        else:
            plain.append(entry)
            axis += not isinstance(entry, int)
    return (None if all(entry == WHOLE for entry in plain) else tuple(plain)), tensors


def getitem(input, index):
    entries, axis = _entries(index, input.dim()), 0
    for i, entry in enumerate(entries):
        if _is_position(entry):
            input, entries[i] = input[(WHOLE,) * axis + (entry.reshape(1),)], 0
        axis += entry is not None
    plain, tensors = _apart(entries)
    part = input if plain is None else input[plain]
    if not tensors:
        return part
    axes = list(tensors)
    if not _is_apart(axes):
        return part[(WHOLE,) * axes[0] + tuple(tensors.values())]
    return part.permute(_in_front(part, axes))[tuple(tensors.values())]


def _in_front(x, axes):
    return axes + [axis for axis in range(x.dim()) if axis not in axes]


def _spread(value, like, shape):
    """The value that is assigned to elements of `like`, in its type and as a tensor of the shape."""
    if not isinstance(value, torch.Tensor):
        return torch.full([1] * len(shape), value, dtype=like.dtype, device=like.device).expand(shape)
    value = value.to(like.dtype)
    return value.reshape(value.shape[max(value.dim() - len(shape), 0):]).expand(shape)


def _put(x, axes, indices, value):
    """x with the value at the places of index tensors for some axes."""
    order = _in_front(x, axes)
    places, rest = torch.broadcast_shapes(*[i.shape for i in indices]), [x.shape[axis] for axis in order[len(axes):]]
    before = 0 if _is_apart(axes) else axes[0]
    value = _spread(value, x, [*rest[:before], *places, *rest[before:]])
    if before:
        count = range(len(places))
        value = value.movedim([before + i for i in count], list(count))
    made = x.permute(order).index_put(tuple(indices), value)
    return made.permute([order.index(axis) for axis in range(x.dim())])


def _put_at_position(x, axis, position, value):
    """x with the value at one place of an axis."""
    shape = list(x.shape[:axis]) + list(x.shape[axis + 1:])
    place = torch.arange(x.shape[axis], device=x.device).reshape([-1] + [1] * (x.dim() - 1 - axis))
    position = torch.where(position < 0, position + x.shape[axis], position)
    return torch.where(place == position, _spread(value, x, shape).unsqueeze(axis), x)


def _put_at_mask(x, axis, mask, value):
    """x with the value, which is the same for each element of a mask, where the mask is true."""
    rest = list(x.shape[axis + mask.dim():])
    if isinstance(value, torch.Tensor) and value.dim() > len(rest) and value.numel() > 1:
        raise Unknown("elements at the places of a mask, each with a value of its own")
    value = value.reshape([]) if isinstance(value, torch.Tensor) and value.numel() == 1 else value
    seen = mask.bool().reshape(list(mask.shape) + [1] * len(rest))
    return torch.where(seen, _spread(value, x, rest), x)


def setitem(input, index, value):
    plain, tensors = _apart(_entries(index, input.dim()))
    part, axes, indices = input if plain is None else input[plain], list(tensors), list(tensors.values())
    if len(tensors) == 1 and _is_mask(indices[0]):
        made = _put_at_mask(part, axes[0], indices[0], value)
    elif len(tensors) == 1 and _is_position(indices[0]):
        made = _put_at_position(part, axes[0], indices[0], value)
    elif any(_is_mask(i) or _is_position(i) for i in indices):
        raise Unknown("an assignment at the places of a mask and of other tensors")
    else:
        made = _put(part, axes, indices, value)
    if plain is None:
        return made
    whole = input.clone()
    whole[plain] = made
    return whole
