"""
Traces a model to a graph: runs forward once on tensors without contents, and translates each torch
function that it calls to operations of a problem.

Python code runs as usual, so loops, branches and assertions that depend only on shapes are resolved
during the trace.  The tracer of torch.fx stops at these, and does not know the line of a call.
"""

import inspect
import sys

import torch

import decompositions
import rules
import scalars
import shapes
from graph import Graph, Unknown
from meta_mode import MetaMode, tensors_in


class Tracer(MetaMode):
    """Active while forward runs."""

    def __init__(self, file):
        super().__init__()
        self.graph = Graph()
        self.unknown = []  # texts "FILE:LINE: operation", in the order of the calls
        self._file = file
        self._values = {}  # by id: name or None, the tensor's version, the tensor (kept alive)
        self._constants = {}

    def bind(self, tensor, name):
        """Make `tensor` the value `name`; None means that an unknown operation made it."""
        self._values[id(tensor)] = (name, tensor._version, tensor)

    def name(self, tensor):
        """The name of the value that a tensor holds; None if an unknown operation made it."""
        if id(tensor) not in self._values:
            raise Unknown("a tensor that was made outside of the graph")
        name, version, _ = self._values[id(tensor)]
        if version != tensor._version:
            raise Unknown("a tensor that was changed through another one that shares its memory")
        return name

    def constants(self):
        """The constant tensors that forward makes, {name: (tensor, number)}."""
        return self._constants

    # The interface for rules.py, which also reads `graph`.

    def node(self, op, operands, **attributes):
        """Append an operation on tensors, names and numbers; returns the name of its result."""
        names = [self.name(o) if isinstance(o, torch.Tensor) else o for o in operands]
        if None in names:
            raise UnknownOperand
        if not any(isinstance(name, str) for name in names):
            return scalars.compute(op, names, attributes)
        return self.graph.node(op, names, **attributes)

    def constant(self, tensor, number):
        """A tensor in which every element is `number`; for a scalar the number itself."""
        if tensor.dim() == 0:
            return number
        for name, (other, same) in self._constants.items():
            if (same, other.shape, other.dtype) == (number, tensor.shape, tensor.dtype):
                return name
        name = f"constant{len(self._constants) + 1}"
        self._constants[name] = (tensor, number)
        return name

    def on_call(self, name, function, args, kwargs):
        if name in decompositions.FUNCTIONS:
            try:
                return self._decompose(decompositions.FUNCTIONS[name], args, kwargs)
            except Unknown as why:
                known = why.result
                return self._note_unknown(why, function(*args, **kwargs) if known is None else known)
        if rules.is_in_place(name, kwargs):
            return self._call_in_place(name, function, args, kwargs)
        result = shapes.call(name, function, args, kwargs)
        if tensors_in(result):
            self._translate(name, args, kwargs, result)
        return result

    def _decompose(self, function, args, kwargs):
        try:
            inspect.signature(function).bind(*args, **kwargs)
        except TypeError as why:
            raise Unknown(f"{function.__name__} with unknown arguments "
                          f"({why})") from None
        with self:
            return function(*args, **kwargs)

    def _call_in_place(self, name, function, args, kwargs):
        """A call that changes its first operand, which becomes a new value."""
        target = args[0]
        self._translate(name, args, kwargs, target)
        changed = self._values[id(target)][0]
        result = function(*args, **kwargs)
        self.bind(target, changed)
        return result

    def _translate(self, name, args, kwargs, result):
        tensors = tensors_in(result)
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
        self.unknown.append(f"{self._location()}: {why}")
        for tensor in tensors_in(result):
            self.bind(tensor, None)
        return result

    def _location(self):
        frame = sys._getframe()
        while frame and frame.f_code.co_filename != self._file:
            frame = frame.f_back
        return f"{self._file}:{frame.f_lineno}" if frame else self._file


class UnknownOperand(Exception):
    """An operand is the result of an unknown operation, which has already been noted."""
