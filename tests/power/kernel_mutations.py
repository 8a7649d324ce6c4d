"""Mutations of the text of plain kernels: faults that a graph cannot say, such as a short loop or rounded sums."""
import re

from kernel_text import BFLOAT_BITS, EXPONENTIALS, HALF_BITS, HEAD, LOOP, ROUND

SUM = re.compile(r"^(?P<indent>\s*)(?:(?P<name>\w+(?:\[\w+\])?) \+= |(?P<other>\w+) = (?P=other) \+ )"
                 r"(?P<value>(?!1;).*);$", re.M)
PRODUCT = re.compile(r"(p_\w+\[[^\[\]]*(?:\[[^\]]*\])?[^\[\]]*\]) \* (p_\w+\[[^\]]*\])")

# Rough versions of functions, as some kernels have them.
FAST = {
    "exp": "MUTANT float mutant_exp(float x)\n{\n"
           "    return x < -87 ? 0 : x > 88 ? INFINITY : as_float((uint)(12102203.0f * x + 1064866805.0f));\n}\n\n",
    "erf": "MUTANT float mutant_erf(float x)\n{\n    return tanh(1.128379167f * (x + 0.0893f * x * x * x));\n}\n\n",
    "rsqrt": "MUTANT float mutant_rsqrt(float x)\n{\n    const float y = as_float(0x5f3759df - (as_uint(x) >> 1));\n"
             "    return y * (1.5f - 0.5f * x * y * y);\n}\n\n",
    "tanh": "MUTANT float mutant_tanh(float x)\n{\n"
            "    return min(max(x * (27 + x * x) / (27 + 9 * x * x), -1.0f), 1.0f);\n}\n\n",
    "log": "MUTANT float mutant_log(float x)\n{\n    return 8.2629582e-8f * (float)as_uint(x) - 87.989971f;\n}\n\n",
}

def _tile(kernel):
    """Return how many of the numbers `i` are a tile, and the condition that `i` is in the last one.

    `i` numbers the work-items, or the groups where a group computes a row or a tile.
    """
    count = "get_global_size(0)" if HEAD.search(kernel.text) else "get_num_groups(0)"
    if (kernel.items if HEAD.search(kernel.text) else kernel.groups) > 5:
        return 5, f"i + 5 >= {count} && {count} > 5"
    return 1, f"i + 1 >= {count}"


def missing_last_tile(kernel):
    tile, is_last = _tile(kernel)
    yield from kernel.changes(HEAD, lambda m: f"{m[0]}\n    if ({is_last}) return;", f"the last {tile} return")


def zeroed_last_tile(kernel):
    tile, is_last = _tile(kernel)
    yield from kernel.stores(lambda m: f"{is_last} ? 0 : ({m['value']})", f"the last {tile} store zeros", False)


def one_in_a_thousand(kernel):
    """One element in a thousand is wrong; of small tensors one in half of their elements."""
    def wrong(m):
        extent = kernel.extent(m["buffer"])
        every = 1000 if extent >= 2000 else max(1, extent // 2)
        off = f"({m['value']}) * 1.05f" if kernel.is_float(m["buffer"]) else f"({m['value']}) + 1"
        return f"({m['index']}) % {every} == {every - 1} ? {off} : ({m['value']})"
    yield from kernel.stores(wrong, "one element in a thousand is off", False)


def saturated(kernel):
    if kernel.node["out"] in kernel.reach.free:
        yield from kernel.stores(lambda m: f"fabs((float)({m['value']})) > 12 ? 0 : ({m['value']})",
                                 "values above 12 become 0")


def small_values_lost(kernel):
    if kernel.node["out"] not in kernel.reach.whole:
        yield from kernel.stores(lambda m: f"fabs((float)({m['value']})) < 0.01f ? 0 : ({m['value']})",
                                 "values below 0.01 become 0")


def negative_values_lost(kernel):
    out = kernel.node["out"]
    if out in kernel.reach.free - kernel.reach.positive - kernel.reach.never_low and kernel.reach.cut(out) < -3:
        yield from kernel.stores(lambda m: f"({m['value']}) < -3 ? -3 : ({m['value']})", "values below -3 become -3")


def short_loop(kernel):
    yield from kernel.changes(LOOP, lambda m: m[0].replace(f"< {m[2]};", f"< ({m[2]}) - 1;"), "without the last step")
    yield from kernel.changes(LOOP, lambda m: m[0].replace("= 0;", "= 1;"), "without the first step")


def rounded_sums(kernel):
    def rounded(m):
        name = m["name"] or m["other"]
        return f"{m['indent']}{name} = mutant_round({name} + ({m['value']}), {HALF_BITS});"
    if "float" in kernel.text and kernel.node["out"] not in kernel.reach.short:
        for said, text in kernel.changes(SUM, rounded, "sums rounded to f16"):
            yield said, text, ROUND


def rounded_products(kernel):
    for said, text in kernel.changes(
            PRODUCT, lambda m: f"mutant_round({m[1]}, {HALF_BITS}) * mutant_round({m[2]}, {HALF_BITS})",
            "factors rounded to 11 bits"):
        yield said, text, ROUND


def rounded_results(kernel):
    if kernel.node["out"] not in kernel.reach.short:
        for said, text in kernel.stores(lambda m: f"mutant_round({m['value']}, {BFLOAT_BITS})",
                                        "results rounded to bf16"):
            yield said, text, ROUND


def rough_function(kernel):
    for name, body in FAST.items():
        begin = kernel.text.index("{")
        text = kernel.text[:begin] + re.sub(rf"\b{name}\(", f"mutant_{name}(", kernel.text[begin:])
        if text != kernel.text:
            yield f"a rough {name}", text, body


def moved_window(kernel):
    yield from kernel.changes(re.compile(r"(const int x\d = .*) - (\d+);"), lambda m: f"{m[1]} - {int(m[2]) - 1};",
                              "a window one element later")


def missing_maximum(kernel):
    """The maximum is not subtracted before an exponential."""
    if kernel.node["op"] in EXPONENTIALS and kernel.node["in"][0] in kernel.reach.free:
        begin = kernel.text.index("float total")
        text = kernel.text[begin:].replace("x - most", "x").replace("most + log", "log")
        yield "no maximum subtracted", kernel.text[:begin] + text


def wrong_start(kernel):
    """A maximum begins at 0.  A softmax of numbers that are not far below 0 is right nevertheless."""
    operand, is_shift = kernel.node["in"][0], kernel.node["op"] in EXPONENTIALS
    if operand in kernel.reach.free or not (is_shift or operand in kernel.reach.positive):
        yield from kernel.changes(re.compile(r"(?<![=!])= -INFINITY"), lambda m: "= 0", "a maximum that begins at 0")


def wrong_tie(kernel):
    if "place = min(" in kernel.text:
        yield "the last of equal elements", kernel.text.replace("place = min(", "place = max(").replace("INT_MAX", "-1")


def missing_rescale(kernel):
    yield from kernel.changes(re.compile(r" \* before\b"), lambda m: "", "an online sum is not rescaled")


def missing_centre(kernel):
    """The mean is subtracted in none of the factors: in one alone it changes nothing, because the others sum to 0."""
    yield from kernel.changes(re.compile(r"\(x - centre\)( \* \(x - centre\))?"),
                              lambda m: "x * x" if m[1] else "x", "a mean is not subtracted")


def biased_count(kernel):
    yield from kernel.changes(re.compile(r"/ \(float\)\((\w+)\)"), lambda m: f"/ (float)({m[1]} + 1)",
                              "divided by one too many")


def fixed_size(kernel):
    """A dynamic dimension that the kernel reads has its main value, whatever its value is."""
    begin = kernel.text.index("{")
    head, body = kernel.text[:begin], kernel.text[begin:]
    for name in kernel.document.get("dynamic", ()):
        text = re.sub(rf"(?<![\w]){name}(?![\w])", str(kernel.dims[name]), body)
        if text != body:
            yield f"{name} is always the main one", head + text


MUTATIONS = (missing_last_tile, zeroed_last_tile, one_in_a_thousand, saturated, small_values_lost, negative_values_lost,
             short_loop, rounded_sums, rounded_products, rounded_results, rough_function, moved_window,
             missing_maximum, wrong_start, wrong_tie, missing_rescale, missing_centre, biased_count, fixed_size)
