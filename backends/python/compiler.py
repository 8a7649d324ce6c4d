"""
The compiler of kernels that are written in Python: a child process of the judge.

It reads requests as lines of JSON from standard input and writes answers to the descriptor that was
standard output (core/judge/executor/program_compiler.h):

    version  language target                         -> version
    compile  language source target kernels          -> parts, or rejected and diagnostics

A kernel is {"kernel", "args", "constants", "warps", "stages", "ctas"}; an argument has a "type"
("*f32", "i32") and says whether it is a multiple of 16.  A part is the code of one kernel: {"ptx",
"machine" in base64, "shared", "warps", "ctas", "hidden"}: "hidden" null pointers follow the plan's
arguments.

The source of a candidate is Python, which runs here.  Each request is served by a copy of this
process, which ends with it, so that no candidate reaches the compilation of the next one.
"""

import base64
import importlib
import json
import os
import shutil
import signal
import sys
import tempfile
import traceback

# For each language: the module beside this file, and the Python package that it needs.
LANGUAGES = {"triton": ("triton_source", "triton"), "cute": ("cute_source", "nvidia-cutlass-dsl")}

SOURCE_FILE = "kernel.py"


class Rejected(Exception):
    """The source is refused; `line` is its line with the fault, 0 if unknown."""

    def __init__(self, text, line=0):
        super().__init__(text)
        self.line = line


def _take_pipes():
    """Keep standard input and output for the protocol: sources print to the log and read nothing."""
    requests = os.fdopen(os.dup(0), encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    return requests, answers


def _unavailable(text):
    return {"error": text, "code": 3}


def _load(language):
    """Load the module that compiles the language; return it, or an answer that names what is missing."""
    name, package = LANGUAGES.get(language, (None, None))
    if not name:
        return None, _unavailable(f"no compiler for {language}")
    try:
        return importlib.import_module(name), None
    except ImportError as missing:
        return None, _unavailable(f"no {package} for {sys.executable} ({missing}): pip install "
                                  f"{package}, or name a Python that has it in KFORGE_PYTHON")


def _line_of(error):
    """Find the innermost line of the source that an exception passed through."""
    if isinstance(error, SyntaxError) and error.filename == SOURCE_FILE:
        return error.lineno or 0
    line = 0
    for frame in traceback.extract_tb(error.__traceback__):
        if os.path.basename(frame.filename) == SOURCE_FILE:
            line = frame.lineno or 0
    return line


def _reject(error, module):
    explain = None if isinstance(error, Rejected) else getattr(module, "explain", None)
    line, text = explain(error) if explain else (0, "")
    line = line or getattr(error, "line", 0) or _line_of(error)
    text = text or str(error) if isinstance(error, Rejected) else text
    text = text or f"{type(error).__name__}: {error}"
    log = "".join(traceback.format_exception_only(type(error), error)).strip()
    return {"rejected": text if isinstance(error, Rejected) else log,
            "diagnostics": [{"line": line, "text": " ".join(text.split())[:400]}]}


def _compile(module, request):
    with open(SOURCE_FILE, "w", encoding="utf-8") as file:
        file.write(request["source"])
    names = {"__name__": "kernel", "__file__": SOURCE_FILE}
    try:
        exec(compile(request["source"], SOURCE_FILE, "exec"), names)
        parts = [module.compile_kernel(names, kernel, request["target"], Rejected)
                 for kernel in request["kernels"]]
    except (SystemExit, KeyboardInterrupt):
        return {"rejected": "the source ended the Python process",
                "diagnostics": [{"line": 0, "text": "the source ended the Python process"}]}
    except Exception as error:
        return _reject(error, module)
    for part in parts:
        part["machine"] = base64.b64encode(part["machine"]).decode()
    return {"parts": parts}


def _serve_in_copy(write_end, module, request):
    folder = tempfile.mkdtemp(dir=os.getcwd())
    os.environ["TRITON_CACHE_DIR"] = folder
    os.environ["CUTE_DSL_CACHE_DIR"] = folder
    os.chdir(folder)
    try:
        answer = _compile(module, request)
    except BaseException as error:
        answer = _reject(error, module)
    with os.fdopen(write_end, "w", encoding="utf-8") as out:
        json.dump(answer, out)
    os.chdir("/")
    shutil.rmtree(folder, ignore_errors=True)


def _read_all(descriptor):
    with os.fdopen(descriptor, encoding="utf-8") as file:
        return file.read()


def _serve_compile(module, request):
    read_end, write_end = os.pipe()
    copy = os.fork()
    if copy == 0:
        try:
            os.close(read_end)
            _serve_in_copy(write_end, module, request)
        finally:
            os._exit(0)
    os.close(write_end)
    text = _read_all(read_end)
    _, status = os.waitpid(copy, 0)
    try:
        return json.loads(text)
    except ValueError:
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        why = signal.Signals(number).name if number else f"status {os.WEXITSTATUS(status)}"
        return {"rejected": f"the compiler ended: {why}",
                "diagnostics": [{"line": 0, "text": f"the compiler crashed on the source: {why}"}]}


def _serve(request):
    module, missing = _load(request["language"])
    if missing:
        return missing
    if request["do"] == "version":
        os.environ["TRITON_CACHE_DIR"] = os.path.join(os.getcwd(), "trial")
        return {"version": module.version(request["target"])}
    return _serve_compile(module, request)


def main():
    requests, answers = _take_pipes()
    os.chdir(os.environ.get("KFORGE_SCRATCH", "."))
    for line in requests:
        json.dump(_serve(json.loads(line)), answers)
        print(file=answers, flush=True)


if __name__ == "__main__":
    main()
