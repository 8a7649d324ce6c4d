"""
Runs Triton kernels by Triton's interpreter, on the CPU and without a compiler: a child process of
the executor (backends/triton).  It verifies kernels without a GPU; its times mean nothing.

It reads requests as lines of JSON from standard input and writes answers as lines of JSON:

    version                        -> version
    check source                   -> kernels, or rejected and line
    run   source launches buffers  -> (nothing), or error and line

In "run" the bytes of all buffers follow the request and the answer without an error, one after the
other.  The contents of a buffer lie between margins, which show whether a kernel wrote beyond it.
Each request is served by a copy of this process, which ends with it.
"""

import json
import os
import signal
import sys
import traceback

SOURCE_FILE = "kernel.py"
MARGIN = 4096
ANSWERED = 43  # the exit status of a copy that has written its answer

os.environ["TRITON_INTERPRET"] = "1"


def _take_pipes():
    """Keep standard input and output for the protocol: sources print to the log and read nothing."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    return requests, answers


REQUESTS, ANSWERS = _take_pipes()
os.chdir(os.environ.get("KFORGE_SCRATCH", "."))
os.environ["TRITON_CACHE_DIR"] = os.getcwd()


def _answer(answer, buffers=()):
    ANSWERS.write(json.dumps(answer).encode() + b"\n")
    for buffer in buffers:
        ANSWERS.write(buffer)
    ANSWERS.flush()


try:
    import numpy
    import triton
    import triton.language as tl
    from triton.runtime import interpreter
except ImportError as missing:
    REQUESTS.readline()
    _answer({"error": f"no Triton for {sys.executable} ({missing}): pip install triton numpy, or "
                      "name a Python that has it in KFORGE_PYTHON", "code": 3})
    sys.exit(0)

NUMBERS = {"i32": (numpy.int32, tl.int32), "i64": (numpy.int64, tl.int64)}
ELEMENTS = {"f32": tl.float32, "f64": tl.float64, "f16": tl.float16, "bf16": tl.bfloat16,
            "i32": tl.int32, "i64": tl.int64, "bool": tl.int1}


class Grid(interpreter.GridExecutor):
    """Runs all programs of a launch on memory of this process."""

    def _init_args_hst(self, args, kwargs):
        return args, kwargs

    def _restore_args_dev(self, *_):
        pass


def _let_scalars_be_numbers():
    """Triton's scalars are arrays of one element, which NumPy from 2.4 on rejects as an index; range(0, N) needs one."""
    patch = interpreter._patch_lang_tensor

    def patch_tensor(tensor, scope):
        patch(tensor, scope)
        scope.set_attr(tensor, "__index__", lambda self: int(self.handle.data.item()))

    interpreter._patch_lang_tensor = patch_tensor


_let_scalars_be_numbers()


def _kernels(source):
    """Find the kernels of a source, by name."""
    with open(SOURCE_FILE, "w", encoding="utf-8") as file:
        file.write(source)
    names = {"__name__": "kernel", "__file__": SOURCE_FILE}
    exec(compile(source, SOURCE_FILE, "exec"), names)
    return {name: value for name, value in names.items()
            if isinstance(value, interpreter.InterpretedFunction)}


def _line_of(error):
    """Find the innermost line of the source that an exception passed through."""
    line = error.lineno or 0 if isinstance(error, SyntaxError) else 0
    while error is not None and not line:
        for frame in traceback.extract_tb(error.__traceback__):
            if os.path.basename(frame.filename) == SOURCE_FILE:
                line = frame.lineno or 0
        error = error.__cause__
    return line


def _argument(argument, addresses):
    if "buffer" in argument:
        kind = tl.pointer_type(ELEMENTS[argument["type"]])
        address = numpy.array([addresses[argument["buffer"]]], dtype=numpy.uint64)
        return tl.tensor(interpreter.TensorHandle(address, kind), kind)
    if argument["type"] not in NUMBERS:
        return float(argument["number"])
    number, kind = NUMBERS[argument["type"]]
    return tl.tensor(interpreter.TensorHandle(numpy.array([int(argument["number"])], dtype=number),
                                              kind), kind)


def _launch(kernels, launch, addresses):
    kernel = kernels.get(launch["kernel"])
    if not kernel:
        raise ValueError(f"the source has no kernel {launch['kernel']}: it has "
                         f"{', '.join(kernels) or 'none'} (a kernel is a function with @triton.jit)")
    constants = launch["constants"]
    arguments = [name for name in kernel.arg_names if name not in constants]
    given = [_argument(argument, addresses) for argument in launch["args"]]
    if len(given) > len(arguments):
        raise ValueError(f"{launch['kernel']} is given {len(given)} arguments by the launch plan "
                         f"and takes {len(arguments)}")
    grid = Grid(kernel.rewrite(), kernel.arg_names, tuple(launch["grid"]))
    grid.constexprs = list(set(grid.constexprs) | set(constants))
    grid(**dict(zip(arguments, given)), **constants)


def _run(request, buffers):
    addresses = [buffer.ctypes.data + MARGIN for buffer in buffers]
    kernels = _kernels(request["source"])
    for launch in request["launches"]:
        _launch(kernels, launch, addresses)


def _explain(error):
    cause = error.__cause__ if isinstance(error, interpreter.InterpreterError) else None
    shown = cause or error
    return f"{type(shown).__name__}: {shown}" if not isinstance(shown, ValueError) else str(shown)


def _in_copy(work):
    """Do the work in a copy of the process, which answers.  Return None, or why it ended without an answer."""
    copy = os.fork()
    if copy == 0:
        try:
            work()
            os._exit(ANSWERED)
        finally:
            os._exit(1)
    _, status = os.waitpid(copy, 0)
    if os.WIFSIGNALED(status):
        return f"the kernel crashed the interpreter: {signal.strsignal(os.WTERMSIG(status))}"
    return None if os.WEXITSTATUS(status) == ANSWERED else "the source ended the Python process"


def _check(request):
    try:
        answer = {"kernels": list(_kernels(request["source"]))}
    except BaseException as error:
        answer = {"rejected": _explain(error), "line": _line_of(error)}
    _answer(answer)


def _serve_run(request, buffers):
    try:
        _run(request, buffers)
    except BaseException as error:
        _answer({"error": _explain(error), "line": _line_of(error)})
        return
    _answer({}, [buffer.data for buffer in buffers])


def main():
    for line in iter(REQUESTS.readline, b""):
        request, buffers = json.loads(line), []
        for size in request.get("buffers", []):
            buffer = numpy.empty(size, dtype=numpy.uint8)
            if REQUESTS.readinto(buffer.data) != size:
                return
            buffers.append(buffer)
        if request["do"] == "version":
            _answer({"version": triton.__version__})
            continue
        work = _check if request["do"] == "check" else lambda asked: _serve_run(asked, buffers)
        ended = _in_copy(lambda: work(request))
        if ended:
            _answer({"error": ended, "crashed": True})


if __name__ == "__main__":
    main()
