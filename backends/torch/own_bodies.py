"""
Functions of torch.nn.functional that are written in Python.  Such a function first asks whether a mode wants
the call.  Here it hears no, once, and goes on, so that the mode gets the calls in its body.
"""

import types

import torch.nn.functional as F


def find(function):
    """The function as its own decomposition; None if it is not written in Python."""
    if not isinstance(function, types.FunctionType) or function.__globals__ is not vars(F):
        return None
    questions = [name for name in function.__code__.co_names if name.startswith("has_torch_function")]
    return _unasked(function, questions) if questions else None


def _unasked(function, questions):
    def run(*args, **kwargs):
        asked = {name: getattr(F, name) for name in questions}

        def restore():
            vars(F).update(asked)

        def say_no(*_):
            restore()
            return False

        vars(F).update(dict.fromkeys(questions, say_no))
        try:
            return function(*args, **kwargs)
        finally:
            restore()
    run.__name__ = function.__name__
    return run
