"""Mutations that imitate mistakes of language models in kernels: tails, tiles, strides, identities, padding, forms that overflow.

They were written before any of them was judged. Where a fault would have no place to show, there is no mutant.
"""
import re

import sizes
from kernel_text import HEAD, LOAD, LOOP, ROUND

NAME = re.compile(r"\b[A-Za-z_]\w*\b")
ADDITION = re.compile(r"^(?P<indent>\s*)total (?:= total \+|\+=) (?P<value>[^;]*);$", re.M)
ROW_LOOP = re.compile(r"for \(int j = 0; j < ([^;]+); j\+\+\) \{\n(?P<body>(?:[^{}]|\{[^{}]*\})*?)\n    \}")
PITCH = re.compile(r"\* (\([^()]*\)|\w+) \+(?= [^*]*$)")
WIDEST = 1 << 16

HALF = ROUND + ("MUTANT float mutant_half(float x)\n{\n"
                "    const float near = fabs(x) < 6.103515625e-5f ? rint(x * 16777216.0f) / 16777216.0f : mutant_round(x, 13);\n"
                "    return near > 65504 ? INFINITY : near < -65504 ? -INFINITY : near;\n}\n\n")


def _extent_of(kernel, bound):
    """Return the value of a loop's bound at the main dimensions, and whether it varies; None if it is not known."""
    local = re.search(rf"const int {re.escape(bound)} = ([^;]+);", kernel.text) if NAME.fullmatch(bound) else None
    text = local[1] if local else bound
    try:
        value = sizes.number(text, kernel.dims)
    except (NameError, SyntaxError):
        return None
    return value, any(name in kernel.document.get("dynamic", ()) for name in NAME.findall(text))


def _loops(kernel, can_show, change, said):
    """Change the bound of loops at which the fault can show: can_show(main extent, whether it varies)."""
    def changed(m):
        extent = _extent_of(kernel, m[2])
        return change(m) if extent and can_show(*extent) else None
    yield from kernel.changes(LOOP, changed, said)


def _is_rest(divisor):
    return lambda extent, varies: varies or extent % divisor != 0


def _is_always_one(kernel, size):
    return sizes.number(size, kernel.dims) == 1 and not any(name in kernel.document.get("dynamic", ())
                                                            for name in NAME.findall(str(size)))


def _vectors(kernel):
    """Return the names of loaded buffers of one axis, which are broadcast."""
    tensors = {**kernel.document["tensors"], **kernel.plan.get("scratch", {})}
    return {name for name, tensor in tensors.items() if len(tensor["shape"]) == 1}


def epsilon_outside_root(kernel):
    yield from kernel.changes(re.compile(r"rsqrt\(([^;]*) \+ (\d[\w.-]*f)\)"),
                              lambda m: f"1.0f / (sqrt({m[1]}) + {m[2]})", "epsilon beside the root")


def unbiased_norm(kernel):
    yield from kernel.changes(re.compile(r"squares / \(float\)\((\w+)\)"),
                              lambda m: f"squares / (float)({m[1]} - 1)", "a variance of one less")


def half_intermediate(kernel):
    if kernel.needs_bits:
        for said, text in kernel.stores(lambda m: f"mutant_half({m['value']})", "results kept in f16"):
            yield said, text, HALF


def short_index(kernel):
    """An index of 16 bits wraps."""
    def short(m):
        return f"p_{m[1]}[({m[2]}) & 0xffff]" if kernel.extent(m[1]) > WIDEST else None
    yield from kernel.changes(LOAD, short, "an index of 16 bits")


def stale_tile(kernel):
    """The rest of the last tile of sixteen has the products of the tile before."""
    def stale(m):
        loop = [loop for loop in LOOP.finditer(kernel.text, 0, m.start())]
        extent = _extent_of(kernel, loop[-1][2]) if loop else None
        if not extent or extent[0] < 17 or not _is_rest(16)(*extent):
            return None
        j, n = loop[-1][1], loop[-1][2]
        twice = f"({j} >= ({n}) - 16 && {j} % 16 >= ({n}) % 16 && ({n}) > 16 ? 2 : 1)"
        return f"{m['indent']}total = total + {twice} * ({m['value']});"
    yield from kernel.changes(ADDITION, stale, "the last tile has values of the one before")


def vector_tail_lost(kernel):
    yield from _loops(kernel, _is_rest(4), lambda m: m[0].replace(f"< {m[2]};", f"< ({m[2]}) / 4 * 4;"),
                      "without the rest by four")


def lane_lost(kernel):
    """A sum lacks the last of 32 lanes."""
    def lost(m):
        loop = [loop for loop in LOOP.finditer(kernel.text, 0, m.start())]
        extent = _extent_of(kernel, loop[-1][2]) if loop else None
        if not extent or extent[0] < 32:
            return None
        return f"{m['indent']}total = total + ({loop[-1][1]} % 32 == 31 ? 0 : 1) * ({m['value']});"
    yield from kernel.changes(ADDITION, lost, "without the last lane")


def one_block(kernel):
    """A row is as long as a block of 1024 threads at most."""
    yield from _loops(kernel, lambda extent, varies: extent > 1024,
                      lambda m: m[0].replace(f"< {m[2]};", f"< min({m[2]}, 1024);"), "1024 elements at most")


def finite_identity(kernel):
    """A maximum of numbers that are never negative begins at -10000 as well as at -infinity."""
    operand = kernel.node["in"][0]
    if operand in kernel.reach.free:
        yield from kernel.changes(
            re.compile(r"(?<![=!])= (-?)INFINITY"),
            lambda m: None if m[1] and operand in kernel.reach.positive else f"= {m[1]}10000.0f",
            "a maximum that begins at 10000")


def flat_broadcast(kernel):
    """A vector of channels is read by the number of the element."""
    vectors = _vectors(kernel)

    def flat(m):
        if m[1] not in vectors or not re.fullmatch(r"i\d", m[2]) or kernel.extent(m[1]) < 2:
            return None
        is_last = re.search(rf"const int {m[2]} = i % (\w+|\([^;]*\));", kernel.text)
        return None if is_last or f"const int {m[2]} = i;" in kernel.text else f"p_{m[1]}[i % {kernel.extent(m[1])}]"
    if not any(name in kernel.document.get("dynamic", ()) for name in NAME.findall(kernel.text[kernel.text.index("{"):])):
        yield from kernel.changes(LOAD, flat, "a vector by the number of the element")


def wrong_stride(kernel):
    """An operand's last axis has the length of another axis."""
    def other(m):
        shape = {**kernel.document["tensors"], **kernel.plan.get("scratch", {})}[m[1]]["shape"]
        found = PITCH.search(m[2])
        if not found or len(shape) < 2:
            return None
        length = shape[-1] if len(shape) == 2 else shape[-2]
        first = shape[0] if len(shape) == 2 else shape[-1]
        if sizes.number(length, kernel.dims) == sizes.number(first, kernel.dims) or str(first) == found[1]:
            first = shape[0]
        if sizes.number(first, kernel.dims) == sizes.number(found[1], kernel.dims) or _is_row_zero(kernel, m, found):
            return None
        index = f"{m[2][:found.start()]}* ({first}) +{m[2][found.end():]}"
        return f"p_{m[1]}[min((int)({index}), {_last(kernel, m[1])})]"
    yield from kernel.changes(LOAD, lambda m: _or_none(other, m), "rows of another length")


def _is_row_zero(kernel, load, pitch):
    """Tell if the index of the row is always 0: the number, or that of a loop of one step."""
    row = re.search(r"(\w+)\)* $", load[2][:pitch.start()])
    loops = [loop for loop in LOOP.finditer(kernel.text, 0, load.start()) if row and loop[1] == row[1]]
    return bool(row) and (row[1] == "0" or bool(loops) and _extent_of(kernel, loops[-1][2]) == (1, False))


def _or_none(change, match):
    try:
        return change(match)
    except (NameError, SyntaxError):
        return None


def _last(kernel, buffer):
    """Return the index of the last element of a buffer, in dimensions that the kernel has."""
    shape = {**kernel.document["tensors"], **kernel.plan.get("scratch", {})}[buffer]["shape"]
    return " * ".join(f"({size})" for size in shape) + " - 1"


def bias_missing_in_tail(kernel):
    """The last tile of sixteen columns, if it is not whole, has no bias."""
    def missing(m):
        extent = _extent_of(kernel, str(_shape(kernel, m[1])[0]))
        if len(_shape(kernel, m[1])) != 1 or not extent or not _is_rest(16)(*extent):
            return None
        size = _shape(kernel, m[1])[0]
        return f"float total = ({m[2]}) >= ({size}) / 16 * 16 ? 0 : p_{m[1]}[{m[2]}];"
    yield from kernel.changes(re.compile(r"float total = p_(\w+)\[([^\]]*)\];"), missing, "no bias in the last tile")


def _shape(kernel, buffer):
    return {**kernel.document["tensors"], **kernel.plan.get("scratch", {})}[buffer]["shape"]


def transposed_weight(kernel):
    def transposed(m):
        found = re.fullmatch(r"(\w+) \* (\w+) \+ (\w+)", m[2])
        shape = _shape(kernel, m[1])
        if not found or len(shape) != 2 or any(_is_always_one(kernel, size) for size in shape):
            return None
        return f"p_{m[1]}[{found[3]} * ({shape[0]}) + {found[1]}]"
    if kernel.node["op"] in ("linear", "matmul"):
        yield from kernel.changes(LOAD, transposed, "a transposed operand")


def mask_off_by_one(kernel):
    yield from kernel.changes(re.compile(r"min\((\w+), (i\d) \+ 1\)"), lambda m: f"min({m[1]}, {m[2]} + 2)",
                              "a key of the future")


def wrong_score_scale(kernel):
    yield from kernel.changes(re.compile(r"score \*= ([\d.e-]+)f;"), lambda m: f"score *= {float(m[1]) ** 2:.9g}f;",
                              "scores by the length, not by its root")


def overflowing_form(kernel):
    """tanh and sigmoid by exponentials that overflow."""
    out, operand = kernel.node["out"], kernel.node["in"][0]
    if operand in kernel.reach.free:
        yield from kernel.changes(re.compile(r"\btanh\(([^()]*(?:\([^()]*\)[^()]*)*)\)"),
                                  lambda m: f"((exp(2.0f * ({m[1]})) - 1.0f) / (exp(2.0f * ({m[1]})) + 1.0f))",
                                  "tanh by exponentials")
        yield from kernel.changes(re.compile(r"1\.0f / \(1\.0f \+ exp\(-(p_\w+\[[^\]]*\])\)\)"),
                                  lambda m: f"exp({m[1]}) / (1.0f + exp({m[1]}))", f"{out} by an exponential that overflows")


def replicated_padding(kernel):
    yield from kernel.changes(re.compile(r"const int (x\d) = ([^;,]*);\n\s*if \(\1 < 0 \|\| \1 >= (\w+)\)\n\s*continue;"),
                              lambda m: f"const int {m[1]} = min(max({m[2]}, 0), {m[3]} - 1);",
                              "the edge in place of padding")


def zero_padding_in_maximum(kernel):
    if kernel.node["op"].startswith("max_pool") and kernel.node["in"][0] not in kernel.reach.positive:
        def padded(m):
            return f"{m[1]} {{\n    most = max(most, 0.0f);\n    continue; }}"
        yield from kernel.changes(re.compile(r"(if \(x\d < 0 \|\| x\d >= \w+\))\s*continue;"), padded,
                                  "padding with zeros")


def floored_grid(kernel):
    """The number of groups of 64 is rounded down."""
    if not kernel.is_whole(64):
        yield from kernel.changes(HEAD, lambda m: f"{m[0]}\n    if (i >= get_global_size(0) / 64 * 64) return;",
                                  "whole groups of 64 only")


def limited_grid(kernel):
    """A grid has 65535 groups of one at most."""
    if kernel.items > 65535:
        yield from kernel.changes(HEAD, lambda m: f"{m[0]}\n    if (i >= 65535) return;", "65535 work-items only")


def padded_row(kernel):
    """A row is filled up to a multiple of sixteen with zeros that count."""
    def padded(m):
        extent = _extent_of(kernel, m[1])
        body = m["body"]
        load = re.search(r"const float x = (p_\w+\[[^;]*\]);", body)
        counts = any(text in body for text in ("larger(", "smaller(", "exp(", "- centre"))
        if not extent or not load or not counts or "] = " in body or not _is_rest(16)(*extent):
            return None
        body = body.replace(load[0], f"const float x = j < {m[1]} ? {load[1]} : 0.0f;")
        return f"for (int j = 0; j < (({m[1]}) + 15) / 16 * 16; j++) {{\n{body}\n    }}"
    if "place" not in kernel.text:
        yield from kernel.changes(ROW_LOOP, padded, "a row filled up with zeros")


def log_of_softmax(kernel):
    if kernel.node["in"][0] in kernel.reach.free:
        yield from kernel.changes(re.compile(r"= x - shift;"), lambda m: "= log(exp(x - shift));", "log of a softmax")


def lost_carry(kernel):
    """A scan begins again in each tile of 32."""
    def lost(m):
        loop = [loop for loop in LOOP.finditer(kernel.text, 0, m.start())]
        extent = _extent_of(kernel, loop[-1][2]) if loop else None
        if not extent or extent[0] <= 32:
            return None
        return f"running = ({loop[-1][1]} % 32 == 0 ? {1 if m[1] == '*' else 0} : running) {m[1]} "
    yield from kernel.changes(re.compile(r"running = running ([+*]) "), lost, "tiles without a carry")


def wrong_head_of_group(kernel):
    """A head takes the keys of another group.  With one group, or one of each head, there is no other."""
    def wrong(m):
        heads, groups = (sizes.number(m[k], kernel.dims) for k in (2, 3))
        return None if heads == groups or _is_always_one(kernel, m[3]) else f"{m[1]} % {m[3]}"
    yield from kernel.changes(re.compile(r"(i\d) / \((\w+) / (\w+)\)"), wrong, "another head of keys")


def first_batch_always(kernel):
    """The place of the first axis is forgotten in a load."""
    def first(m):
        if not re.match(r"\(*i0 \*", m[2]) or _is_always_one(kernel, _shape(kernel, m[1])[0]):
            return None
        return f"p_{m[1]}[{m[2].replace('i0', '0', 1)}]"
    yield from kernel.changes(LOAD, first, "always the first row or batch")


def output_not_cleared(kernel):
    store = re.search(r"(p_\w+\[i\]) = ", kernel.text)
    if store:
        yield from kernel.changes(re.compile(r"float total = 0;"), lambda m: f"float total = {store[1]};",
                                  "a sum that begins with what was there")


def mean_of_tile_means(kernel):
    """The rest of a row weighs as much as a whole tile of sixteen."""
    extent = re.search(r"total / \(float\)\((\w+)\)", kernel.text)
    known = _extent_of(kernel, extent[1]) if extent else None
    if known and known[0] > 16 and _is_rest(16)(*known):
        n = extent[1]
        text = kernel.text.replace("total = total + x;",
                                   f"total = total + x * (j < {n} / 16 * 16 ? 1.0f : 16.0f / ({n} % 16));", 1)
        text = text.replace(extent[0], f"total / (float)(({n} + 15) / 16 * 16)", 1)
        if text.count("16.0f /"):
            yield "a mean of the means of tiles", text


def place_in_tile(kernel):
    """An index of the largest element counts within a tile of 64."""
    extents = [_extent_of(kernel, m[2]) for m in LOOP.finditer(kernel.text)]
    if "place = min(" in kernel.text and any(extent and extent[0] > 64 for extent in extents):
        yield from kernel.changes(re.compile(r"= place;"), lambda m: "= place % 64;", "a place within a tile")


KERNEL_MUTATIONS = (epsilon_outside_root, unbiased_norm, half_intermediate, short_index, stale_tile, vector_tail_lost, lane_lost,
                    one_block, finite_identity, flat_broadcast, wrong_stride, bias_missing_in_tail, transposed_weight,
                    mask_off_by_one, wrong_score_scale, overflowing_form, replicated_padding, zero_padding_in_maximum,
                    floored_grid, limited_grid, padded_row, log_of_softmax, lost_carry, wrong_head_of_group,
                    first_batch_always, output_not_cleared, mean_of_tile_means, place_in_tile)
