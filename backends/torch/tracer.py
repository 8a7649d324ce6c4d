"""
From a model to a graph.  forward runs once on tensors without contents, and each torch function
that it calls is written down as operations of a problem.  Python runs as it is, so that whatever
depends on shapes alone (loops, branches, assertions) is decided while recording; torch.fx's own
tracer stops at these, and does not know the lines of the file that calls come from.
"""

import inspect
import sys

import torch

import rules
import shapes
import decompositions
from graph import Graph, Unknown
from meta_mode import MetaMode, tensors_in


class Tracer(MetaMode):
    """Active around forward."""

    def __init__(self, file):
        super().__init__()
        self.graph = Graph()
        self.unknown = []  # in words, with their lines, in the order of the calls
        self._file = file
        self._values = {}  # by id: name or None, the tensor's version then, the tensor
        self._constants = {}

    def bind(self, tensor, name):
        """The tensor is the value `name` from now on, None being one that nobody knows."""
        self._values[id(tensor)] = (name, tensor._version, tensor)

    def name(self, tensor):
        """The value that a tensor is; None where an unknown operation made it."""
        if id(tensor) not in self._values:
            raise Unknown("a tensor that was made outside of the graph")
        name, version, _ = self._values[id(tensor)]
        if version != tensor._version:
            raise Unknown("a tensor that was changed through another one over its memory")
        return name

    def constants(self):
        """Tensors of one number that forward makes, {name: (tensor, number)}."""
        return self._constants

    # What rules ask for, beside the graph.

    def node(self, op, operands, **attributes):
        names = [self.name(o) if isinstance(o, torch.Tensor) else o for o in operands]
        if None in names:
            raise Poisoned
        return self.graph.node(op, names, **attributes)

    def constant(self, tensor, number):
        """A tensor of one number that forward makes; a scalar is the number."""
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
                return self._give_up(why, function(*args, **kwargs))
        if rules.is_in_place(name, kwargs):
            return self._change(name, function, args, kwargs)
        result = shapes.call(name, function, args, kwargs)
        if tensors_in(result):
            self._write(name, args, kwargs, result)
        return result

    def _decompose(self, function, args, kwargs):
        try:
            inspect.signature(function).bind(*args, **kwargs)
        except TypeError as why:
            raise Unknown(f"{function.__name__} with arguments that are not known "
                          f"({why})") from None
        with self:
            return function(*args, **kwargs)

    def _change(self, name, function, args, kwargs):
        """A call that changes its first operand, which is another value afterwards."""
        target = args[0]
        self._write(name, args, kwargs, target)
        changed = self._values[id(target)][0]
        result = function(*args, **kwargs)
        self.bind(target, changed)
        return result

    def _write(self, name, args, kwargs, result):
        tensors = tensors_in(result)
        try:
            made = rules.apply(self, name, args, dict(kwargs), result)
        except Poisoned:
            made = [None] * len(tensors)
        except Unknown as why:
            self._give_up(why, result)
            return
        for tensor, value in zip(tensors, made):
            self.bind(tensor, value)

    def _give_up(self, why, result):
        """The result of an unknown operation, which is noted."""
        self.unknown.append(f"{self._place()}: {why}")
        for tensor in tensors_in(result):
            self.bind(tensor, None)
        return result

    def _place(self):
        frame = sys._getframe()
        while frame and frame.f_code.co_filename != self._file:
            frame = frame.f_back
        return f"{self._file}:{frame.f_lineno}" if frame else self._file


class Poisoned(Exception):
    """An operand comes of an unknown operation, which has been told of."""
