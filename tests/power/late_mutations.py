"""Mutations of a fifth set, written after all changes of the judge and before any of them was judged."""
import re

from kernel_text import LOAD, LOOP

ADDITION = re.compile(r"^(?P<indent>\s*)total (?:= total \+|\+=) (?P<value>[^;]*);$", re.M)
LITERAL = re.compile(r"(?<![\w.])(\d+\.\d+(?:e-?\d+)?)f\b")
CALL = re.compile(r"\bexp\(")


def _bound(kernel, match):
    loops = [m for m in LOOP.finditer(kernel.text, 0, match.start())]
    return (loops[-1][1], int(loops[-1][2])) if loops and loops[-1][2].isdigit() else None


def next_element(kernel):
    """A load is one element late, but for the last one."""
    def after(m):
        extent = kernel.extent(m[1])
        return f"p_{m[1]}[min((int)({m[2]}) + 1, {extent - 1})]" if extent > 1 else None
    yield from kernel.changes(LOAD, after, "the element after")


def short_buffer(kernel):
    """A tile of 256 elements is read again from its beginning."""
    def again(m):
        return f"p_{m[1]}[(int)({m[2]}) % 256]" if kernel.extent(m[1]) > 256 else None
    yield from kernel.changes(LOAD, again, "an index modulo 256")


def sampled_sum(kernel):
    """Every other addend, counted twice."""
    def half(m):
        loop = _bound(kernel, m)
        if not loop or loop[1] < 4:
            return None
        return f"{m['indent']}total = total + ({loop[0]} % 2 == 0 ? 2 : 0) * ({m['value']});"
    yield from kernel.changes(ADDITION, half, "every other addend twice")


def early_end(kernel):
    """A loop ends after nine tenths of its steps."""
    def shorter(m):
        if not m[2].isdigit() or int(m[2]) < 20:
            return None
        return m[0].replace(f"< {m[2]};", f"< {int(m[2]) * 9 // 10};")
    yield from kernel.changes(LOOP, shorter, "nine tenths of the steps")


def short_literal(kernel):
    """A number has three digits."""
    def rounded(m):
        text = f"{float(m[1]):.3g}"
        text = text if "." in text or "e" in text else text + ".0"
        return f"{text}f" if abs(float(text) - float(m[1])) > 3e-4 * abs(float(m[1])) else None
    if kernel.is_precise:
        yield from kernel.changes(LITERAL, rounded, "a number of three digits")


def rough_exponent(kernel):
    if kernel.is_precise and kernel.node["out"] not in kernel.reach.coarse:
        yield from kernel.changes(CALL, lambda m: "exp(1.001f * ", "an exponent 0.1 % too large")


def offset_result(kernel):
    if kernel.is_precise and kernel.node["out"] not in kernel.reach.coarse:
        yield from kernel.stores(lambda m: f"({m['value']}) + 2e-3f", "results 0.002 too large")


def exchanged_stores(kernel):
    """A result of every 200 goes to its neighbour's place, whose own is lost."""
    for match in re.finditer(r"^(?P<indent>\s*)(?P<place>p_(?P<buffer>\w+)\[i\]) = (?P<value>.*);$", kernel.text, re.M):
        if kernel.extent(match["buffer"]) >= 4:
            changed = (f"{match['indent']}p_{match['buffer']}[i % 200 == 2 || i % 200 == 3 ? min(i ^ 1, "
                       f"{kernel.extent(match['buffer']) - 1}) : i] = {match['value']};")
            yield (f"two neighbours exchanged: {match[0].strip()}",
                   kernel.text[:match.start()] + changed + kernel.text[match.end():])


def sign_lost(kernel):
    """The magnitude of an operand."""
    def magnitude(m):
        usable = kernel.is_float(m[1]) and m[1] not in kernel.reach.positive
        tensor = kernel.document["tensors"].get(m[1], {})
        fill = tensor.get("fill", {})
        is_positive = fill.get("uniform", [-1])[0] >= 0 or "integers" in fill or fill.get("constant", -1) >= 0
        return f"fabs({m[0]})" if usable and not is_positive and kernel.node["op"] != "abs" else None
    if not (kernel.node["op"] == "mul" and len(set(map(str, kernel.node["in"]))) == 1):
        yield from kernel.changes(LOAD, magnitude, "the magnitude of an operand")


def half_range(kernel):
    """Results are kept within the range of f16."""
    if kernel.node["out"] in kernel.reach.free and kernel.is_precise:
        yield from kernel.stores(lambda m: f"min(max((float)({m['value']}), -65504.0f), 65504.0f)", "results within f16")


def grouped_mean(kernel):
    """The count of a mean is a power of two."""
    def power(m):
        n = int(m[1])
        return f"/ (float)({1 << n.bit_length()})" if n & (n - 1) else None
    yield from kernel.changes(re.compile(r"/ \(float\)\((\d+)\)"), power, "a mean of the next power of two")


KERNEL_MUTATIONS = (next_element, short_buffer, sampled_sum, early_end, short_literal, rough_exponent, offset_result,
                    exchanged_stores, sign_lost, half_range, grouped_mean)
