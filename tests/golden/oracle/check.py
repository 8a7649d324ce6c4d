#!/usr/bin/python3
"""Compares the oracle with NumPy, operation by operation, and counts its cost again.  usage: check.py DRIVER

Every operation of kforge must have a case; cases/ has a module for each family.
"""
import importlib
import json
import math
import pathlib
import subprocess
import sys

import numpy as np

import costs
from case import CASES

SIZES = {'f64': 8, 'i64': 8, 'f32': 4, 'i32': 4, 'f16': 2, 'bf16': 2, 'bool': 1}
TYPES = {'float64': 'f64', 'float32': 'f32', 'float16': 'f16', 'int64': 'i64', 'int32': 'i32', 'bool': 'bool'}


def run(driver):
    for module in sorted(pathlib.Path(__file__).parent.glob('cases/*.py')):
        importlib.import_module(f'cases.{module.stem}')
    process = subprocess.Popen([driver], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    operations = json.loads(process.stdout.readline())
    failures = [f'{op}: no case' for op in sorted(set(operations) - covered())]
    for graph, expected, inputs in CASES:
        failures += check(process, graph, expected, inputs)
    process.stdin.close()
    if process.wait() != 0:
        failures.append(f'the driver ended with {process.returncode}')
    for failure in failures:
        print(failure)
    print(f'{len(operations)} operations, {len(CASES)} cases, {len(failures)} failures')
    return 1 if failures else 0


def covered():
    return {one['op'] for graph, _, _ in CASES for one in graph}


def check(process, graph, expected, inputs):
    wanted = expected(*inputs.values())
    wanted = wanted if isinstance(wanted, dict) else {'y': wanted}
    wanted = {name: np.asarray(value) for name, value in wanted.items()}
    tensors = {name: {'role': 'input', 'dtype': TYPES[value.dtype.name], 'shape': list(value.shape),
                      'fill': {'constant': 0}} for name, value in inputs.items()}
    for name, value in wanted.items():
        # NumPy has no bf16: such a result comes as f32.
        dtype = 'bf16' if graph[-1].get('dtype') == 'bf16' else TYPES[value.dtype.name]
        tensors[name] = {'role': 'output', 'dtype': dtype, 'shape': list(value.shape)}
    problem = {'kforge': 1, 'name': 'case', 'summary': '', 'dims': {}, 'tensors': tensors,
               'graph': graph, 'tolerance': {'class': 'f32'}}
    values = {name: np.asarray(value, dtype=float).ravel().tolist()
              for name, value in inputs.items()}
    process.stdin.write(json.dumps({'problem': problem, 'values': values}) + '\n')
    process.stdin.flush()
    answer = json.loads(process.stdout.readline() or '{"error": "the driver ended"}')
    if 'error' in answer:
        return [f'{graph}: {answer["error"]}']
    return check_cost(graph, inputs, tensors, answer) + [
        f'{graph}: {name} differs by {difference(answer[name], value):.3g}'
        for name, value in wanted.items() if difference(answer[name], value) > 1e-11]


def check_cost(graph, inputs, tensors, answer):
    """Of cases with one operation whose operands are all tensors."""
    node, *rest = graph
    if rest or not all(operand in inputs for operand in node['in']):
        return []
    operands, y = [inputs[name] for name in node['in']], tensors['y']
    counted = {'flops': costs.flops(node, operands, y['shape']),
               'bytes': costs.moved(node, operands, y['shape'], SIZES[y['dtype']])}
    return [f'{graph}: {answer[what]:.17g} {what}, counted {count}'
            for what, count in counted.items() if count not in (None, answer[what])]


def difference(got, wanted):
    """The largest difference, relative to the largest value; infinite where one is not finite."""
    got = np.array([math.nan if x is None else x for x in got], dtype=float)
    wanted = np.asarray(wanted, dtype=float).ravel()
    expected_nan = np.isnan(got) & np.isnan(wanted)
    got, wanted = np.where(expected_nan, 0, got), np.where(expected_nan, 0, wanted)
    distance = np.abs(got - wanted).max() / max(1e-300, np.abs(wanted).max())
    return distance if np.isfinite(distance) else math.inf


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(run(sys.argv[1]))
