"""Conversion of values to other types of elements."""

from graph import BYTES, NARROW, VALUES, Unknown


def cast_to(g, input, dtype):
    """The value of a tensor as elements of another type; None: of its own."""
    if dtype is None or dtype == input.dtype:
        return g.name(input)
    if dtype in BYTES:
        return _to_bytes(g, input, *BYTES[dtype])
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


def _to_bytes(g, input, fraction, least, most, largest):
    """The nearest float of 8 bits, halves to the even one; beyond the largest number the largest, as if clamped."""
    x = g.node("clamp", [g.node("cast", [input], dtype="f32")], min=-largest, max=largest)
    size, spacing = g.node("abs", [x]), 2.0 ** (least - fraction)
    spacing = g.node("mul", [g.node("add", [_is_over(g, size, 2.0 ** (least + 1)), 1]), spacing])
    for exponent in range(least + 2, most + 1):
        above = g.node("ge", [size, 2.0 ** exponent])
        spacing = g.node("where", [above, 2.0 ** (exponent - fraction), spacing])
    steps = g.node("div", [size, spacing])
    whole = g.node("cast", [steps], dtype="i32")
    half = g.node("cast", [g.node("div", [whole, 2.0])], dtype="i32")
    odd = g.node("sub", [whole, g.node("mul", [half, 2])])
    part = g.node("sub", [steps, g.node("cast", [whole], dtype="f32")])
    up = g.node("where", [g.node("eq", [part, 0.5]), odd, g.node("cast", [g.node("gt", [part, 0.5])], dtype="i32")])
    steps = g.node("cast", [g.node("add", [whole, up])], dtype="f32")
    return g.node("mul", [g.node("mul", [steps, spacing]), g.node("sign", [x])])


def _is_over(g, value, least):
    """1 where the value is `least` or more, else 0."""
    return g.node("cast", [g.node("ge", [value, least])], dtype="f32")
