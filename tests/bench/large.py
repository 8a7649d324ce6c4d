"""Measure the time to a verdict for large problems, where expected values take most of it.

usage: large.py WORKER LANGUAGE [--oracle size|host|device] [--set M=1024,N=4096] [--seconds S] [--new]
       [--steps] [--logs FOLDER] [--ahead N] [--together] [--warm N] [NAME|FOLDER...]

For each problem: the first verdict of a new worker, from the load of the problem on, and two more (--warm) at
once. FOLDER has a problem (also a PyTorch file, problem.py) and a kernel, as kforge export writes them. --set
changes dimensions; --seconds ends the measurement. --new: in the later candidates every kernel is new, and the
first and the one before are timed in turn with them, as in a session. --steps also prints when each step of an
evaluation ended, from the worker's log, which --logs keeps. --ahead loads that many further problems meanwhile;
--together loads all of them before the first is measured. "rest" is the time of a verdict that its parts do not
name: comparisons, and what was computed in advance.
"""
import argparse
import glob
import json
import os
import re
import subprocess
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

HEADS = {"opencl": ("__kernel", "__global", "get_global_id(0)", "get_group_id(0)", "get_local_id(0)", "__local",
                    "barrier(CLK_LOCAL_MEM_FENCE)"),
         "cuda": ("extern \"C\" __global__", "", "((size_t)blockIdx.x * blockDim.x + threadIdx.x)", "blockIdx.x",
                  "threadIdx.x", "__shared__", "__syncthreads()")}
TENSOR = {"role": "input", "dtype": "f32", "fill": {"normal": [0, 1]}}


def problem(name, dims, shapes, out, node):
    tensors = {key: dict(TENSOR, shape=shape) for key, shape in shapes.items()}
    tensors["y"] = {"role": "output", "dtype": "f32", "shape": out}
    return {"kforge": 1, "name": name, "summary": "", "dims": dims, "tensors": tensors,
            "graph": [dict(node, **{"in": list(shapes), "out": "y"})], "tolerance": {"class": "f32"}}


# Each kernel is written with the words K kernel, G global memory, I global id, W work-group, L local id,
# S local memory and B barrier.
PROBLEMS = {
    "softmax": (problem("softmax", {"M": 4096, "N": 393216}, {"x": ["M", "N"]}, ["M", "N"], {"op": "softmax", "dim": -1}), """
K void run(G const float *x, G float *y, int N)
{
    S float part[256];
    const size_t row = (size_t)W * N;
    float most = -3e38f, total = 0;
    for (int j = L; j < N; j += 256) most = fmax(most, x[row + j]);
    part[L] = most; B;
    for (int s = 128; s > 0; s /= 2) { if (L < s) part[L] = fmax(part[L], part[L + s]); B; }
    most = part[0]; B;
    for (int j = L; j < N; j += 256) total += exp(x[row + j] - most);
    part[L] = total; B;
    for (int s = 128; s > 0; s /= 2) { if (L < s) part[L] += part[L + s]; B; }
    for (int j = L; j < N; j += 256) y[row + j] = exp(x[row + j] - most) / part[0];
}""", ["M*256"], ["N"]),
    "gelu": (problem("gelu", {"M": 4096, "N": 393216}, {"x": ["M", "N"]}, ["M", "N"], {"op": "gelu"}), """
K void run(G const float *x, G float *y)
{
    const size_t i = I;
    y[i] = 0.5f * x[i] * (1.0f + erf(x[i] * 0.707106781f));
}""", ["M*N"], []),
    "sum": (problem("sum", {"M": 128, "N": 4096, "C": 4095}, {"x": ["M", "N", "C"]}, ["M", "C"],
                    {"op": "sum", "dim": 1}), """
K void run(G const float *x, G float *y, int M, int N, int C)
{
    const size_t i = I;
    if (i >= (size_t)M * C) return;
    float total = 0;
    for (int j = 0; j < N; j++) total += x[i / C * N * C + (size_t)j * C + i % C];
    y[i] = total;
}""", ["align(M*C,256)"], ["M", "N", "C"]),
    "matmul": (problem("matmul", {"M": 4096, "N": 4096}, {"a": ["M", "N"], "b": ["N", "N"]}, ["M", "N"],
                       {"op": "matmul"}), """
K void run(G const float *a, G const float *b, G float *y, int N)
{
    S float p[16][16], q[16][16];
    const int r = L / 16, c = L % 16, row = W / (N / 16) * 16 + r, column = W % (N / 16) * 16 + c;
    float total = 0;
    for (int k = 0; k < N; k += 16) {
        p[r][c] = a[row * N + k + c]; q[r][c] = b[(k + r) * N + column]; B;
        for (int e = 0; e < 16; e++) total += p[r][e] * q[e][c];
        B;
    }
    y[row * N + column] = total;
}""", ["M*N"], ["N"]),
}
# A sum over the work-group, in part[0]. Ends with a barrier.
TOTAL = "part[L] = t; B; for (int s = 128; s > 0; s /= 2) { if (L < s) part[L] += part[L + s]; B; }"
ROW = """
K void run(G const float *x, G float *y, int N)
{
    S float part[256];
    const size_t row = (size_t)W * N;
    float t = 0;
    for (int j = L; j < N; j += 256) t += %s;
    """ + TOTAL + """
    for (int j = L; j < N; j += 256) y[row + j] = x[row + j] / %s;
}"""
# The extreme element of a column, or its place.
COLUMN = """
K void run(G const float *x, G %s *y, int M, int N, int C)
{
    const size_t i = I;
    if (i >= (size_t)M * C) return;
    const size_t first = i / C * N * C + i %% C;
    float best = x[first];
    int at = 0;
    for (int j = 1; j < N; j++)
        if (x[first + (size_t)j * C] %s best) { best = x[first + (size_t)j * C]; at = j; }
    y[i] = %s;
}"""
# Mean and variance of `runs` runs of `length` elements, `stride` apart, from `first` on.
NORM = """
K void run(%s int C, int P, int N)
{
    S float part[256];
    const size_t first = %s, stride = %s;
    const int runs = %s, length = %s;
    float t = 0, mean, scale;
    for (int r = 0; r < runs; r++) for (int j = L; j < length; j += 256) t += x[first + r * stride + j];
    """ + TOTAL + """
    mean = part[0] / ((float)runs * length); t = 0; B;
    for (int r = 0; r < runs; r++) for (int j = L; j < length; j += 256) {
        const float d = x[first + r * stride + j] - mean; t += d * d;
    }
    """ + TOTAL + """
    scale = 1.0f / sqrt(part[0] / ((float)runs * length) + 1e-5f);
    for (int r = 0; r < runs; r++) for (int j = L; j < length; j += 256) {
        const size_t i = first + r * stride + j;
        y[i] = (x[i] - mean) * scale%s;
    }
}"""
PLANES = {"M": 112, "C": 64, "H": 512, "P": 262144, "N": 1}
IMAGE = ["M", "C", "H", "H"]


def chain(name, dims, shape, *nodes):
    """A problem whose nodes each take the result before them and more operands: (op, operands, attributes)."""
    made, graph = problem(name, dims, {"x": shape}, shape, {"op": "relu"}), []
    for i, (op, operands, attributes) in enumerate(nodes):
        out = "y" if i == len(nodes) - 1 else f"t{i}"
        graph.append({"op": op, "in": operands, "out": out, **attributes})
    return dict(made, graph=graph)


def with_params(made, shape):
    """The problem with a weight and a bias for its one operation."""
    param = {"role": "param", "dtype": "f32", "shape": shape, "fill": {"normal": [0.5, 0.1]}}
    x, y = made["tensors"]["x"], made["tensors"]["y"]
    node = dict(made["graph"][0], **{"in": ["x", "w", "b"]})
    return dict(made, tensors={"x": x, "w": param, "b": param, "y": y}, graph=[node])


def extreme(name, element, sign, result):
    made = problem(name, {"M": 128, "N": 4096, "C": 4095}, {"x": ["M", "N", "C"]}, ["M", "C"], {"op": name, "dim": 1})
    made["tensors"]["y"]["dtype"] = element
    return made, COLUMN % ("float" if element == "f32" else "long", sign, result), ["align(M*C,256)"], ["M", "N", "C"]


ROWS, LAST = {"M": 32768, "N": 65535}, {"dim": 1, "keepdim": True}
PLAIN, AFFINE = "G const float *x, G float *y,", "G const float *x, G const float *w, G const float *b, G float *y,"
PROBLEMS |= {
    "max": extreme("max", "f32", ">", "best"),
    "min": extreme("min", "f32", "<", "best"),
    "argmax": extreme("argmax", "i64", ">", "at"),
    "logsumexp": (problem("logsumexp", {"M": 4096, "N": 393216}, {"x": ["M", "N"]}, ["M"],
                          {"op": "logsumexp", "dim": -1}), """
K void run(G const float *x, G float *y, int N)
{
    S float part[256];
    const size_t row = (size_t)W * N;
    float most = -3e38f, t = 0;
    for (int j = L; j < N; j += 256) most = fmax(most, x[row + j]);
    part[L] = most; B;
    for (int s = 128; s > 0; s /= 2) { if (L < s) part[L] = fmax(part[L], part[L + s]); B; }
    most = part[0]; B;
    for (int j = L; j < N; j += 256) t += exp(x[row + j] - most);
    """ + TOTAL + """
    if (L == 0) y[W] = most + log(part[0]);
}""", ["M*256"], ["N"]),
    "l1_norm": (chain("l1_norm", ROWS, ["M", "N"], ("abs", ["x"], {}), ("mean", ["t0"], LAST), ("div", ["x", "t1"], {})),
                ROW % ("fabs(x[row + j])", "(part[0] / N)"), ["M*256"], ["N"]),
    "l2_norm": (chain("l2_norm", ROWS, ["M", "N"], ("mul", ["x", "x"], {}), ("sum", ["t0"], LAST), ("sqrt", ["t1"], {}),
                      ("div", ["x", "t2"], {})),
                ROW % ("x[row + j] * x[row + j]", "sqrt(part[0])"), ["M*256"], ["N"]),
    "rms_norm": (chain("rms_norm", PLANES, IMAGE, ("pow", ["x", 2], {}), ("mean", ["t0"], LAST), ("add", ["t1", 1e-5], {}),
                       ("sqrt", ["t2"], {}), ("div", ["x", "t3"], {})), """
K void run(G const float *x, G float *y, int C, int P, int N)
{
    const size_t i = I, first = i / P * P * C + i % P;
    float t = 0;
    for (int c = 0; c < C; c++) t += x[first + (size_t)c * P] * x[first + (size_t)c * P];
    t = 1.0f / sqrt(t / C + 1e-5f);
    for (int c = 0; c < C; c++) y[first + (size_t)c * P] = x[first + (size_t)c * P] * t;
}""", ["M*P"], ["C", "P", "N"]),
    "instance_norm": (problem("instance_norm", PLANES, {"x": IMAGE}, IMAGE, {"op": "instance_norm", "eps": 1e-5}),
                      NORM % (PLAIN, "(size_t)W * P", "0", "1", "P", ""), ["M*C*256"], ["C", "P", "N"]),
    "group_norm": (with_params(problem("group_norm", PLANES, {"x": IMAGE}, IMAGE,
                                       {"op": "group_norm", "num_groups": 8, "eps": 1e-5}), ["C"]),
                   NORM % (AFFINE, "(size_t)W * P * (C / 8)", "P", "C / 8", "P", " * w[i / P % C] + b[i / P % C]"),
                   ["M*8*256"], ["C", "P", "N"]),
    "layer_norm": (with_params(problem("layer_norm", {"M": 16, "C": 64, "H": 256, "P": 65536, "N": 1}, {"x": IMAGE}, IMAGE,
                                       {"op": "layer_norm", "normalized_shape": ["C", "H", "H"], "eps": 1e-5}),
                               ["C", "H", "H"]),
                   NORM % (AFFINE, "(size_t)W * P * C", "P", "C", "P",
                           " * w[i % ((size_t)C * P)] + b[i % ((size_t)C * P)]"), ["M*256"], ["C", "P", "N"]),
}


def candidate(language, source, size, dims, task):
    for word, text in zip("KGIWLSB", HEADS[language]):
        source = re.sub(rf"\b{word}\b", text, source)
    launch = {"kernel": "run", "global": size, "local": [256], "args": list(task["tensors"]) + dims}
    return {"language": language, "source": source, "plan": json.dumps({"launches": [launch]}), "remark": ""}


class Worker:
    """A kforge-worker and its protocol of JSON lines."""

    def __init__(self, path, log, *options):
        self._log = open(log, "w+", encoding="utf-8") if log else tempfile.NamedTemporaryFile("r", suffix=".log")
        self.process = subprocess.Popen([path, *options], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env={**os.environ, "KFORGE_WORKER_LOG": self._log.name})

    def steps(self):
        """What the log says about evaluations since the last call."""
        return [line.split("evaluation: ", 1)[1].strip() for line in self._log if "evaluation: " in line]

    def close(self):
        self.timer.cancel()
        self.process.kill()
        self.process.wait()

    def ask(self, what, **members):
        try:
            print(json.dumps({"id": 1, "do": what, **members}), file=self.process.stdin, flush=True)
        except BrokenPipeError:
            return {"event": "error", "error": "the worker has ended"}
        for line in self.process.stdout:
            answer = json.loads(line)
            if answer["event"] in ("result", "error"):
                return answer
        return {"event": "error", "error": "the worker ended"}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def shipped_problem(options, name):
    """A problem of this file: its text, and the candidate."""
    task, source, size, dims = PROBLEMS[name]
    task["dims"].update((key, int(number)) for key, number in
                        (pair.split("=") for pair in options.set.split(",") if pair))
    return json.dumps(task), candidate(options.language, source, size, dims, task)


def exported_problem(options, folder):
    """The problem and the kernel in a folder that kforge export has written."""
    kernel = glob.glob(os.path.join(folder, "*.c[lu]"))[0]
    return read(glob.glob(os.path.join(folder, "problem.*"))[0]), {
        "language": options.language, "source": read(kernel), "plan": read(os.path.join(folder, "plan.json")), "remark": ""}


def described(worker, text, name):
    """The problem of a PyTorch file; that of another file is its text."""
    if text.lstrip().startswith("{"):
        return text
    answer = worker.ask("describe", model=text, file=os.path.basename(name) + ".py", tolerance="f32")
    return json.dumps(answer.get("problem"))


# What begins each kernel of another version: a test that never holds.
NEVER = {"opencl": "if (get_num_groups(2) == {}) return;", "cuda": "if (gridDim.z == {}) return;"}


def another(kernel, turn):
    """The candidate with a change in each of its kernels."""
    def change(match):
        return match.group() + " " + NEVER[kernel["language"]].format(60000 + turn)

    return dict(kernel, source=re.sub(r"\b(__global__|__kernel)\b[^;{]*\{", change, kernel["source"]))


def describe_spent(verdict):
    spent = {key: round(value) for key, value in (verdict.get("spent") or {}).items()}
    if spent:
        spent["rest_ms"] = 2 * spent["total_ms"] - sum(spent.values())
        spent["compiler_ms"] = round(verdict.get("build", {}).get("ms", 0))
    return spent


def loaded(options, name):
    """A worker that has loaded the problem, the answer, the kernel, and when that began."""
    log = options.logs and os.path.join(options.logs, os.path.basename(name) + ".log")
    worker = Worker(options.worker, log, "--device", f"{options.language}:0", "--oracle", options.oracle)
    worker.timer = threading.Timer(options.until - time.monotonic(), worker.process.kill)
    worker.timer.start()
    worker.ask("hello")
    began = time.monotonic()
    text, kernel = (exported_problem if os.path.isdir(name) else shipped_problem)(options, name)
    answer = worker.ask("load", problem=described(worker, text, name), file=name)
    return worker, answer, kernel, began


def measure(options, name, load):
    worker, answer, kernel, began = load
    print(f"{name}: loaded in {time.monotonic() - began:.2f} s", flush=True)
    if options.together:
        began = time.monotonic()
    before, rivals = kernel, {}
    for turn in range(1 + options.warm):
        if answer["event"] == "error":
            print(f"{name}: {answer.get('error')}", flush=True)
            break
        if options.new and turn:
            rivals, before = {"first": kernel, "best": before}, another(kernel, turn)
            began = time.monotonic()
        answer = worker.ask("evaluate", candidate=before, **rivals)
        verdict = answer.get("verdict", {})
        print(f"{name} {options.oracle} {'warm' if turn else 'first'}: {time.monotonic() - began:.2f} s,",
              verdict.get("outcome"), verdict.get("detail", "")[:80], describe_spent(verdict), flush=True)
        for step in worker.steps() if options.steps else []:
            print("   ", step, flush=True)
        began = time.monotonic()
    worker.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("worker")
    parser.add_argument("language", choices=HEADS)
    parser.add_argument("--oracle", default="size")
    parser.add_argument("--set", default="")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--new", action="store_true")
    parser.add_argument("--steps", action="store_true")
    parser.add_argument("--logs")
    parser.add_argument("--ahead", type=int, default=0)
    parser.add_argument("--together", action="store_true")
    parser.add_argument("--warm", type=int, default=2)
    parser.add_argument("names", nargs="*", default=list(PROBLEMS))
    options = parser.parse_intermixed_args()
    options.until = time.monotonic() + options.seconds
    if options.together:
        options.ahead = len(options.names)
    with ThreadPoolExecutor(1 + options.ahead) as pool:
        loads = [pool.submit(loaded, options, name) for name in options.names if options.together]
        for load in loads:
            load.result()
        for i, name in enumerate(options.names):
            loads += [pool.submit(loaded, options, later) for later in options.names[len(loads):i + 1 + options.ahead]]
            load = loads[i].result()
            if time.monotonic() < options.until:
                measure(options, name, load)
            else:
                load[0].close()


main()
