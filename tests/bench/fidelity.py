"""Compare the judge's median with the duration that ncu reads from the GPU's counters.

The kernels take from microseconds to milliseconds.  ncu runs without control of the clocks, and flushes the caches as
the judge does.
"""
import json
import subprocess

from judge import Worker, judged
from measure import stat

GOAL_SHARE, GOAL_FROM_US = 0.02, 20
RUNS, QUICK_RUNS = 2, 1

MEMORY = """
extern "C" __global__ void twice(const float4 *x, float4 *y)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = x[i];
    y[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
}
"""

COMPUTE = """
extern "C" __global__ void multiply(const float *a, const float *b, float *y, int N)
{
    __shared__ float rows[32][32], columns[32][32];
    int row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < N; k += 32) {
        rows[threadIdx.y][threadIdx.x] = a[row * N + k + threadIdx.x];
        columns[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * N + column];
        __syncthreads();
        for (int i = 0; i < 32; i++)
            sum += rows[threadIdx.y][i] * columns[i][threadIdx.x];
        __syncthreads();
    }
    y[row * N + column] = sum;
}
"""


def _tensor(role, *shape):
    return {"role": role, "dtype": "f32", "shape": list(shape),
            **({"fill": {"uniform": [-1, 1]}} if role == "input" else {})}


def _problem(name, size, tensors, node):
    return {"kforge": 1, "name": name, "summary": f"{name} at a size.", "dims": {"N": size}, "tensors": tensors,
            "graph": [node], "tolerance": {"class": "f32"}}


def _twice(size, passes):
    """A memory-bound kernel; each further pass writes the same data again, so time is proportional to passes."""
    problem = _problem("twice", size, {"x": _tensor("input", "N"), "y": _tensor("output", "N")},
                       {"op": "mul", "in": ["x", 2], "out": "y"})
    return problem, MEMORY, {"kernel": "twice", "grid": ["N/1024", passes], "block": [256, 1], "args": ["x", "y"]}


def _multiply(size, _passes):
    """A compute-bound kernel."""
    square = {name: _tensor("output" if name == "y" else "input", "N", "N") for name in "aby"}
    problem = _problem("multiply", size, square, {"op": "matmul", "in": ["a", "b"], "out": "y"})
    return problem, COMPUTE, {"kernel": "multiply", "grid": ["N/32", "N/32"], "block": [32, 32],
                              "args": ["a", "b", "y", "N"]}


# (kernel, size, passes over the data): from 5 us to 5 ms on an H200.
POINTS = ([(_twice, size << 20, 1) for size in (2, 4, 8, 12, 24, 48, 96)]
          + [(_twice, 64 << 20, passes) for passes in (4, 8, 16, 40)]
          + [(_multiply, size, 1) for size in (128, 256, 512, 768, 1024, 1536, 2048, 2560, 3328)])


def _pair(worker, candidate):
    """Evaluate once, and return the time by the judge and by ncu, in microseconds."""
    _, verdict = judged(worker, candidate, profile=True)
    profile = verdict["profile"]
    if profile.get("missing"):
        raise RuntimeError(profile["missing"])
    return verdict["timing"]["median_us"], profile["kernels"][0]["us"]


def _measure_point(worker, point, runs):
    make, size, passes = point
    problem, source, launch = make(size, passes)
    row = {"kernel": problem["name"], "size": size, "passes": passes}
    candidate = {"language": "cuda", "source": source, "plan": json.dumps({"launches": [launch]}), "remark": ""}
    try:
        worker.ask("load", problem=json.dumps(problem), file=problem["name"] + ".json")
        own, ncu = zip(*(_pair(worker, candidate) for _ in range(runs)))
    except (RuntimeError, ValueError, KeyError, OSError, subprocess.SubprocessError) as error:
        return {**row, "error": str(error) or type(error).__name__}
    own, ncu = stat(own), stat(ncu)
    return {**row, "us": own, "ncu_us": ncu, "ratio": own["median"] / ncu["median"]}


def measure(place, options):
    worker = Worker(place, "--device", options.device)
    try:
        for point in POINTS[:1] if options.quick else POINTS:
            yield _measure_point(worker, point, QUICK_RUNS if options.quick else RUNS)
    finally:
        worker.close()


def worst(rows):
    """Return the largest deviation among kernels of at least GOAL_FROM_US, or None if there is none."""
    return max((abs(row["ratio"] - 1) for row in rows
                if "error" not in row and row["ncu_us"]["median"] >= GOAL_FROM_US), default=None)
