"""
Keeps PyTorch from importing its compiler and sympy while a model is traced.  The functions that
compute shapes import them only to ask whether a number is a symbol, and importing them takes nearly
as long as importing PyTorch.  Sizes are plain numbers here, so small modules stand in for the real
ones.  A stand-in that is asked for anything else makes room for the real modules.
"""

import contextlib
import functools
import importlib
import operator
import sys
import types


class _NoSymbol:
    """Stands for sympy.Basic: nothing is an instance of it."""


def _itself(condition, *_, **__):
    return condition


def _same(x, y):
    if isinstance(x, (tuple, list)) and isinstance(y, (tuple, list)):
        return len(x) == len(y) and all(map(_same, x, y))
    return x == y


def _joined(combine):
    return lambda *conditions: functools.reduce(combine, conditions)


class _StandIn(types.ModuleType):
    """A module with a few names; any other name is that of the real module."""

    def __getattr__(self, name):
        if name == "__path__" and self.__name__ not in _PACKAGES:  # "from" asks every module
            raise AttributeError(name)
        _make_room()
        return getattr(importlib.import_module(self.__name__), name)


def _disable(function=None, *_, **__):
    """torch._dynamo.disable() while nothing is compiled.  PyTorch keeps what this returns."""
    _kept.append(function)
    return function


_kept = []
_PACKAGES = {"sympy", "torch._dynamo"}
_NAMES = {
    "sympy": {"Basic": _NoSymbol},
    "torch._dynamo": {"disable": _disable},
    "torch.fx.experimental.symbolic_shapes": {
        "expect_true": _itself, "guard_bool": _itself, "guard_int": _itself,
        "guard_or_false": _itself, "guard_or_true": _itself, "guard_size_oblivious": _itself,
        "statically_known_true": _itself, "sym_eq": _same, "sym_and": _joined(operator.and_),
        "sym_or": _joined(operator.or_), "is_nested_int": lambda _: False,
        "has_hint": lambda _: True, "size_hint": _itself, "guard_float": _itself,
        "has_guarding_hint": lambda _: True, "guarding_hint_or_throw": _itself},
}


def _make_room():
    """Remove the stand-ins, and what PyTorch has kept of them."""
    for name, members in _NAMES.items():
        if isinstance(sys.modules.get(name), _StandIn):
            stand_in = vars(sys.modules.pop(name))
            for member in members:  # a reader that holds it gets the real one's
                del stand_in[member]
    for function in _kept:
        vars(function).pop("__dynamo_disable", None)
    _kept.clear()


@contextlib.contextmanager
def light_imports():
    """Stand-ins for the modules, unless one of them has been imported."""
    if any(name in sys.modules for name in _NAMES):
        yield
        return
    with contextlib.suppress(ImportError):  # which the real one imports for its readers
        importlib.import_module("torch.fx.experimental._config")
    for name, members in _NAMES.items():
        sys.modules[name] = _StandIn(name)
        vars(sys.modules[name]).update(members)
    try:
        yield
    finally:
        _make_room()
