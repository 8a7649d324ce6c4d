#!/usr/bin/python3
"""Compares what an export to PyTorch computes by with NumPy, on the oracle's cases.  usage: torch_functions.py ROOT

Ends with 77 where there is no PyTorch.
"""
import importlib
import importlib.util
import pathlib
import sys

import numpy as np

SKIPPED = 77

# What PyTorch does not do: an index beyond the table, a threshold beyond what exp() holds.
REFUSED = ('embedding', 'softplus')


def load(root):
    """The functions as they stand in an exported file."""
    namespace = {'DIMS': {}}
    texts = ['import torch\nimport torch.nn as nn\nimport torch.nn.functional as F']
    texts += [(root / 'prompts/export/torch' / name).read_text() for name in ('data.py', 'functions.py')]
    exec('\n'.join(texts), namespace)
    return namespace


def cases(root):
    sys.path.insert(0, str(root / 'tests/golden/oracle'))
    for module in sorted((root / 'tests/golden/oracle/cases').glob('*.py')):
        importlib.import_module(f'cases.{module.stem}')
    return importlib.import_module('case').CASES


def differences(space, graph, expected, inputs):
    torch = space['torch']
    values = {name: torch.tensor(np.asarray(value)) for name, value in inputs.items()}
    for node in graph:
        space['compute'](node, values)
    wanted = expected(*inputs.values())
    for name, value in (wanted if isinstance(wanted, dict) else {'y': wanted}).items():
        got = values[name].double().numpy().ravel()
        value = np.asarray(value, dtype=float).ravel()
        if got.shape != value.shape or not np.allclose(got, value, rtol=1e-6, atol=1e-7, equal_nan=True):
            yield f'{graph}: {name} is {got[:4]}, expected {value[:4]}'


def run(root):
    space, failures, seen = load(root), [], 0
    for graph, expected, inputs in cases(root):
        seen += 1
        try:
            failures += differences(space, graph, expected, inputs)
        except Exception as error:  # a case that cannot be computed is a failure with a reason
            failures.append(f'{graph}: {type(error).__name__}: {error}')
    print('\n'.join(failures))
    unknown = [one for one in failures if not any(f"'op': '{name}'" in one for name in REFUSED)]
    print(f'{seen} cases, {len(failures)} failures, {len(failures) - len(unknown)} of them known')
    return 1 if unknown or len(failures) > len(REFUSED) or not seen else 0


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(run(pathlib.Path(sys.argv[1])) if importlib.util.find_spec('torch') else SKIPPED)
