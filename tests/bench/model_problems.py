"""Write models in KernelBench's form as problems without PyTorch, at their own sizes or at reduced ones.

usage: model_problems.py --out FOLDER [--bin FOLDER] [--bytes N] [--flops N] [--tolerance f32|mixed] FILE...

Writes FOLDER/LEVEL_FILE.json for each FILE in a folder named LEVEL, and FOLDER/LEVEL_FILE.py with the sizes that the
problem has. With --bytes or --flops the sizes are reduced until one evaluation takes no more than that; this takes
the program bench_tolerances from the folder --bin. Tensors that only the model can make are left to its file: the
problem's name is then printed with a reason, as are models that are not read whole. Needs PyTorch.
"""
import argparse
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "backends", "torch")]

import model_sizes
from description import Description
from model_file import ModelFile


class Sizes:
    """Asks bench_tolerances for the cost of an evaluation."""

    def __init__(self, options):
        self._options, self._path = options, os.path.join(options.out, "size.json")
        self._process = None

    def _ask(self, problem):
        if self._process is None:
            self._process = subprocess.Popen([os.path.join(self._options.bin, "bench_tolerances")], text=True,
                                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        with open(self._path, "w", encoding="utf-8") as file:
            json.dump(problem, file)
        print("size", self._path, file=self._process.stdin, flush=True)
        return self._process.stdout.readline().split()

    def cost(self, text, name):
        """Return the cost as a multiple of what is allowed; None: the model does not work at these sizes."""
        try:
            answer = self._ask(Description(ModelFile(text, name)).problem("f32"))
        except Exception:
            return None
        if answer[:1] != ["ok"]:
            return None
        return max(float(answer[1]) / self._options.bytes, float(answer[2]) / self._options.flops)


def _problem(text, name, tolerance):
    problem = Description(ModelFile(text, name)).problem(tolerance)
    if not problem["graph"]:
        raise RuntimeError("no whole graph: " + "; ".join(problem["torch"]["unknown"]))
    made = [key for key, tensor in problem["tensors"].items() if tensor.get("fill") == {"model": []}]
    del problem["torch"]
    for key in made:
        problem["tensors"][key]["fill"] = {"constant": 1}
    return problem, made


def _write(options, sizes, path):
    level, name = os.path.basename(os.path.dirname(path)), os.path.basename(path)
    stem = os.path.join(options.out, f"{level.removeprefix('level')}_{name.removesuffix('.py')}")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if sizes:
        text = model_sizes.with_sizes(text, model_sizes.reduce(text, lambda tried: sizes.cost(tried, name)))
    problem, made = _problem(text, name, options.tolerance)
    with open(stem + ".py", "w", encoding="utf-8") as file:
        file.write(text)
    with open(stem + ".json", "w", encoding="utf-8") as file:
        json.dump(problem, file)
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--out", required=True)
    parser.add_argument("--bin")
    parser.add_argument("--bytes", type=float)
    parser.add_argument("--flops", type=float)
    parser.add_argument("--tolerance", choices=("f32", "mixed"), default="f32")
    options = parser.parse_args()
    options.out = os.path.abspath(options.out)
    os.makedirs(options.out, exist_ok=True)
    is_reduced = options.bytes or options.flops
    options.bytes, options.flops = options.bytes or float("inf"), options.flops or float("inf")
    sizes = Sizes(options) if is_reduced else None
    for path in options.files:
        try:
            made = _write(options, sizes, os.path.abspath(path))
        except Exception as error:
            print(f"{path}: {type(error).__name__}: {str(error).splitlines()[0][:300]}", flush=True)
            continue
        if made:
            print(f"{path}: only the model makes {', '.join(made)}", flush=True)


main()
