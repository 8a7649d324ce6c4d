"""
Traces a model to a graph: runs forward once on tensors without contents, and translates each torch
function that it calls to operations of a problem.

Python code runs as usual, so loops, branches and assertions that depend only on shapes are resolved
during the trace.  The tracer of torch.fx stops at these, and does not know the line of a call.
"""

import inspect
import math
import os
import sys

import torch

import decompositions
import gradients
import lengths
import own_bodies
import rules
import scalars
import shapes
import views
from decompositions import indexing
from graph import NARROW, Graph, Unknown
from meta_mode import MetaMode, tensors_in
from selections import WHY, Selections


# Files whose frames are between a call and the line that makes it.
WITHIN = (os.path.dirname(__file__), torch._tensor.__file__, torch.overrides.__file__)
EMPTY = ""  # the name of a tensor without elements, which problems do not have


class Tracer(MetaMode):
    """Active while forward runs."""

    def __init__(self, file):
        super().__init__()
        self.graph = Graph(lambda: self.constant(torch.empty([1], device="meta"), 0))
        self.unknown = []  # texts "FILE:LINE: operation", in the order of the calls
        self.lengths = []  # (place, length, whether it is certain) of results whose length data may change
        self._file = file
        self._values = {}  # by id: name or None, the tensor's version, the tensor (kept alive)
        self._constants = {}
        self._selections = Selections(self)
        self._views = {}  # by id: how the tensor, which shares another one's memory, was made

    def bind(self, tensor, name):
        """Make `tensor` the value `name`; None means that an unknown operation made it."""
        self._values[id(tensor)] = (name, tensor._version, tensor)

    def name(self, tensor):
        """The name of the value that a tensor holds; None if an unknown operation made it."""
        if id(tensor) not in self._values:
            raise Unknown("a tensor that was made outside of the graph")
        if place := self._selections.refuses(tensor):
            raise Unknown(f"a result {WHY}", place=place)
        name, version, _ = self._values[id(tensor)]
        return name if version == tensor._version else self._read_again(tensor)

    def _read_again(self, tensor):
        """The value of a view whose base was changed."""
        view = self._views.get(id(tensor))
        if not view:
            raise Unknown("a tensor that was changed through another one that shares its memory")
        name, _, args, kwargs = view.call
        if decompositions.find(name, kwargs):
            raise Unknown(f"a change of the tensor that {name} shares memory with")
        results = view.results if len(view.results) > 1 else view.results[0]
        for one, made in zip(view.results, rules.apply(self, name, args, dict(kwargs), results)):
            self.bind(one, made)
        return self._values[id(tensor)][0]

    def bound(self):
        """The names and tensors of all values that have not changed."""
        return [(name, tensor) for name, version, tensor in self._values.values()
                if name and version == tensor._version]

    def is_current(self, tensor):
        """True if the tensor is a value that has not changed."""
        return id(tensor) in self._values and self._values[id(tensor)][1] == tensor._version

    def constants(self):
        """The constant tensors that forward makes, {name: (tensor, number)}."""
        return self._constants

    def known(self, tensor):
        """The contents of a tensor that does not depend on data; None if it does, or is large."""
        return self._contents.find(tensor)

    # The interface for rules.py, which also reads `graph`.

    def node(self, op, operands, **attributes):
        """Append an operation on tensors, names and numbers; returns the name of its result."""
        names = [self.name(o) if isinstance(o, torch.Tensor) else o for o in operands]
        if None in names:
            raise UnknownOperand
        if EMPTY in names:
            raise Unknown(f"{op} of a tensor without elements")
        if not any(isinstance(name, str) for name in names):
            return scalars.compute(op, names, attributes)
        return self.graph.node(op, names, **attributes)

    def constant(self, tensor, number):
        """A tensor in which every element is `number`; for a scalar the number itself."""
        if not math.isfinite(number):
            return self.graph.node("expand", [number], size=list(tensor.shape)) if tensor.dim() else number
        number = int(number) if isinstance(number, bool) else number
        if tensor.dim() == 0:
            return number
        if tensor.dtype in NARROW:
            tensor = torch.empty_like(tensor, dtype=torch.int32)
        for name, (other, same) in self._constants.items():
            if (same, other.shape, other.dtype) == (number, tensor.shape, tensor.dtype):
                return name
        name = f"constant{len(self._constants) + 1}"
        self._constants[name] = (tensor, number)
        return name

    def on_call(self, name, function, args, kwargs):
        if self._selections.takes(name, args, kwargs):
            try:
                return self._selections.call(name, function, args, kwargs, self._is_called_by_file())
            except Unknown as why:
                raise NotImplementedError(str(why)) from None
        if function is torch.autograd.grad:
            return self._gradients(function, args, kwargs)
        if rules.is_in_place(name, kwargs):
            return self._call_in_place(name, function, args, kwargs)
        steps = self._steps(name, function, args, kwargs)
        if (length := lengths.expected(name, args, kwargs)) is not None:
            self.lengths.append((self.location(), length, lengths.is_certain(length, args, kwargs)))
        if steps:
            try:
                result = self.decompose(steps, args, kwargs)
                self._note_views(name, function, args, kwargs, tensors_in(result))
                return result
            except Unknown as why:
                known = why.result
                return self._note_unknown(why, function(*args, **kwargs) if known is None else known)
            except Exception as error:
                return self._note_unknown(f"{name} of these operands ({error})", function(*args, **kwargs))
        result = shapes.call(name, function, args, kwargs)
        if tensors_in(result):
            self._translate(name, args, kwargs, result)
            self._note_views(name, function, args, kwargs, tensors_in(result))
        return result

    def _gradients(self, function, args, kwargs):
        try:
            return gradients.compute(self, function, args, kwargs)
        except (Unknown, RuntimeError) as why:
            given = args[1] if len(args) > 1 else kwargs["inputs"]
            given = [given] if isinstance(given, torch.Tensor) else given
            return self._note_unknown(why, tuple(torch.empty_like(one) for one in given))

    @staticmethod
    def _steps(name, function, args, kwargs):
        """The function that decomposes a call, or None."""
        steps = decompositions.find(name, kwargs, args)
        return steps if steps or rules.has(name) else own_bodies.find(function)

    def _note_views(self, name, function, args, kwargs, results):
        for one, view in zip(results, views.of_call(name, function, args, kwargs, results)):
            if view:
                self._views[id(one)] = view

    def decompose(self, function, args, kwargs):
        if kwargs.get("out", 0) is None:
            kwargs = {key: value for key, value in kwargs.items() if key != "out"}
        try:
            inspect.signature(function).bind(*args, **kwargs)
        except TypeError as why:
            raise Unknown(f"{function.__name__} with unknown arguments "
                          f"({why})") from None
        with self:
            return function(*args, **kwargs)

    def _call_in_place(self, name, function, args, kwargs):
        """A call that changes its first operand, which becomes a new value, and so do its bases."""
        target = args[0]
        self._change(target, name, function, args, kwargs)
        changed = [target]
        try:
            while id(changed[-1]) in self._views:
                view = self._views[id(changed[-1])]
                value = None if self.name(changed[-1]) is None else view.write(self, changed[-1])
                self.bind(view.base, value)
                changed.append(view.base)
        except Unknown as why:
            self._note_unknown(why, view.base)
        values = [self._values[id(one)][0] for one in changed]
        if name in ("__setitem__", "masked_fill_"):  # whose tensors of one number PyTorch would read
            args = indexing.with_numbers(args) if name == "__setitem__" else (*args[:2], 0)
        result = function(*args, **kwargs)
        for one, value in zip(changed, values):
            self.bind(one, value)
        return result

    def _change(self, target, name, function, args, kwargs):
        """Bind the operand of a call in place to its new value."""
        base = name[:-1] if name.endswith("_") and not name.endswith("__") else name
        others = {key: value for key, value in kwargs.items() if key != "inplace"}
        steps = decompositions.find(base, others, args)
        if not steps:
            self._translate(name, args, kwargs, target)
            return
        try:
            self.bind(target, self.name(self.decompose(steps, args, others)))
        except Unknown as why:
            self._note_unknown(why, target)

    def _translate(self, name, args, kwargs, result):
        tensors = tensors_in(result)
        if not any(tensor.numel() for tensor in tensors):
            for tensor in tensors:
                self.bind(tensor, EMPTY)
            return
        try:
            made = rules.apply(self, name, args, dict(kwargs), result)
        except UnknownOperand:
            made = [None] * len(tensors)
        except Unknown as why:
            self._note_unknown(why, result)
            return
        for tensor, value in zip(tensors, made):
            self.bind(tensor, value)

    def _note_unknown(self, why, result):
        """Note that an operation is unknown, and return its result."""
        self.unknown.append(f"{self.location()}: {why}")
        for tensor in tensors_in(result):
            self.bind(tensor, None)
        return result

    def _is_called_by_file(self):
        """True if a line of the file itself makes the call, and no library for it."""
        frame = sys._getframe()
        while frame and frame.f_code.co_filename.startswith(WITHIN):
            frame = frame.f_back
        return frame is not None and frame.f_code.co_filename == self._file

    def location(self):
        frame = sys._getframe()
        while frame and frame.f_code.co_filename != self._file:
            frame = frame.f_back
        return f"{self._file}:{frame.f_lineno}" if frame else self._file


class UnknownOperand(Exception):
    """An operand is the result of an unknown operation, which has already been noted."""
