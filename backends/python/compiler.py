"""
The compiler of kernels that are written in Python: a child process of the judge.

It reads requests as lines of JSON from standard input and writes answers to the descriptor that was
standard output (core/judge/executor/program_compiler.h):

    version  language target                         -> version
    compile  language source target kernels [soon]   -> parts, or rejected and diagnostics
    rest                                             -> (nothing)

A kernel is {"kernel", "args", "constants", "warps", "stages", "ctas"}; an argument has a "type"
("*f32", "i32") and says whether it is a multiple of 16.  A part is the code of one kernel: {"ptx",
"machine" in base64, "shared", "warps", "ctas", "hidden"}: "hidden" null pointers follow the plan's
arguments.

"soon" lists kernels of the same source that will be asked for, as a plan's other choices are: they
are compiled side by side while the judge does other work.  "rest" ends that.

The source of a candidate is Python, which runs here.  Each kernel is compiled by a copy of this
process, which ends with it, so that no candidate reaches the compilation of the next one.
"""

import base64
import fcntl
import gc
import importlib
import json
import os
import re
import select
import shutil
import signal
import sys
import tempfile
import traceback

# For each language: the module beside this file, and the Python package that it needs.
LANGUAGES = {"triton": ("triton_source", "triton"), "cute": ("cute_source", "nvidia-cutlass-dsl")}

SOURCE_FILE = "kernel.py"

# The most copies that work ahead.  Two hardware threads often share a core, and the copies should not slow down the one
# that the judge waits for; two cores are left to the judge and the executor.  The judge ends a compiler with more than 64
# processes, and some copies start an assembler each.
MOST_COPIES = max(1, min(12, len(os.sched_getaffinity(0)) // 2 - 2))


class Rejected(Exception):
    """The source is refused; `line` is its line with the fault, 0 if unknown."""

    def __init__(self, text, line=0):
        super().__init__(text)
        self.line = line


def _take_pipes():
    """Keep standard input and output for the protocol: sources print to the log and read nothing."""
    requests = os.dup(0)
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
    if isinstance(error, Rejected):
        text = log = str(error)
    else:
        text = text or f"{type(error).__name__}: {error}"
        log = "".join(traceback.format_exception_only(type(error), error)).strip()
    return {"rejected": log, "diagnostics": [{"line": line, "text": " ".join(text.split())[:400]}]}


def _count_parameters(ptx):
    """Count the parameters of the entry: compilers add pointers to their own scratch memory."""
    header = re.search(r"\.entry[^{]*", ptx)
    return len(re.findall(r"\.param\b", header.group(0))) if header else 0


def _compile(module, request, kernel):
    with open(SOURCE_FILE, "w", encoding="utf-8") as file:
        file.write(request["source"])
    names = {"__name__": "kernel", "__file__": SOURCE_FILE}
    try:
        exec(compile(request["source"], SOURCE_FILE, "exec"), names)
        part = module.compile_kernel(names, kernel, request["target"], Rejected)
    except (SystemExit, KeyboardInterrupt):
        return {"rejected": "the source ended the Python process",
                "diagnostics": [{"line": 0, "text": "the source ended the Python process"}]}
    except Exception as error:
        return _reject(error, module)
    part["machine"] = base64.b64encode(part["machine"]).decode()
    part["hidden"] = max(_count_parameters(part["ptx"]) - part.pop("given"), 0)
    return {"part": part}


def _end_with(leash):
    """End this process when the other end of a pipe is closed: no process here may send signals to another."""
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(leash, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(leash, fcntl.F_SETFL, fcntl.fcntl(leash, fcntl.F_GETFL) | os.O_ASYNC)


def _serve_in_copy(write_end, module, request, kernel):
    folder = tempfile.mkdtemp(dir=os.getcwd())
    os.environ["TRITON_CACHE_DIR"] = folder
    os.environ["CUTE_DSL_CACHE_DIR"] = folder
    os.chdir(folder)
    try:
        answer = _compile(module, request, kernel)
    except BaseException as error:
        answer = _reject(error, module)
    with os.fdopen(write_end, "w", encoding="utf-8") as out:
        json.dump(answer, out)
    os.chdir("/")
    shutil.rmtree(folder, ignore_errors=True)


class Job:
    """The compilation of one kernel by a copy of this process."""

    def __init__(self, kernel):
        self.kernel = kernel
        self.is_asked = False  # the judge waits for it
        self.copy = 0          # the process, while it works
        self.ends = []         # of pipes, while it works: what it writes, and what ends it
        self.text = []
        self.answer = None

    def begin(self, module, request, others):
        read_end, write_end = os.pipe()
        leash, hand = os.pipe()
        self.ends = [read_end, hand]
        gc.freeze()  # a collection in the copy would touch, and so copy, all objects of the packages
        self.copy = os.fork()
        if self.copy == 0:
            gc.disable()
            try:
                _end_with(leash)
                for descriptor in self.ends + others:
                    os.close(descriptor)
                _serve_in_copy(write_end, module, request, self.kernel)
            finally:
                os._exit(0)
        os.close(write_end)
        os.close(leash)

    def hear(self):
        """Read what the copy has written; at its end, the answer is there."""
        text = os.read(self.ends[0], 1 << 20)
        if text:
            self.text.append(text)
            return
        status = self.end()
        try:
            self.answer = json.loads(b"".join(self.text))
        except ValueError:
            number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
            why = signal.Signals(number).name if number else f"status {os.WEXITSTATUS(status)}"
            self.answer = {"rejected": f"the compiler ended: {why}",
                           "diagnostics": [{"line": 0, "text": f"the compiler crashed on the source: {why}"}]}

    def end(self):
        for descriptor in self.ends:
            os.close(descriptor)
        _, status = os.waitpid(self.copy, 0)
        self.copy, self.ends = 0, []
        return status


class Work:
    """What is compiled: the kernels of one source at a time, several of them side by side."""

    def __init__(self):
        self.module = self.request = None
        self.jobs = {}     # by the text of the kernel
        self.waiting = []  # jobs that have not begun, in the order in which they begin
        self.running = []

    def rest(self):
        """End the work that nobody waits for."""
        for job in self.running:
            job.end()
        self.jobs = {name: job for name, job in self.jobs.items() if job.answer}
        self.waiting, self.running = [], []

    def turn_to(self, module, request):
        """Keep what is known of the same source."""
        def source_of(asked):
            return asked and (asked["language"], asked["target"], asked["source"])

        if source_of(request) != source_of(self.request):
            self.rest()
            self.jobs = {}
        self.module, self.request = module, request

    def job_of(self, kernel):
        different = getattr(self.module, "different", None)
        name = json.dumps(different(kernel) if different else kernel, sort_keys=True)
        return self.jobs.setdefault(name, Job(kernel))

    def begin(self, job):
        self.waiting = [other for other in self.waiting if other is not job]
        if job.answer is None and not job.copy:
            job.begin(self.module, self.request, [end for other in self.running for end in other.ends])
            self.running.append(job)

    def advance(self, others):
        """Begin what there is room for and wait for one of the copies or of the other descriptors; tell if it was these."""
        while self.waiting and sum(not job.is_asked for job in self.running) < MOST_COPIES:
            self.begin(self.waiting[0])
        ready, _, _ = select.select([job.ends[0] for job in self.running] + others, [], [])
        for job in [job for job in self.running if job.ends[0] in ready]:
            job.hear()
        self.running = [job for job in self.running if job.copy]
        return any(descriptor in ready for descriptor in others)

    def serve(self, module, request):
        self.turn_to(module, request)
        asked = [self.job_of(kernel) for kernel in request["kernels"]]
        if "soon" in request:
            self.waiting = [self.job_of(kernel) for kernel in request["soon"]]
        for job in asked:
            job.is_asked = True
            self.begin(job)
        while any(job.answer is None for job in asked):
            self.advance([])
        refused = next((job.answer for job in asked if "part" not in job.answer), None)
        return refused or {"parts": [job.answer["part"] for job in asked]}


def _serve(work, request):
    if request["do"] == "rest":
        work.rest()
        return {}
    module, missing = _load(request["language"])
    if missing:
        return missing
    if request["do"] == "version":
        os.environ["TRITON_CACHE_DIR"] = os.path.join(os.getcwd(), "trial")
        return {"version": module.version(request["target"])}
    return work.serve(module, request)


def _lines(descriptor, work):
    """The lines of requests; compilations go on between them."""
    text = b""
    while True:
        while b"\n" in text:
            line, text = text.split(b"\n", 1)
            yield line
        if work.advance([descriptor]):
            more = os.read(descriptor, 1 << 20)
            if not more:
                return
            text += more


def main():
    requests, answers = _take_pipes()
    os.chdir(os.environ.get("KFORGE_SCRATCH", "."))
    work = Work()
    for line in _lines(requests, work):
        json.dump(_serve(work, json.loads(line)), answers)
        print(file=answers, flush=True)
    work.rest()


if __name__ == "__main__":
    main()
