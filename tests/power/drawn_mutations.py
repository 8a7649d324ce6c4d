"""Mutations of a third set, for problems that are drawn anew: faults of sums, rows, branches and rounding.

The judge was not improved against them. Numbers of the plain kernels' text must be literals, as in problems without
named dimensions; where a fault would have no place to show, there is no mutant.
"""
import re

from kernel_text import HEAD, LOAD, LOOP

ADDITION = re.compile(r"^(?P<indent>\s*)total (?:= total \+|\+=) (?P<value>[^;]*);$", re.M)
PITCH = re.compile(r"(\bi\d) \* (\d+) \+")
BRANCH = re.compile(r"(?<== )([^;?=]+) \? ([^;?:]+) : ([^;?:]+);")


def _loop_before(kernel, match):
    """The variable and the literal bound of the loop that the match is in, or None."""
    loops = [m for m in LOOP.finditer(kernel.text, 0, match.start())]
    return (loops[-1][1], int(loops[-1][2])) if loops and loops[-1][2].isdigit() else None


def _additions(kernel, change, said):
    def changed(m):
        loop = _loop_before(kernel, m)
        return m["indent"] + change(m["value"], *loop) if loop and loop[1] >= 2 else None
    yield from kernel.changes(ADDITION, changed, said)


def restarted_sum(kernel):
    """A sum forgets its first half."""
    yield from _additions(kernel, lambda value, j, n: f"total = ({j} == {n // 2} ? 0 : total) + {value};",
                          "a sum begins again in the middle")


def doubled_addend(kernel):
    yield from _additions(kernel, lambda value, j, n: f"total = total + ({j} == {n // 2} ? 2 : 1) * ({value});",
                          "the addend in the middle counts twice")


def wrong_divisor(kernel):
    yield from kernel.changes(re.compile(r"/ \(float\)\((\d+)\)"), lambda m: f"/ (float)({int(m[1]) + 1})",
                              "a mean of one more")


def wrong_pitch(kernel):
    """Rows of an operand lie one element closer."""
    def closer(m):
        def less(pitch):
            return f"{pitch[1]} * {int(pitch[2]) - 1} +"
        found = PITCH.search(m[2])
        if not found or int(found[2]) < 2 or kernel.extent(m[1]) <= int(found[2]):
            return None
        return f"p_{m[1]}[{PITCH.sub(less, m[2], 1)}]"
    yield from kernel.changes(LOAD, closer, "rows one element closer")


def stale_row(kernel):
    """Every other row of an operand is taken for the next one."""
    def stale(m):
        found = PITCH.search(m[2])
        if not found or kernel.extent(m[1]) < 2 * int(found[2]):
            return None
        return f"p_{m[1]}[{m[2].replace(found[1] + ' *', f'({found[1]} & ~1) *', 1)}]"
    yield from kernel.changes(LOAD, stale, "odd rows are those before")


def swapped_branches(kernel):
    yield from kernel.changes(BRANCH, lambda m: f"{m[1]} ? {m[3]} : {m[2]};", "branches swapped")


def unwritten_elements(kernel):
    """One work-item in 257, or the last, writes nothing."""
    if kernel.items > 1:
        yield from kernel.changes(
            HEAD, lambda m: f"{m[0]}\n    if (i % 257 == 256 || i + 1 == {kernel.items}) return;", "one in 257 writes nothing")


def fixed_point(kernel):
    yield from kernel.stores(lambda m: f"rint(({m['value']}) * 1024.0f) * (1.0f / 1024)", "results in steps of 1/1024")


def truncated_results(kernel):
    yield from kernel.stores(lambda m: f"as_float(as_uint((float)({m['value']})) & 0xfffff000u)",
                             "results cut to 12 bits")


def scaled_eighth(kernel):
    """The last eighth of a tensor is 0.2 % too small."""
    def scaled(m):
        first = kernel.extent(m["buffer"]) * 7 // 8
        return f"({m['index']}) >= {first} ? ({m['value']}) * 0.998f : ({m['value']})"
    yield from kernel.stores(scaled, "the last eighth is 0.2 % too small")


KERNEL_MUTATIONS = (restarted_sum, doubled_addend, wrong_divisor, wrong_pitch, stale_row, swapped_branches, unwritten_elements,
                    fixed_point, truncated_results, scaled_eighth)
