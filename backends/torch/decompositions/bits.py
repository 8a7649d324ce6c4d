"""
Decompositions of operators on the bits of integers, which arithmetic expresses: shifts are
products and quotients of powers of two, and the other operators join the bits, along an axis of their own.
"""

import torch

from .pointwise import floor_divide

MOST_BITS = {torch.uint8: 8, torch.int8: 8, torch.int16: 16, torch.int32: 31,
             torch.int64: 52}  # integers are exact to 2^53


def _powers(count, other):
    """1, 2, 4 ... along an axis, in the type of another tensor."""
    one, two = (torch.full([length], number, dtype=other.dtype, device=other.device)
                for length, number in ((1, 1), (count - 1, 2)))
    return torch.cat([one, two]).cumprod(0).to(other.dtype)


def _power(input, other):
    """2 to the number `other`; the highest bit of a type is its sign."""
    if isinstance(other, int):
        return 1 << other
    return _powers(MOST_BITS.get(input.dtype, 52) if isinstance(input, torch.Tensor) else 31, other)[other.long()]


def shift_left(input, other):
    return input * _power(input, other)


def shift_right(input, other):
    return floor_divide(input, _power(input, other), True)


def _split(x, count):
    """The lowest bits of a number along a last axis, and whether it is negative."""
    shifted = floor_divide(x.unsqueeze(-1), _powers(count, x), True)
    highest = (x < 0).to(x.dtype)  # all bits beyond
    above = torch.cat([shifted[..., 1:], -highest.unsqueeze(-1)], -1)
    return shifted - 2 * above, highest


def _joined(join):
    def function(input, other):
        input, other = (torch.full([1], x, dtype=y.dtype) if isinstance(x, int) else x
                        for x, y in ((input, other), (other, input)))
        dtype = torch.result_type(input, other)
        input, other = input.to(dtype), other.to(dtype)
        count = MOST_BITS[dtype]
        (a, below), (b, under) = _split(input, count), _split(other, count)
        made = (join(a, b) * _powers(count, a)).sum(-1).to(dtype)
        return made if dtype == torch.uint8 else made - join(below, under) * (1 << count)
    return function


_and, _or, _xor = (_joined(join) for join in (torch.minimum, torch.maximum, lambda a, b: (a - b) * (a - b)))


def _masked(input, other):
    """The remainder for a mask of the lowest bits, else the bits that both numbers have."""
    input, other = (other, input) if isinstance(input, int) else (input, other)
    if isinstance(other, int) and other >= 0 and other & (other + 1) == 0:
        return torch.remainder(input, other + 1)
    return _and(input, other)


def _inverted(input):
    return 255 - input if input.dtype == torch.uint8 else -1 - input


OF_INTEGERS = {"__invert__": _inverted, "bitwise_not": _inverted}
for _name, _function in (("and", _masked), ("or", _or), ("xor", _xor)):
    OF_INTEGERS.update({f"__{_name}__": _function, f"__r{_name}__": _function, f"__i{_name}__": _function,
                        f"bitwise_{_name}": _function})


def find(name, args):
    """The decomposition of an operator on integers; None for one on masks."""
    if name not in OF_INTEGERS or any(isinstance(x, bool) or isinstance(x, torch.Tensor) and x.dtype == torch.bool
                                      for x in args):
        return None
    return OF_INTEGERS[name]


FUNCTIONS = {"__lshift__": shift_left, "bitwise_left_shift": shift_left, "__rshift__": shift_right,
             "bitwise_right_shift": shift_right, "__rlshift__": lambda input, other: shift_left(other, input),
             "__rrshift__": lambda input, other: shift_right(other, input), "__ilshift__": shift_left,
             "__irshift__": shift_right}
