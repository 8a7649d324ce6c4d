"""
Views: tensors that share the memory of another one, their base.  A graph has values in place of memory, so
after a change of a view its base gets a new value, which contains that of the view.  The views that were
made before are read again from their base when they are next used.
"""

import torch

import rules_index
from decompositions import rearranging
from graph import Unknown

RESHAPED = {"view", "reshape", "flatten", "unflatten", "squeeze", "unsqueeze", "view_as", "reshape_as", "ravel",
            "_unsafe_view", "contiguous", "detach", "data"}
PAIRED = {"view_as_real", "view_as_complex"}  # a graph has one value for both
PERMUTED = {"transpose", "swapaxes", "swapdims", "T", "t", "mT", "adjoint", "permute", "movedim", "moveaxis"}


# Functions whose results share memory, though they are decomposed to others that copy.
COPIED = {"unfold", "diagonal", "meshgrid"}


class View:
    """How a call made a view."""

    def __init__(self, base, call, results):
        self.base = base
        self.call = call  # name, function, args, kwargs
        self.results = results  # all tensors that the call returned

    def write(self, g, view):
        """The value of the base that contains the value of the view."""
        name, function, args, kwargs = self.call
        shape = list(self.base.shape)
        if name in PAIRED:
            return g.name(view)
        if name in RESHAPED:
            return g.node("reshape", [view], shape=shape)
        if name in PERMUTED:
            return self._permute_back(g, view)
        if name == "diagonal":
            return g.name(g.decompose(rearranging.diagonal_scatter, (self.base, view, *args[1:]), kwargs))
        index = self._index(name, view, args, kwargs)
        if index is None:
            raise Unknown(f"a change of the tensor that {name} returned")
        return rules_index.setitem(g, None, self.base, index, view)

    def _permute_back(self, g, view):
        name, function, args, kwargs = self.call
        probe = function(torch.empty(list(range(1, self.base.dim() + 1)), device="meta"), *args[1:], **kwargs)
        order = [n - 1 for n in probe.shape]
        return g.node("permute", [view], dims=[order.index(axis) for axis in range(len(order))])

    def _index(self, name, view, args, kwargs):
        """The part of the base that the view is, as an index of Python; None for other functions."""
        if name == "__getitem__":
            return args[1]
        given = dict(zip({"select": ("dim", "index"), "narrow": ("dim", "start", "length"),
                          "unbind": ("dim",)}.get(name, ("sizes", "dim")), args[1:]), **kwargs)
        before = (slice(None),) * (given.get("dim", 0) % self.base.dim())
        if name == "select":
            return before + (given["index"],)
        if name == "narrow":
            return before + (slice(given["start"], given["start"] + given["length"]),)
        at = next((i for i, one in enumerate(self.results) if one is view), None)
        if name == "unbind":
            return before + (at,)
        if name in ("chunk", "split", "tensor_split", "split_with_sizes"):
            sizes = [one.shape[len(before)] for one in self.results]
            return before + (slice(sum(sizes[:at]), sum(sizes[:at + 1])),)
        return None


def of_call(name, function, args, kwargs, results):
    """The view that each of the results is, or None for tensors with memory of their own."""
    base = next((a for a in args if isinstance(a, torch.Tensor)), None)
    if base is None:
        return [None] * len(results)
    return [View(base, (name, function, args, kwargs), results)
            if one is not base and (name in COPIED or _shares_memory(name, base, one)) else None for one in results]


def _shares_memory(name, base, one):
    root = base if base._base is None else base._base
    return name in ("data", "detach") or one._base is root
