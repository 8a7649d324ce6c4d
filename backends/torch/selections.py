"""
Selections: x[mask] and nonzero(mask), whose lengths depend on data.  Their tensors have all elements here, each in its
place, and functions that treat every row by itself run on all of them.  The mask decides where rows meet: sums leave the
others out, and an assignment at the same mask takes the rows that it names.
"""

import contextlib
import inspect
import math

import torch
import torch.nn.functional as F

from contents import tensors_within
from graph import Unknown

WHOLE = slice(None)
MAKERS = {"nonzero", "argwhere", "masked_select", "where", "__getitem__"}
ELEMENTWISE = set("""abs add clamp clip clamp_min clamp_max div divide true_divide mul multiply sub subtract rsub pow neg
negative exp expm1 log log1p log2 sqrt rsqrt square sigmoid logsigmoid tanh relu relu6 leaky_relu elu gelu silu mish
softplus hardtanh hardswish hardsigmoid sin cos sign erf reciprocal round floor ceil maximum minimum where lerp eq ne lt le
gt ge logical_and logical_or logical_not isnan isfinite nan_to_num to float double half bfloat16 long int bool type type_as
detach clone contiguous dropout __add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __truediv__ __rtruediv__ __pow__ __rpow__
__neg__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __and__ __or__ __invert__ __iadd__ __isub__ __imul__ __itruediv__ __mod__
__floordiv__ remainder""".split())
ROWWISE = set("""linear matmul __matmul__ layer_norm rms_norm embedding one_hot softmax log_softmax normalize glu
cosine_similarity pairwise_distance sum mean amax amin max min argmax argmin norm logsumexp topk sort gather cat stack
chunk split unbind select narrow unsqueeze squeeze reshape view flatten""".split())
LOSSES = set("""mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy binary_cross_entropy_with_logits
cross_entropy nll_loss kl_div soft_margin_loss poisson_nll_loss gaussian_nll_loss""".split())
REDUCTIONS = {"sum", "mean", "amax", "amin", "max", "min"}
SIZES = {"shape", "size", "numel", "nelement", "__len__"}
SHIFTED = {"reshape", "view", "flatten", "squeeze", "unsqueeze"}
WHY = "of what a mask selects, whose number depends on the data: keep all elements, and give the others no weight"


def _own_name(name):
    """The name of a function that does the same without a change of its operand."""
    return name[:-1] if name.endswith("_") and not name.endswith("__") else name


def _is_mask(item):
    return isinstance(item, torch.Tensor) and item.dtype == torch.bool and item.dim()


def _only_mask(index):
    """The mask of an index that has nothing but a mask for the first axes."""
    index = index if isinstance(index, tuple) else (index,)
    index = index[:-1] if len(index) > 1 and index[-1] is ... else index
    return index[0] if len(index) == 1 and _is_mask(index[0]) else None


class Selected:
    """What is known of a tensor of rows: the mask as a line, how many axes are behind that of the rows, and the line."""

    def __init__(self, mask, behind, tensor, place):
        self.mask, self.behind, self.tensor, self.place = mask, behind, tensor, place

    @property
    def axis(self):
        return self.tensor.dim() - 1 - self.behind


class Selections:
    """The selections of a trace."""

    def __init__(self, tracer):
        self._tracer = tracer
        self._selected = {}  # by id
        self._is_open = False
        self._known = None  # of the mask of the current call, what _read_mask() returns

    def refuses(self, tensor):
        """The line that made a tensor which only call() may read; None for other tensors."""
        return None if self._is_open or id(tensor) not in self._selected else self._selected[id(tensor)].place

    def takes(self, name, args, kwargs):
        """True for a call that makes or reads a selection."""
        if self._is_open:
            return False
        if name == "__setitem__" and _only_mask(args[1]) is not None and isinstance(args[2], torch.Tensor) and args[2].dim():
            return id(args[2]) in self._selected or self._tracer.known(_only_mask(args[1])) is not None
        return any(id(x) in self._selected for x in tensors_within([args, kwargs.values()])) or self._makes(name, args, kwargs)

    @staticmethod
    def _makes(name, args, kwargs):
        if name == "__getitem__":
            return _only_mask(args[1]) is not None
        return name in MAKERS and (name != "where" or len(args) + len(kwargs) == 1)

    def call(self, name, function, args, kwargs, is_own):
        """The result of a call that takes() is true for; `is_own`: the file's own code makes it."""
        if name in SIZES and not is_own:
            return function(*args, **kwargs)
        self._known = self._read_mask(args[1] if name == "masked_select" else _only_mask(args[1])) if name in (
            "__getitem__", "__setitem__", "masked_select") else None
        with self._opened():
            try:
                return self._result(name, function, args, kwargs)
            except (TypeError, RuntimeError, IndexError) as error:
                raise Unknown(f"{name} {WHY} ({error})") from None

    @contextlib.contextmanager
    def _opened(self):
        self._is_open = True
        try:
            with self._tracer:
                yield
        finally:
            self._is_open = False

    def _result(self, name, function, args, kwargs):
        if self._makes(name, args, kwargs):
            return self._make(name, *args, **kwargs)
        if name == "__setitem__":
            return self._assign(*args)
        if name in ("index_add", "index_add_"):
            return self._add(function, *args, **kwargs)
        if name in LOSSES:
            return self._loss(function, args, kwargs)
        if name in REDUCTIONS and isinstance(args[0], torch.Tensor) and id(args[0]) in self._selected:
            made = self._reduce(name, function, args, kwargs)
            if made is not None:
                return made
        return self._by_rows(name, function, args, kwargs)

    def _keep(self, tensor, mask, behind):
        self._selected[id(tensor)] = Selected(mask, behind, tensor, self._tracer.location())
        return tensor

    def _read_mask(self, mask):
        """How many elements a mask selects, and whether they are all but a diagonal; None if that depends on data."""
        known = None if mask is None else self._tracer.known(mask)
        if known is None:
            return None
        is_square = known.dim() == 2 and known.shape[0] == known.shape[1] > 1
        return int(known.sum()), is_square and torch.equal(known, ~torch.eye(len(known)).bool())

    def _places(self, mask):
        """The places in a line of the elements of a mask whose contents are known."""
        so_far, place = mask.reshape(-1).long().cumsum(0), torch.arange(self._known[0])
        found, step = torch.zeros_like(place), 1 << mask.numel().bit_length()
        while step := step // 2:  # the first place up to which there are more
            further = found + step
            is_before = (further <= mask.numel()) & (so_far[(further - 1).clamp(max=mask.numel() - 1)] <= place)
            found = torch.where(is_before, further, found)
        return found

    def _known_part(self, input, mask):
        """input[mask] where the mask's contents do not depend on data; None if they do."""
        if not self._known:
            return None
        rest, count = list(input.shape[mask.dim():]), mask.shape[0]
        line = input.reshape([mask.numel(), *rest])
        if self._known[1]:
            return line[:-1].reshape([count - 1, count + 1, *rest])[:, 1:].reshape([count * (count - 1), *rest])
        return line[self._places(mask)]

    def _make(self, name, input, *others, **named):
        others = [*others, *named.values()]
        if name in ("__getitem__", "masked_select"):
            mask = others[0] if name == "masked_select" else _only_mask(others[0])
            if id(input) in self._selected or id(mask) in self._selected:
                raise Unknown(f"a mask {WHY}")
            if name == "masked_select":
                shape = torch.broadcast_shapes(input.shape, mask.shape)
                input, mask = input.expand(shape), mask.expand(shape)
            part = self._known_part(input, mask)
            if part is not None:
                return part
            rest = list(input.shape[mask.dim():])
            made = input.clone().reshape([mask.numel(), *rest])
            return self._keep(made, mask.reshape(-1), len(rest))
        mask, count = input if input.dtype == torch.bool else input != 0, input.numel()
        places, steps = torch.arange(count), 1
        found = []
        for length in reversed(mask.shape):
            found.insert(0, torch.div(places, steps, rounding_mode="floor").remainder(length))
            steps *= length
        line = mask.reshape(-1)
        if name == "where" or True in others:  # as_tuple
            return tuple(self._keep(one, line, 0) for one in found)
        return self._keep(torch.stack(found, 1), line, 1)

    def _of(self, items, place="behind"):
        """The first selection among the items, whose rows must be by one mask and at one place."""
        found = [self._selected[id(x)] for x in tensors_within(items) if id(x) in self._selected]
        for one in found[1:]:
            if getattr(one, place) != getattr(found[0], place) or not self._same(one.mask, found[0].mask):
                raise Unknown(f"selections by different masks or axes: {WHY}")
        return found[0]

    def _same(self, a, b):
        graph, names = self._tracer.graph, [self._tracer.name(a), self._tracer.name(b)]
        while any((maker := graph.maker(name)) and maker["op"] == "reshape" for name in names):
            names = [maker["in"][0] if (maker := graph.maker(name)) and maker["op"] == "reshape" else name for name in names]
        return a.shape == b.shape and graph.is_same(*names)

    def _assign(self, target, index, value):
        mask, selected = _only_mask(index), self._selected.get(id(value))
        if selected is None:
            rows = target.clone().reshape([mask.numel(), *target.shape[mask.dim():]])
            rows[self._places(mask)] = value
            self._is_open = False
            target.copy_(rows.reshape(target.shape))
            return
        if mask is None and selected is not None:
            self._assign_places(selected, target, index, value)
            return
        if mask is None or selected is None or not self._same(mask.reshape(-1), selected.mask):
            raise Unknown(f"an assignment {WHY}")
        rows = value.to(target.dtype).reshape(target.shape)
        chosen = torch.where(mask.reshape(list(mask.shape) + [1] * (target.dim() - mask.dim())), rows, target)
        self._is_open = False
        target.copy_(chosen)

    def _assign_places(self, selected, target, index, value):
        """target[places] = value: of several rows for one place, the last one that the mask selects."""
        index = index[0] if isinstance(index, tuple) and index[1:] in ((), (...,)) else index
        if not isinstance(index, torch.Tensor) or id(index) not in self._selected or selected.axis or not self._same(
                self._selected[id(index)].mask, selected.mask):
            raise Unknown(f"an assignment {WHY}")
        rows = torch.where(selected.mask, torch.arange(selected.mask.shape[0]), -1)
        last = torch.full([target.shape[0]], -1).scatter_reduce(0, torch.where(selected.mask, index, 0), rows, "amax")
        is_assigned = (last >= 0).reshape([-1] + [1] * (target.dim() - 1))
        chosen = torch.where(is_assigned, value.to(target.dtype)[last.clamp(min=0).long()], target)
        self._is_open = False
        target.copy_(chosen)

    def _where(self, selected, x, other):
        shape = [1] * x.dim()
        shape[x.dim() - 1 - selected.behind] = selected.mask.shape[0]
        return torch.where(selected.mask.reshape(shape), x, other)

    def _add(self, function, input, dim, index, source, *, alpha=1):
        selected = self._selected[id(source)]
        if selected.axis != dim % source.dim() or id(input) in self._selected:
            raise Unknown(f"index_add {WHY}")
        if id(index) in self._selected:
            index = self._where(self._selected[id(index)], index, 0)
        source = self._where(selected, source, 0)
        self._is_open = False
        return function(input, dim, index, source, alpha=alpha)

    def _reduce(self, name, function, args, kwargs):
        """A sum, mean or extreme over the rows; None if it is over other axes."""
        x, selected = args[0], self._selected[id(args[0])]
        dim = kwargs.get("dim", kwargs.get("axis", args[1] if len(args) > 1 else None))
        axes = range(x.dim()) if dim is None else [d % x.dim() for d in ([dim] if isinstance(dim, int) else dim)]
        if selected.axis not in axes:
            return None
        if name in ("max", "min") and dim is not None:
            raise Unknown(f"{name} with a place {WHY}")
        if name in ("amax", "amin", "max", "min"):
            return function(self._where(selected, x, -math.inf if name in ("amax", "max") else math.inf), *args[1:], **kwargs)
        total = torch.sum(self._where(selected, x, 0), list(axes), keepdim=bool(kwargs.get("keepdim", len(args) > 2 and args[2])))
        if name == "sum":
            return total
        return total / (selected.mask.sum() * math.prod(x.shape[d] for d in axes if d != selected.axis))

    def _loss(self, function, args, kwargs):
        given = inspect.signature(function).bind(*args, **kwargs)
        given.apply_defaults()
        values = dict(given.arguments)
        kind, selected = values.get("reduction", "mean"), self._of([args, kwargs.values()], "axis")
        if kind not in ("none", "sum", "mean") or values.get("weight") is not None or values.get("label_smoothing"):
            raise Unknown(f"{function.__name__} with such arguments {WHY}")
        if selected.axis:
            raise Unknown(f"{function.__name__} {WHY}")
        values.update(reduction="none")
        mask = selected.mask
        if function.__name__ in ("cross_entropy", "nll_loss") and not values["target"].is_floating_point():
            seen = self._where(selected, values["target"] != values["ignore_index"], False)
            mask = seen
            values["target"] = self._where(selected, values["target"], 0)
        made = function(**values)
        made = self._keep(made, mask, made.dim() - 1)
        return made if kind == "none" else self._reduce(kind, None, (made,), {})

    def _by_rows(self, name, function, args, kwargs):
        """A function that treats each row by itself."""
        selected = self._of([args, kwargs.values()])
        count, behind = selected.mask.shape[0], selected.behind
        is_index = name == "__getitem__" and id(args[0]) not in self._selected
        if is_index:
            return self._read(selected, function, *args)
        in_place, name = name != _own_name(name), _own_name(name)
        if name not in ROWWISE | ELEMENTWISE and name != "__getitem__":
            raise Unknown(f"{name} {WHY}")
        self._check_axes(name, args, kwargs, selected)
        if in_place:
            function = getattr(torch.Tensor, name)
        if name in ("embedding", "one_hot", "gather"):
            args = [self._where(selected, x, 0) if isinstance(x, torch.Tensor) and id(x) in self._selected and
                    not x.is_floating_point() else x for x in args]
        result = function(*args, **kwargs)
        for one in tensors_within([result]):
            self._keep(one, selected.mask, self._behind(name, args, selected, one))
        if in_place:
            self._tracer.bind(args[0], self._tracer.name(result))
            return args[0]
        return result

    def _read(self, selected, function, input, index):
        """Rows of a tensor at the places of a selection."""
        index = list(index) if isinstance(index, tuple) else [index]
        index = [i for i in index if i is not ...] if index and index[-1] is ... else index
        picked = [i for i, one in enumerate(index) if isinstance(one, torch.Tensor)]
        if selected.behind or picked != list(range(picked[0], picked[0] + len(picked))):
            raise Unknown(f"an index {WHY}")
        index = [self._where(selected, one, 0) if isinstance(one, torch.Tensor) else one for one in index]
        made = function(input, tuple(index))
        before = sum(one is None or isinstance(one, slice) for one in index[:picked[0]])
        return self._keep(made, selected.mask, made.dim() - 1 - before)

    def _check_axes(self, name, args, kwargs, selected):
        """Refuse a call that would let rows meet."""
        first = next((x for x in args if isinstance(x, torch.Tensor)), None)
        if name in ROWWISE - {"linear", "matmul", "__matmul__", "embedding", "one_hot", "layer_norm", "rms_norm", *SHIFTED}:
            dim = kwargs.get("dim", next((x for x in args[1:] if isinstance(x, int)), None))
            axes = [-1] if dim is None and name in ("normalize", "glu", "topk", "sort", "pairwise_distance") else [
                1] if dim is None and name == "cosine_similarity" else [0] if dim is None else [dim] if isinstance(dim, int) else dim
            if selected.axis in [d % selected.tensor.dim() for d in axes]:
                raise Unknown(f"{name} over the rows {WHY}")
        if name == "__getitem__" and self._index_axis(args[1], selected) is None:
            raise Unknown(f"an index {WHY}")
        if name in ("linear", "matmul", "__matmul__") and (first is not selected.tensor and id(first) not in self._selected or
                                                           not selected.behind or len([
                                                               x for x in tensors_within(args) if id(x) in self._selected]) > 1):
            raise Unknown(f"{name} over the rows {WHY}")
        for other in tensors_within([args, kwargs.values()]):
            if name in ELEMENTWISE and id(other) not in self._selected and other.dim() > selected.behind and (
                    other.shape[-1 - selected.behind] != 1):
                raise Unknown(f"{name} with another tensor {WHY}")

    @staticmethod
    def _index_axis(index, selected):
        """How many axes are behind the rows after an index of numbers, slices and new axes, which leaves the rows whole."""
        index = list(index) if isinstance(index, tuple) else [index]
        if any(isinstance(one, (torch.Tensor, list)) for one in index):
            return None
        rank = selected.tensor.dim()
        taken = sum(one is not None and one is not ... for one in index)
        at = next((i for i, one in enumerate(index) if one is ...), len(index))
        index, axis, seen = index[:at] + [WHOLE] * (rank - taken) + index[at + 1:], 0, None
        for one in index:
            if one is not None and axis == selected.axis:
                seen = [] if one == WHOLE else None
                if seen is None:
                    return None
            elif seen is not None and not isinstance(one, int):
                seen.append(one)
            axis += one is not None
        return len(seen)

    def _behind(self, name, args, selected, result):
        """The number of axes behind the rows in a result."""
        if name == "__getitem__":
            return self._index_axis(args[1], selected)
        if name in ELEMENTWISE:
            return selected.behind
        if name in SHIFTED:
            before = math.prod(selected.tensor.shape[:selected.axis])
            for axis, length in enumerate(result.shape):
                if length == selected.mask.shape[0] and math.prod(result.shape[:axis]) == before:
                    return result.dim() - 1 - axis
            raise Unknown(f"{name} {WHY}")
        if name in ("linear", "matmul", "__matmul__", "embedding", "one_hot"):
            return result.dim() - 1 - selected.axis
        if selected.axis or result.shape[:1] != selected.mask.shape:
            raise Unknown(f"{name} {WHY}")
        return result.dim() - 1
