"""Does a mutant compute the same bits as the plain kernels?

Both run as one candidate: each writes its outputs to scratch buffers, and a further kernel compares them bit by bit.
The problem of that candidate has the same inputs, on which nothing depends: its only output says whether any bit
differs, and has to be 0.  So the judge runs both on its own data, at its own sizes, with all its variations.  The same
bits make a mutant a candidate for equivalence, which a person has to prove.
"""
import copy
import re

import kernel_text

COMPARE = """
__kernel void power_begin(__global float *p_differs)
{
    p_differs[0] = 0;
}

__kernel void power_compare(__global const uchar *p_a, __global const uchar *p_b, __global float *p_differs)
{
    const int i = get_global_id(0);
    if (p_a[i] != p_b[i])
        p_differs[0] = 1;
}
"""
BYTES = {"f64": 8, "i64": 8, "f32": 4, "i32": 4, "f16": 2, "bf16": 2, "bool": 1}
WIDER = 40


def _widened(fill):
    """Return a fill with larger numbers, where the fill has numbers of both signs, so that its range has no meaning."""
    if "normal" in fill and abs(fill["normal"][0]) < 5 * fill["normal"][1]:
        return {"normal": [fill["normal"][0], WIDER * fill["normal"][1]]}
    if "uniform" in fill and fill["uniform"][0] < 0 < fill["uniform"][1]:
        return {"uniform": [WIDER * end for end in fill["uniform"]]}
    return fill


def problem(document, is_wide):
    """Return the problem that asks whether bits differ."""
    asked = {key: copy.deepcopy(value) for key, value in document.items() if key != "tolerance"}
    asked["tensors"] = {name: tensor for name, tensor in asked["tensors"].items() if tensor["role"] != "output"}
    for tensor in asked["tensors"].values():
        if is_wide and tensor["role"] == "input":
            tensor["fill"] = _widened(tensor["fill"])
    asked["tensors"]["power_zero"] = {"role": "input", "dtype": "f32", "shape": [1], "fill": {"constant": 0}}
    asked["tensors"]["differs"] = {"role": "output", "dtype": "f32", "shape": [1]}
    asked["graph"] = list(_zero(asked["tensors"]))
    asked["tolerance"] = {"class": "f32"}
    return asked


def _zero(tensors):
    """Yield nodes that compute 0 from the first element of each tensor, because a problem has to use all of them."""
    total = "power_zero"
    for name in [name for name, tensor in tensors.items() if name not in ("power_zero", "differs")]:
        count = " * ".join(f"({size})" for size in tensors[name]["shape"]) or 1
        row, first, wide, none, after = (f"power_{part}_{name}" for part in ("row", "first", "wide", "none", "after"))
        yield {"op": "reshape", "in": [name], "out": row, "shape": [count]}
        yield {"op": "slice", "in": [row], "out": first, "dim": 0, "end": 1}
        yield {"op": "cast", "in": [first], "out": wide, "dtype": "f32"}
        yield {"op": "mul", "in": [wide, 0], "out": none}
        yield {"op": "add", "in": [total, none], "out": after}
        total = after
    yield {"op": "mul", "in": [total, 1], "out": "differs"}


def _renamed(side, plan, outputs):
    """Return the launches and scratch buffers of a plan, with names of their own."""
    names = {name: f"{side}_{name}" for name in [*plan.get("scratch", {}), *outputs]}
    launches = copy.deepcopy(plan["launches"])
    for launch in launches:
        launch["kernel"] = f"{side}_{launch['kernel']}"
        launch["args"] = [names.get(arg, arg) if isinstance(arg, str) else arg for arg in launch["args"]]
    return launches, {names[name]: buffer for name, buffer in plan.get("scratch", {}).items()}


def _kernels(side, source):
    return re.sub(r"(\bvoid (?:__\w+\(\d+\) )?)(\w+)(?=\((?:__global|const \w+ \*|\w+ \*|float|__grid))",
                  lambda m: f"{m[1]}{side}_{m[2]}", source)


def candidate(document, plain, mutant):
    """Return source and plan that run both, (source, plan) pairs, and compare."""
    outputs = {name: tensor for name, tensor in document["tensors"].items() if tensor["role"] == "output"}
    begin = [kernel_text.START.search(source).start() for source, _ in (plain, mutant)]
    prelude = mutant[0][:begin[1]]
    plain_prelude = plain[0][:begin[0]]
    source = prelude if prelude.startswith(plain_prelude) else plain_prelude + prelude.replace(plain_prelude, "")
    launches = [{"kernel": "power_begin", "global": [1], "args": ["differs"]}]
    scratch = {}
    for side, (text, plan), start in zip("ab", (plain, mutant), begin):
        source += _kernels(side, text[start:])
        own, buffers = _renamed(side, plan, outputs)
        launches += own
        scratch.update(buffers)
        scratch.update({f"{side}_{name}": {"dtype": t["dtype"], "shape": t["shape"]} for name, t in outputs.items()})
    for name, tensor in outputs.items():
        count = " * ".join(f"({size})" for size in [*tensor["shape"], BYTES[tensor["dtype"]]])
        launches.append({"kernel": "power_compare", "global": [count],
                         "args": [f"a_{name}", f"b_{name}", "differs"]})
    return source + COMPARE, {"scratch": scratch, "launches": launches}


def has_same_bits(judge, document, plain, mutant):
    """Return True or False; None if the judge cannot tell.  Loads another problem into the judge."""
    source, plan = candidate(document, plain, mutant)
    for is_wide in (False, True):
        judge.load(problem(document, is_wide))
        verdict = judge.evaluate(source, plan)
        if verdict["outcome"] == "wrong_values":
            return False
        if verdict["outcome"] != "correct":
            return None
    return True
