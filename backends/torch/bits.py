"""
Decompositions (decompositions.py) of operators on the bits of integers, where arithmetic can express them: shifts
and masks by numbers.
"""

import torch

from graph import Unknown

MOST_BITS = 16  # of a number whose bits are not all at the end


def shift_left(input, other):
    if not isinstance(other, int):
        raise Unknown("a shift by the numbers of a tensor")
    return input * (1 << other)


def shift_right(input, other):
    if not isinstance(other, int):
        raise Unknown("a shift by the numbers of a tensor")
    return torch.floor_divide(input, 1 << other)


def masked_by_number(input, number):
    """input & number: the remainder for the lowest bits, else the sum of single bits."""
    if number < 0 or number.bit_length() > MOST_BITS and number & (number + 1):
        raise Unknown(f"and of integers with {number}")
    if number & (number + 1) == 0:
        return torch.remainder(input, number + 1)
    bits = [torch.remainder(shift_right(input, bit), 2) * (1 << bit)
            for bit in range(number.bit_length()) if number >> bit & 1]
    return sum(bits[1:], bits[0])


def is_number_mask(args):
    """True for the operands of an and of integers with a number."""
    return (len(args) == 2 and isinstance(args[1], int) and not isinstance(args[1], bool) and
            isinstance(args[0], torch.Tensor) and args[0].dtype != torch.bool)


FUNCTIONS = {"__lshift__": shift_left, "bitwise_left_shift": shift_left, "__rshift__": shift_right,
             "bitwise_right_shift": shift_right}
