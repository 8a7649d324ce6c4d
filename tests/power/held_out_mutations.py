"""Mutations that the judge was hardly improved against: they measure it once more, on other problems."""
import copy
import re

import sizes
from kernel_text import BFLOAT_BITS, EXPONENTIALS, HEAD, LOAD, LOOP, ROUND

COORDINATE = re.compile(r"\bi\d\b")
ASSIGNMENT = re.compile(r"\b(\w+)(?:\[\w+\])* (?:(?P<changes>[+*]=)|= (?P<value>[^;]*);)")


def crossed_coordinates(kernel):
    """A load takes one coordinate in the place of another."""
    def crossed(m):
        names = list(dict.fromkeys(COORDINATE.findall(m[2])))
        if len(names) < 2:
            return None
        other = {names[0]: names[1], names[1]: names[0]}
        index = COORDINATE.sub(lambda name: other.get(name[0], name[0]), m[2])
        return f"p_{m[1]}[min((int)({index}), {kernel.extent(m[1]) - 1})]"
    yield from kernel.changes(LOAD, crossed, "coordinates crossed")


def neighbouring_element(kernel):
    def before(m):
        return f"p_{m[1]}[max((int)({m[2]}) - 1, 0)]" if kernel.extent(m[1]) > 1 else None
    yield from kernel.changes(LOAD, before, "the element before")


def skipped_step(kernel):
    """A loop leaves out its third step."""
    def skipped(m):
        has_third = not m[2].isdigit() or int(m[2]) > 2
        return m[0].replace(f"{m[1]}++", f"{m[1]} += {m[1]} == 1 ? 2 : 1") if has_third else None
    yield from kernel.changes(LOOP, skipped, "without the third step")


def repeated_step(kernel):
    """A loop that adds or multiplies takes a step too many at its end, with the data of the last one."""
    def repeated(m):
        if not _accumulates(kernel.text[:m.start()], _body(kernel.text, m.end())):
            return None
        return (f"for (int {m[1]}_step = 0, {m[1]} = 0; {m[1]}_step <= ({m[2]}); "
                f"{m[1]}_step++, {m[1]} = min({m[1]}_step, ({m[2]}) - 1))")
    yield from kernel.changes(LOOP, repeated, "the last step twice")


def _accumulates(before, body):
    """Tell if a loop changes a variable from before it by an operation other than a maximum."""
    for found in ASSIGNMENT.finditer(body):
        is_own = found["changes"] or re.search(rf"\b{found[1]}\b(?!\()", found["value"])
        is_selection = not found["changes"] and re.match(r"(?:larger|smaller|max|min)\(", found["value"])
        if is_own and not is_selection and re.search(rf"\b(?:float|int|long|double) [^;()]*\b{found[1]}\b", before):
            return True
    return False


def _body(text, begin):
    """Return the body of a loop: a block, or one statement, which may be a loop."""
    depth = 0
    for end in range(begin, len(text)):
        depth += {"{": 1, "(": 1, "}": -1, ")": -1}.get(text[end], 0)
        if depth == 0 and (text[end] == "}" or text[end] == ";"):
            return text[begin:end + 1]
    return text[begin:]


def wrong_initial_value(kernel):
    yield from kernel.changes(re.compile(r"float (total|squares|running)( = 0)\b"), lambda m: f"float {m[1]} = 1e-2f",
                              "a sum that begins at 0.01")


def rounded_loads(kernel):
    """An operand loses bits.  In class mixed that is a fault only where loops have to see the same numbers."""
    def rounded(m):
        is_kept = not kernel.is_float(m[1]) or m[1] in kernel.reach.short
        return None if is_kept else f"mutant_round({m[0]}, {BFLOAT_BITS})"
    if kernel.node["out"] in kernel.reach.coarse or not (kernel.is_precise or kernel.node["op"] in EXPONENTIALS):
        return
    for said, text in kernel.changes(LOAD, rounded, "an operand rounded to bf16"):
        yield said, text, ROUND


def strict_comparison(kernel):
    """A bound or a case that excludes its own end."""
    yield from kernel.changes(re.compile(r"(\bx\d) < 0\b"), lambda m: f"{m[1]} <= 0", "an edge left out")
    yield from kernel.changes(re.compile(r"(\bx\d) >= (\w+)"), lambda m: f"{m[1]} >= ({m[2]}) - 1", "an edge left out")


def scaled_result(kernel):
    if kernel.is_precise and kernel.node["out"] not in kernel.reach.coarse:
        yield from kernel.stores(lambda m: f"({m['value']}) * 1.0005f", "results 0.05 % too large")


def wrong_at_some_sizes(kernel):
    """The last work-item does nothing unless their number is a multiple of sixteen."""
    if not kernel.is_whole(16):
        yield from kernel.changes(
            HEAD, lambda m: f"{m[0]}\n    if (get_global_size(0) % 16 && i + 1 >= get_global_size(0)) return;",
            "the last returns, unless there are a multiple of 16")


def one_wrong_sign(kernel):
    """The element in the middle has the wrong sign."""
    def wrong(m):
        return f"({m['index']}) == {kernel.extent(m['buffer']) // 2} ? -({m['value']}) : ({m['value']})"
    if not kernel.reach.loses_sign(kernel.node["out"]):
        yield from kernel.stores(wrong, "the element in the middle is negated")


def wrong_row(kernel):
    """One work-item in 64 computes what its neighbour does, and so its own result is missing."""
    if kernel.items > 9:
        yield from kernel.changes(HEAD, lambda m: m[0].replace("get_global_id(0)", "get_global_id(0) - "
                                                               "(get_global_id(0) % 64 == 9 ? 1 : 0)"),
                                  "one in 64 repeats its neighbour")


KERNEL_MUTATIONS = (crossed_coordinates, neighbouring_element, skipped_step, repeated_step, wrong_initial_value,
                    rounded_loads, strict_comparison, scaled_result, wrong_at_some_sizes, one_wrong_sign, wrong_row)


def other_operand(problem, index, node):
    """Use another tensor in the place of an operand."""
    graph = problem["graph"]
    made = [n["out"] for n in graph[:index]]
    others = [*problem["tensors"], *made]
    usable = [name for name in others
              if name in made or problem["tensors"][name]["role"] != "output"]
    for place, operand in enumerate(node["in"]):
        for name in usable:
            if isinstance(operand, str) and name != operand and name != node["out"]:
                mutant = copy.deepcopy(problem)
                mutant["graph"][index]["in"][place] = name
                yield f"{name} for {operand}", mutant


EXCHANGEABLE = (("mul", "div"), ("add", "sub"), ("cast",))
KEPT_BY_ADDITION = ("mean", "max", "min")


def _has_an_order(node, after):
    """Tell if two operations may not be exchanged, but for rounding."""
    if any(node["op"] in ops and after["op"] in ops for ops in EXCHANGEABLE):
        return False
    return not (node["op"] in KEPT_BY_ADDITION and after["op"] == "add" and not isinstance(after["in"][1], str))


def commuted_operations(problem, index, node):
    """Exchange an operation with the one that uses its result."""
    graph = problem["graph"]
    after = graph[index + 1] if index + 1 < len(graph) else None
    if after and _has_an_order(node, after) and after["in"][0] == node["out"] and node["out"] not in after["in"][1:] \
            and sum(node["out"] in n["in"] for n in graph) == 1 and after["out"] not in node["in"]:
        mutant = copy.deepcopy(problem)
        first, second = copy.deepcopy(after), copy.deepcopy(node)
        first["in"][0], first["out"] = node["in"][0], node["out"]
        second["in"][0], second["out"] = node["out"], after["out"]
        mutant["graph"][index:index + 2] = [first, second]
        yield f"{after['op']} before {node['op']}", mutant


IDEMPOTENT = ("relu", "clamp", "hardtanh", "abs", "sign", "dropout", "cast", "reshape", "flatten", "expand", "maximum",
              "minimum", "log_softmax")
REDUCING = ("sum", "mean", "max", "min", "prod", "logsumexp")


def _is_idempotent(node):
    """Tell if the operation of its own result is that result."""
    if node["op"] == "slice":
        return node.get("start", 0) == 0 and node.get("step", 1) == 1
    return node["op"] in IDEMPOTENT or node["op"] in REDUCING and node.get("keepdim", False)


def doubled_operation(problem, index, node):
    """Apply an operation twice."""
    if _is_idempotent(node):
        return
    if len(node["in"]) == 1 or not isinstance(node["in"][-1], str):
        mutant = copy.deepcopy(problem)
        again = {**copy.deepcopy(node), "in": ["mutant_once", *node["in"][1:]]}
        mutant["graph"][index:index + 1] = [{**copy.deepcopy(node), "out": "mutant_once"}, again]
        yield f"{node['op']} twice", mutant


GRAPH_MUTATIONS = (other_operand, commuted_operations, doubled_operation)
