"""
Gradients that a model computes in forward by torch.autograd.grad.  PyTorch goes back through the calls of the trace,
and the operations that it performs become operations of the graph, like calls of the file.
"""

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from contents import tensors_within
from graph import Unknown

NAMES = {"_to_copy": "to", "_unsafe_view": "view", "alias": "detach", "lift_fresh": "detach"}


def _place(tensor):
    """What tells the memory that a tensor shows."""
    return tensor.untyped_storage()._cdata, tuple(tensor.shape), tensor.stride(), tensor.storage_offset(), tensor.dtype


class _Backward(TorchDispatchMode):
    """While active, the tracer gets each operation; those of gradients alone as PyTorch decomposes them."""

    def __init__(self, tracer):
        super().__init__()
        self._tracer = tracer
        self._known = {_place(tensor): name for name, tensor in tracer.bound()}

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        for tensor in tensors_within([args, list(kwargs.values())]):
            self._recognize(tensor)
        name = function.overloadpacket.__name__
        if "backward" in name:
            steps = torch._decomp.decomposition_table.get(function)
            if steps is None:
                raise Unknown(f"the gradient by {name}")
            with self:
                return steps(*args, **kwargs)
        result = self._tracer.on_call(NAMES.get(name, name), function, args, kwargs)
        for tensor in tensors_within([result]):
            self._known[_place(tensor)] = self._tracer.name(tensor)
        return result

    def _recognize(self, tensor):
        """Operands that PyTorch keeps come back as new tensors in the same memory, those of linear layers turned."""
        if self._tracer.is_current(tensor):
            return
        memory, shape, strides, *rest = place = _place(tensor)
        turned = (memory, shape[::-1], strides[::-1], *rest)
        if place in self._known:
            self._tracer.bind(tensor, self._known[place])
        elif len(shape) == 2 and turned in self._known:
            self._tracer.bind(tensor, self._tracer.node("transpose", [self._known[turned]], dim0=0, dim1=1))


def compute(tracer, function, args, kwargs):
    """The gradients that function(*args, **kwargs) returns."""
    if not hasattr(torch.Tensor, "untyped_storage"):
        raise Unknown("a gradient, with a PyTorch before 2.0")
    with _Backward(tracer):
        return function(*args, **kwargs)
