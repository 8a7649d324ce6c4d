"""
Compiles kernels that are written in CuTe DSL (the package nvidia-cutlass-dsl), for NVIDIA's GPUs, without a device.

The compiler compiles host functions: kforge writes one that launches the kernel, and takes the machine code, the entry
and the shared memory of that launch from the result. The launch itself is the plan's.
"""

import inspect
import re
import sys
import types

import cutlass
import cutlass.cute as cute
from cutlass.cute.runtime import make_ptr

# Types of a launch plan, in CuTe's words.
TYPES = {"f32": cutlass.Float32, "f64": cutlass.Float64, "f16": cutlass.Float16, "bf16": cutlass.BFloat16,
         "i32": cutlass.Int32, "i64": cutlass.Int64, "bool": cutlass.Boolean}

WARP = 32
BUFFER_ALIGNMENT = 16  # bytes that a copy may take from a buffer's beginning on
HOST_FILE = "kforge_host.py"

HOST = """import cutlass
import cutlass.cute as cute


@cute.jit
def host({parameters}):
    KERNEL({arguments}).launch(grid=[1, 1, 1], block=[{threads}, 1, 1], cluster=[{ctas}, 1, 1])
"""


def find_places_once(helpers):
    """
    For each operation that it makes, the package looks for the frame of the user's source on the stack and reads its place
    in the source. In unrolled loops that takes a third of a compilation, so answers are kept: those about a code object by
    its identity, because Python hashes the whole code, and those about a place by the instruction as well.
    """
    is_framework = {}  # by identity: the code object, which stays, and the answer
    infos = {}

    def user_frame(start):
        frame = start
        while frame is not None:
            code = frame.f_code
            if id(code) not in is_framework:
                is_framework[id(code)] = code, helpers._is_framework_stack_frame(frame)
            if not is_framework[id(code)][1]:
                return frame
            frame = frame.f_back
        return start

    def caller_info():
        frame = user_frame(sys._getframe(2))
        place = id(frame.f_code), frame.f_lasti
        if place not in infos:
            infos[place] = helpers._fast_frameinfo(frame)
        return infos[place]

    helpers._get_caller_frame_info = caller_info


def make_locations_once(helpers):
    """The same for the location, an object of the context in which a kernel is compiled."""
    make, made = helpers._get_location_from_frame_info, {}

    def location(info):
        if id(info) not in made:
            made[id(info)] = info, make(info)
        return made[id(info)][1]

    helpers._get_location_from_frame_info = location
    return made


def remember_places():
    helpers = getattr(getattr(cutlass, "_mlir_helpers", None), "op", None)
    internals = ("_is_framework_stack_frame", "_fast_frameinfo", "_get_caller_frame_info", "_get_location_from_frame_info")
    if not all(hasattr(helpers, name) for name in internals):
        return {}  # another version of the package, which may not need it
    find_places_once(helpers)
    return make_locations_once(helpers)


LOCATIONS = remember_places()


def different(kernel):
    """What makes another code of a kernel: numbers are values of any size here, also multiples of 16."""
    plain = [{"type": one["type"]} if not one["type"].startswith("*") else one for one in kernel["args"]]
    return {**kernel, "args": plain}


def version(target):
    """The name and version.  A trial loads what every later compilation needs."""
    names = {"__name__": "kernel", "__file__": "kernel.py"}
    source = ("import cutlass\nimport cutlass.cute as cute\n\n\n@cute.kernel\n"
              "def trial(x: cute.Pointer):\n    cute.make_tensor(x, cute.make_layout(1))[0] = 0.0\n")
    with open("kernel.py", "w", encoding="utf-8") as file:
        file.write(source)
    exec(compile(source, "kernel.py", "exec"), names)
    compile_kernel(names, {"kernel": "trial", "args": [{"type": "*f32", "aligned": True}], "constants": {}, "warps": 1,
                           "stages": 0, "ctas": 1}, target, RuntimeError)
    return f"CuTe DSL {cutlass.__version__}"


def is_kernel(value):
    return isinstance(value, types.FunctionType) and getattr(value, "_decorator_kind", None) in ("kernel", cute.kernel)


def find_kernel(names, kernel, rejected):
    found = names.get(kernel)
    if is_kernel(found):
        return found
    known = [name for name, value in names.items() if is_kernel(value)]
    raise rejected(f"the source has no kernel {kernel}: it has {', '.join(known) or 'none'} "
                   "(a kernel is a function with @cute.kernel)")


def argument_of(argument):
    """The type of a parameter in the host function, and a value of it."""
    word = argument["type"]
    if word.startswith("*"):
        return "cute.Pointer", make_ptr(TYPES[word[1:]], BUFFER_ALIGNMENT, cute.AddressSpace.gmem,
                                        assumed_align=BUFFER_ALIGNMENT)
    kind = TYPES[word]
    return f"cutlass.{kind.__name__}", kind(1)


def bind(function, request, rejected):
    """The parameters of the host function, the call's arguments, and the values to compile with."""
    constants, given = dict(request["constants"]), list(request["args"])
    parameters, call, values, name = [], [], [], request["kernel"]
    for position, parameter in enumerate(inspect.signature(function).parameters.values()):
        is_constant = "Constexpr" in str(parameter.annotation)
        if parameter.name in constants:
            call.append(f"{parameter.name}={constants.pop(parameter.name)!r}")
        elif is_constant and parameter.default is inspect.Parameter.empty:
            raise rejected(f'{name}: the constant {parameter.name} has no value: add it to "constants" of the launch plan')
        elif is_constant:
            continue
        elif not given:
            raise rejected(f"{name} takes more arguments than the launch plan gives: {parameter.name} has none")
        else:
            kind, value = argument_of(given.pop(0))
            parameters.append(f"a{position}: {kind}")
            call.append(f"{parameter.name}=a{position}")
            values.append(value)
    if given:
        raise rejected(f"{name} is given {len(request['args'])} arguments by the launch plan and takes "
                       f"{len(request['args']) - len(given)}")
    if constants:
        raise rejected(f"{name} has no parameter {next(iter(constants))}, to which the launch plan gives a constant")
    return parameters, call, values


def make_host(function, parameters, call, request):
    """The host function; the compiler reads its text from a file."""
    text = HOST.format(parameters=", ".join(parameters), arguments=", ".join(call), threads=WARP * request["warps"],
                       ctas=request["ctas"])
    with open(HOST_FILE, "w", encoding="utf-8") as file:
        file.write(text)
    names = {"__name__": "kforge_host", "__file__": HOST_FILE, "KERNEL": function}
    exec(compile(text, HOST_FILE, "exec"), names)
    return names["host"]


def shared_bytes(module, rejected):
    """The dynamic shared memory that the host function's launch asks for: the third member of its configuration."""
    place = re.search(r"(%\d+) = llvm\.getelementptr %\d+\[0, 2\][^\n]*struct<\(array<3 x i32>, array<3 x i32>, i64", module)
    stored = place and re.search(rf"llvm\.store (%\d+), {place.group(1)} : i64", module)
    function = stored and module.rindex("llvm.func", 0, stored.start())
    value = stored and re.search(rf"{stored.group(1)} = llvm\.mlir\.constant\((\d+) : i64\)", module[function:])
    if not value:
        raise rejected("the shared memory of the kernel cannot be read from what this version of CuTe DSL makes")
    return int(value.group(1))


def compile_kernel(names, request, target, rejected):
    function = find_kernel(names, request["kernel"], rejected)
    if request["stages"]:
        raise rejected("num_stages is for Triton: in CuTe the kernel has its own stages")
    if not target.startswith("sm_"):
        raise rejected(f"CuTe DSL compiles for NVIDIA's GPUs, not for {target}")
    parameters, call, values = bind(function, request, rejected)
    host = make_host(function, parameters, call, request)
    LOCATIONS.clear()
    made = cute.compile(host, *values, options=f"--gpu-arch {target} --keep-ptx --keep-cubin --generate-line-info")
    listing = made.__ptx__ if isinstance(made.__ptx__, str) else (made.__ptx__ or b"").decode()
    entries = re.findall(r"\.entry\s+(\w+)", listing)
    if len(entries) != 1:
        raise rejected(f"{request['kernel']} became {len(entries)} kernels")
    return {"kernel": entries[0], "ptx": listing, "machine": bytes(made.__cubin__ or b""),
            "shared": shared_bytes(str(made.__mlir__ or made.ir_module), rejected),
            "warps": request["warps"], "ctas": request["ctas"],
            "given": len(values)}


def explain(error):
    """Line and text of the compiler's errors, which name the place as kernel.py:9."""
    if isinstance(error, SyntaxError):
        return 0, ""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    place = re.search(r"kernel\.py:(\d+)", text) or re.search(r'kernel\.py", line (\d+)', text)
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return int(place.group(1)) if place else 0, f"{type(error).__name__}: {first}"
