"""
Describes a model's file as a problem (FORMATS.md): tensors with shapes, types and fills, and the
graph if all of its operations are known.  It runs the model on tensors without contents, unless the
file's own code needs the contents.
"""

import re

import torch

from distributions import Distribution, DistributionTracker
from errors import BridgeError, place_in
from graph import BYTES, DTYPES, VALUES, Unknown
from lengths import Lengths
from light_imports import light_imports
from meta_mode import form_of, outputs_of, tensors_in
from model_file import as_stored, replace_state, state_of
from tracer import Tracer
from transforms import written_out

# Keywords of OpenCL C and CUDA C++, which names in kernels must not be; y is the output.
RESERVED = set("""auto bool break case char class const constant continue default do double
else enum extern float for global goto half if inline int kernel local long new private register
return short signed sizeof static struct switch this typedef union unsigned void volatile while
y""".split())

# The types of inputs and state, and how a problem keeps them.
RETURNED = {**VALUES, **dict.fromkeys(BYTES, "f32")}
STORED = {**RETURNED, torch.complex64: "f32"}

SEED = 42
MAX_PARAM_SPREAD = 0.1  # standard deviation of parameters that the file fills with a constant


def _name(key, taken):
    """A name that kernels can use, made from `key` and different from those taken."""
    name = re.sub(r"[^A-Za-z0-9_]", "_", key)[:56]
    name = f"{name}_" if name in RESERVED else f"p{name}" if re.match("[0-9]", name) else name
    while name in taken:
        name += "_"
    return name


class Description:
    """The problem of one file."""

    def __init__(self, model_file):
        self.model_file = model_file
        self.has_contents = False  # the file's code needs the contents of tensors
        self.distributions = DistributionTracker()
        self.given = {}  # name: (role, tensor), the inputs first
        self.keys = {}  # name: key of state_of(), or index of the input
        with light_imports():
            self.model, self.inputs = self._make()
            self._forget_contents()
            self._declare_inputs()
            self._declare_state()
            self.tracer, self.outputs = self._trace()
            self._check_lengths()

    def _make(self):
        try:
            with self.distributions:
                return self.model_file.model(SEED), self.model_file.inputs(SEED)
        except NotImplementedError:
            self.has_contents = True
            self.distributions = DistributionTracker()
            return self.model_file.model(SEED), self.model_file.inputs(SEED)

    def _forget_contents(self):
        """Put tensors that torch.Tensor(2, 3) and the like made with contents on the device "meta"."""
        moved = {}  # by id: the new tensor, and the old one, which keeps the id in use
        for key, tensor in state_of(self.model).items():
            if not tensor.is_meta and id(tensor) not in moved:
                moved[id(tensor)] = self._without_contents(tensor), tensor
            if not tensor.is_meta:
                replace_state(self.model, key, moved[id(tensor)][0])
        self.inputs = [self._without_contents(item) if isinstance(item, torch.Tensor) and not item.is_meta else item
                       for item in self.inputs]

    def _without_contents(self, tensor):
        made = tensor.detach().to("meta")
        made = torch.nn.Parameter(made, tensor.requires_grad) if isinstance(tensor, torch.nn.Parameter) else made
        self.distributions.note(made, self.distributions.of(tensor))
        return made

    def _declare_inputs(self):
        for i, (name, item) in enumerate(
                zip(self.model_file.input_names(self.model, len(self.inputs)), self.inputs)):
            if isinstance(item, torch.Tensor):
                self._declare(_name(name, self.given), "input", item, i)

    def _declare_state(self):
        seen = set()
        for key, tensor in state_of(self.model).items():
            if id(tensor) not in seen:
                self._declare(_name(key, self.given), "param", tensor, key)
            seen.add(id(tensor))

    def _declare(self, name, role, tensor, key):
        if tensor.dtype not in STORED:
            raise BridgeError(f"{self.model_file.file}: {name} has elements of type "
                              f"{tensor.dtype}: problems have {', '.join(DTYPES.values())}; "
                              "keep such numbers in one of these types, and convert them in forward")
        self.given[name] = (role, tensor)
        self.distributions.note_range(tensor)
        self.keys[name] = key

    def _trace(self):
        tracer = Tracer(self.model_file.file)
        for name, (_, tensor) in self.given.items():
            tracer.bind(tensor, name)
        try:
            with torch.no_grad(), written_out(self.model_file.names), tracer:
                outputs = self.model(*self.inputs)
        except NotImplementedError as why:
            tracer.unknown.append(f"{place_in(self.model_file.file, why)}: "
                                  f"{str(why).splitlines()[0][:200]}")
            outputs = self._run()
        self.form = form_of(outputs)
        outputs = outputs_of(outputs)
        if not outputs or len(tensors_in(outputs)) != len(outputs):
            raise BridgeError(f"{self.model_file.file}: forward returns something other than "
                              "tensors")
        return tracer, outputs

    def _check_lengths(self):
        """Look on two sets of data whether results are as long as the graph takes them to be."""
        are_certain = all(is_certain for *_, is_certain in self.tracer.lengths)
        for seed in () if are_certain or self.tracer.unknown else (SEED, SEED + 1):
            with torch.no_grad(), Lengths() as seen:
                self.model_file.model(seed)(*self.model_file.inputs(seed))
            for (place, length, _), found in zip(self.tracer.lengths, seen.found):
                if length != found:
                    self.tracer.unknown.append(f"{place}: bincount of numbers up to {found - 1}, which makes {found} "
                                               f"counts of {length}: give a larger minlength")
                    return

    def _run(self):
        """Run the model on tensors with contents, if it cannot run without."""
        with torch.no_grad():
            return self.model_file.model(SEED)(*self.model_file.inputs(SEED))

    def _fill(self, name, role, tensor):
        distribution = self.distributions.of(tensor)
        if distribution is None or distribution.kind == "two" or tensor.is_complex() or tensor.dtype in BYTES:
            return {"model": []}
        is_trained = isinstance(tensor, torch.nn.Parameter) and tensor.is_floating_point()
        if distribution.kind == "constant" and is_trained:
            # Training would change it, so a kernel must not ignore it (adding a zero bias, say).
            distribution = Distribution("normal", distribution.a, MAX_PARAM_SPREAD)
        if distribution.kind in ("constant", "mask", "signs"):
            return {distribution.kind: distribution.a}
        if distribution.kind == "permutation":
            return {distribution.kind: []}
        return {distribution.kind: [distribution.a, distribution.b]}

    def _graph(self):
        """The nodes and the names of the outputs; None for the nodes if an operation is unknown."""
        if self.tracer.unknown:
            return None, self._output_names()
        try:
            results = [(self.tracer.name(output), output.shape) for output in self.outputs]
            names = self.tracer.graph.finish(results, set(self.given))
        except Unknown as why:
            self.tracer.unknown.append(f"{why.place or self.model_file.file}: {why}")
            return None, self._output_names()
        return self.tracer.graph.nodes, names

    def _output_names(self):
        if len(self.outputs) == 1:
            return ["y"]
        return [f"y{i}" for i in range(len(self.outputs))]

    def _declared(self, role, tensor, fill=None):
        if tensor.dtype not in (RETURNED if role == "output" else STORED):
            raise BridgeError(f"{self.model_file.file}: an output has elements of type {tensor.dtype}: problems have "
                              f"{', '.join(DTYPES.values())}; convert it at the end of forward")
        made = {"role": role, "dtype": STORED[tensor.dtype], "shape": list(as_stored(tensor).shape)}
        return made if fill is None else {**made, "fill": fill}

    def problem(self, tolerance):
        nodes, outputs = self._graph()
        used = self.tracer.graph.used() if nodes else set(self.given)
        tensors = {}
        for name, (role, tensor) in self.given.items():
            if name in used:
                tensors[name] = self._declared(role, tensor, self._fill(name, role, tensor))
        for name, (tensor, number) in self.tracer.constants().items():
            if nodes and name in used:
                tensors[name] = self._declared("param", tensor, {"constant": number})
        for name, tensor in zip(outputs, self.outputs):
            tensors[name] = self._declared("output", tensor)
        form = {} if self.form is None else {"outputs": self.form}
        return {"kforge": 1, "name": self.model_file.problem_name(),
                "summary": self.model_file.summary(), "dims": {}, "tensors": tensors,
                "graph": nodes, "tolerance": {"class": tolerance},
                "torch": {"file": self.model_file.file, "source": self.model_file.text,
                          "unknown": self.tracer.unknown,
                          "keys": {name: key for name, key in self.keys.items()
                                   if name in tensors},
                          "numbers": [[i, item] for i, item in enumerate(self.inputs)
                                      if not isinstance(item, torch.Tensor)],
                          "inputs": len(self.inputs), **form}}
