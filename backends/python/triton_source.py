"""Compiles kernels that are written in Triton, for NVIDIA's and AMD's GPUs, without a device."""

import re

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.runtime.jit import JITFunction

# The types of a launch plan and Triton's names for them.
TYPES = {"f32": "fp32", "f64": "fp64", "f16": "fp16", "bf16": "bf16", "i32": "i32", "i64": "i64",
         "bool": "i1"}


@triton.jit
def _trial(x):
    triton.language.store(x, 0.0)


def version(target):
    """
    The name and version.  A trial makes what every later compilation needs: above all Triton hashes
    its own files, which takes a second.
    """
    request = {"kernel": "_trial", "args": [{"type": "*f32", "aligned": True}], "constants": {},
               "warps": 1, "stages": 0, "ctas": 1}
    compile_kernel({"_trial": _trial}, request, target, RuntimeError)
    return f"Triton {triton.__version__}"


def target_of(name):
    """Make Triton's target from "sm_90a" or "gfx942"."""
    number = re.match(r"sm_(\d+)", name)
    if number:
        return GPUTarget("cuda", int(number.group(1)), 32)
    return GPUTarget("hip", name, 64 if name.startswith("gfx9") else 32)


def type_of(word):
    pointer, name = ("*", word[1:]) if word.startswith("*") else ("", word)
    return pointer + TYPES[name]


def find_kernel(names, kernel, rejected):
    found = names.get(kernel)
    if isinstance(found, JITFunction):
        return found
    if hasattr(found, "fn") and type(found).__name__ in ("Autotuner", "Heuristics"):
        raise rejected(f"{kernel} has a decorator that chooses its constants: leave it out, and "
                       'list the choices in "tune" of the launch plan')
    known = [name for name, value in names.items() if isinstance(value, JITFunction)]
    raise rejected(f"the source has no kernel {kernel}: it has {', '.join(known) or 'none'} "
                   "(a kernel is a function with @triton.jit)")


def signature_of(function, request, rejected):
    """Return the types by name, and the constants and hints by position."""
    constants, arguments = dict(request["constants"]), list(request["args"])
    signature, values, hints = {}, {}, {}
    for position, parameter in enumerate(function.params):
        name = parameter.name
        if name in constants:
            signature[name], values[(position,)] = "constexpr", constants.pop(name)
        elif parameter.is_constexpr and not parameter.has_default:
            raise rejected(f'{function.__name__}: the constant {name} has no value: add it to '
                           '"constants" of the launch plan')
        elif parameter.is_constexpr:
            signature[name], values[(position,)] = "constexpr", parameter.default
        elif not arguments:
            raise rejected(f"{function.__name__} takes more arguments than the launch plan gives: "
                           f"{name} has none")
        else:
            argument = arguments.pop(0)
            signature[name] = type_of(argument["type"])
            if argument["aligned"]:
                hints[(position,)] = [["tt.divisibility", 16]]
    if arguments:
        raise rejected(f"{function.__name__} is given {len(request['args'])} arguments by the launch "
                       f"plan and takes {len(request['args']) - len(arguments)}")
    if constants:
        raise rejected(f"{function.__name__} has no parameter {next(iter(constants))}, to which the "
                       "launch plan gives a constant")
    return signature, values, hints


def compile_kernel(names, request, target, rejected):
    function = find_kernel(names, request["kernel"], rejected)
    signature, values, hints = signature_of(function, request, rejected)
    source = ASTSource(function, signature, constexprs=values, attrs=hints)
    options = {"num_warps": request["warps"], "num_ctas": request["ctas"]}
    if request["stages"]:
        options["num_stages"] = request["stages"]
    made = triton.compile(source, target=target_of(target), options=options)
    metadata = made.metadata
    if getattr(metadata, "global_scratch_size", 0):
        raise rejected(f"{request['kernel']} makes tensor descriptors, which need memory that a "
                       "launch plan cannot give: use pointers, or tl.make_block_ptr")
    listing = made.asm.get("ptx") or made.asm.get("amdgcn") or ""
    machine = made.asm.get("cubin") or made.asm.get("hsaco") or b""
    given = sum(1 for kind in signature.values() if kind != "constexpr")
    return {"kernel": metadata.name, "ptx": listing, "machine": bytes(machine),
            "shared": metadata.shared, "warps": metadata.num_warps, "ctas": metadata.num_ctas,
            "given": given}


def explain(error):
    """Find line and text of Triton's errors; "at 5:12:" counts from the function's first line."""
    line, text = 0, ""
    while error is not None:
        node = getattr(error, "node", None)
        source = getattr(error, "src", None)
        message = getattr(error, "error_message", None) or ""
        cause = error.__cause__ or error.__context__
        if node is not None and hasattr(node, "lineno"):
            line = getattr(node, "lineno", 0) + first_line(source) - 1
            text = message or (str(cause) if cause is not None else str(error))
        if node is None and text == "" and error.__cause__ is None:
            break
        error = cause
    return line, text


def first_line(source):
    """Find the line of the file at which a function begins; 1 if it is not there."""
    try:
        with open("kernel.py", encoding="utf-8") as file:
            before, found, _ = file.read().partition(source.strip("\n"))
    except (OSError, AttributeError):  # no file, or no source
        return 1
    return before.count("\n") + 1 if found else 1
