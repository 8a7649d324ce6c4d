"""Mutations of the text of plain kernels: faults that a graph cannot say, such as a short loop or rounded sums."""
import re

HEAD = "const int i = get_global_id(0);"
STORE = re.compile(r"^(\s*)(p_\w+\[(.*)\]) = (.*);$", re.M)
SUM = re.compile(r"^(\s*)(\w+(?:\[\w+\])?) \+= (.*);$|^(\s*)(\w+) = \5 \+ (.*);$", re.M)
LOOP = re.compile(r"for \(int (\w+) = 0; \1 < ([^;]+); \1\+\+\)")
PRODUCT = re.compile(r"(p_\w+\[[^\[\]]*(?:\[[^\]]*\])?[^\[\]]*\]) \* (p_\w+\[[^\]]*\])")

PORTABLE = ("#ifdef __CUDACC__\n#define MUTANT __device__ inline\n"
            "#define get_global_size(axis) ((size_t)gridDim.x * blockDim.x)\n#else\n#define MUTANT static\n#endif\n\n")
ROUND = ("MUTANT float mutant_round(float x, uint bits)\n{\n"
         "    const uint u = as_uint(x), half_bit = 1u << (bits - 1), odd = (u >> bits) & 1;\n"
         "    return isfinite(x) ? as_float((u + (half_bit - 1) + odd) & ~((1u << bits) - 1)) : x;\n}\n\n")
HALF_BITS, BFLOAT_BITS = 13, 16
FAST = {
    "exp": "MUTANT float mutant_exp(float x)\n{\n"
           "    return x < -87 ? 0 : x > 88 ? INFINITY : as_float((uint)(12102203.0f * x + 1064866805.0f));\n}\n\n",
    "erf": "MUTANT float mutant_erf(float x)\n{\n    return tanh(1.128379167f * (x + 0.0893f * x * x * x));\n}\n\n",
    "rsqrt": "MUTANT float mutant_rsqrt(float x)\n{\n    const float y = as_float(0x5f3759df - (as_uint(x) >> 1));\n"
             "    return y * (1.5f - 0.5f * x * y * y);\n}\n\n",
    "tanh": "MUTANT float mutant_tanh(float x)\n{\n"
            "    return clamp(x * (27 + x * x) / (27 + 9 * x * x), -1.0f, 1.0f);\n}\n\n",
    "log": "MUTANT float mutant_log(float x)\n{\n    return 8.2629582e-8f * (float)as_uint(x) - 87.989971f;\n}\n\n",
}


def _each(pattern, source, change):
    """Yield the source with one match of the pattern changed at a time."""
    for match in pattern.finditer(source):
        text = change(match)
        if text is not None and text != match.group(0):
            yield source[:match.start()] + text + source[match.end():]


def _stores(source, change):
    """Yield the source with the value of one store replaced by change(value, type)."""
    yield from _each(STORE, source, lambda m: f"{m[1]}{m[2]} = {change(m[4])};")


def missing_last_tile(source, _):
    """The last work-items compute nothing."""
    for text in _each(re.compile(re.escape(HEAD)), source,
                      lambda m: m[0] + "\n    if (get_global_size(0) > 5 && i + 5 >= get_global_size(0)) return;"):
        yield "the last 5 work-items return", text


def zeroed_last_tile(source, _):
    for text in _stores(source, lambda v: f"i + 5 >= get_global_size(0) && get_global_size(0) > 5 ? 0 : ({v})"):
        yield "the last 5 work-items store zeros", text


def one_in_a_thousand(source, _):
    for text in _stores(source, lambda v: f"({v}) * (i % 1000 == 999 ? 1.05f : 1)"):
        yield "one work-item in a thousand is 5 % off", text


def saturated(source, _):
    for text in _stores(source, lambda v: f"fabs((float)({v})) > 12 ? 0 : ({v})"):
        yield "values above 12 become 0", text


def small_values_lost(source, _):
    for text in _stores(source, lambda v: f"fabs((float)({v})) < 1e-3f ? 0 : ({v})"):
        yield "values below 0.001 become 0", text


def negative_values_lost(source, _):
    for text in _stores(source, lambda v: f"({v}) < -3 ? -3 : ({v})"):
        yield "values below -3 become -3", text


def short_loop(source, _):
    for text in _each(LOOP, source, lambda m: m[0].replace(f"< {m[2]};", f"< ({m[2]}) - 1;")):
        yield "a loop leaves out its last step", text
    for text in _each(LOOP, source, lambda m: m[0].replace("= 0;", "= 1;")):
        yield "a loop leaves out its first step", text


def rounded_sums(source, _):
    def rounded(m):
        name, value = (m[2], m[3]) if m[2] else (m[5], m[6])
        return f"{m[1] or m[4]}{name} = mutant_round({name} + ({value}), {HALF_BITS});"
    for text in _each(SUM, source, rounded):
        if "float" in source:
            yield "sums rounded to f16", ROUND + text


def rounded_products(source, _):
    for text in _each(PRODUCT, source,
                      lambda m: f"mutant_round({m[1]}, {HALF_BITS}) * mutant_round({m[2]}, {HALF_BITS})"):
        yield "factors rounded to 11 bits", ROUND + text


def rounded_results(source, _):
    for text in _stores(source, lambda v: f"mutant_round({v}, {BFLOAT_BITS})"):
        yield "results rounded to bf16", ROUND + text


def rough_function(source, _):
    for name, body in FAST.items():
        text = re.sub(rf"\b{name}\(", f"mutant_{name}(", source)
        if text != source:
            yield f"a rough {name}", body + text


def moved_window(source, _):
    for text in _each(re.compile(r"(const int x\d = .*) - (\d+);"), source, lambda m: f"{m[1]} - {int(m[2]) - 1};"):
        yield "a window one element later", text


def wrong_start(source, _):
    for text in _each(re.compile(r"= -INFINITY"), source, lambda m: "= 0"):
        yield "a maximum that begins at 0", text


def wrong_tie(source, _):
    for text in _each(re.compile(r"(\w+) (>|<) (most|least|best)\b"), source, lambda m: f"{m[1]} {m[2]}= {m[3]}"):
        yield "the last of equal elements", text


def missing_rescale(source, _):
    for text in _each(re.compile(r" \* before\b"), source, lambda m: ""):
        yield "an online sum is not rescaled", text


def missing_centre(source, _):
    for text in _each(re.compile(r"\(x - centre\)"), source, lambda m: "x"):
        yield "a mean is not subtracted", text


def biased_count(source, _):
    for text in _each(re.compile(r"/ \(float\)\((\w+)\)"), source, lambda m: f"/ (float)({m[1]} + 1)"):
        yield "a sum divided by one too many", text


def fixed_size(source, problem):
    """Dynamic dimensions have their main value in the kernel, whatever their value is."""
    for name in problem.get("dynamic", ()):
        text = re.sub(rf"const int {name}\b", f"const int any_{name}", source)
        text = re.sub(rf"(?<![\w]){name}(?![\w])", str(problem["dims"][name]), text)
        if text != source:
            yield f"{name} is always {problem['dims'][name]}", text


MUTATIONS = (missing_last_tile, zeroed_last_tile, one_in_a_thousand, saturated, small_values_lost, negative_values_lost,
             short_loop, rounded_sums, rounded_products, rounded_results, rough_function, moved_window, wrong_start,
             wrong_tie, missing_rescale, missing_centre, biased_count, fixed_size)


def mutants(problem, source):
    """Yield (kind, description, source) for every mutation of the kernels' text."""
    begin = re.search(r"^.*(__kernel|__global__) void", source, re.M).start()
    prelude, kernels = source[:begin], source[begin:]
    for mutation in MUTATIONS:
        for said, text in mutation(kernels, problem):
            yield mutation.__name__.replace("_", " "), said, prelude + PORTABLE + text
