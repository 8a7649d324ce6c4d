"""Conversion of values to other types of elements."""

from graph import NARROW, VALUES, Unknown


def cast_to(g, input, dtype):
    """The value of a tensor as elements of another type; None: of its own."""
    if dtype is None or dtype == input.dtype:
        return g.name(input)
    if dtype not in VALUES:
        raise Unknown(f"elements of type {dtype}")
    made = g.node("cast", [input], dtype=VALUES[dtype])
    return made if input.is_floating_point() else in_range(g, made, dtype)


def in_range(g, value, dtype):
    """The value of an integer type narrower than 32 bits, which counts on from its least number."""
    if dtype not in NARROW:
        return value
    least, count = NARROW[dtype]
    turns = g.node("div", [g.node("sub", [value, least]), count])
    turns = g.node("sub", [turns, (count - 1) / (2 * count)])  # the nearest whole number is the floor
    turns = g.node("cast", [g.node("add", [turns, g.node("mul", [g.node("sign", [turns]), 0.5])])], dtype="i32")
    return g.node("sub", [value, g.node("mul", [turns, count])])
