"""
Test the class that an export to PyTorch has, tests/golden/export/model_of_file.py, with the launches computed here: no GPU
is needed. Part of torch_modules.py.
"""
import copy
import dataclasses
import math
import os
import pickle
import sys
import types
import unittest

import torch

from meta_mode import form_of

HERE = os.path.dirname(os.path.abspath(__file__))
EXPORTED = os.path.join(HERE, "../../golden/export/model_of_file.py")
SYMBOLS = os.path.join(HERE, "../../../prompts/export/torch/symbols.py")
ROUNDING = os.path.join(HERE, "../../../prompts/export/torch/rounding.py")


class OnCpu:
    """Launches of the kernel `bounded` by PyTorch's functions, in place of those on a GPU."""
    started, buffers = [], []

    def __init__(self, device, plan):
        pass

    def start(self, name, buffers, stream):
        self.started.append(name)
        self.buffers.append(buffers)
        x, weight, ones, y = buffers[:4]
        if name == "launches":
            y.copy_(torch.clamp(x @ weight.T, max=0.5) * 2 + ones)


class Streams:
    """The current stream, whether a CUDA graph is captured, and what was waited for, where there are none."""

    def __init__(self):
        self.now, self.captures, self.waited, self.kept = 0, False, [], []


def exported(change=lambda text: text):
    """The names of the exported file, whose kernels run on the CPU."""
    with open(EXPORTED, encoding="utf-8") as file:
        text = change(file.read())
    names = {}
    exec(compile(text, EXPORTED, "exec"), names)
    OnCpu.started, OnCpu.buffers, streams = [], [], Streams()
    names.update(Kernels=OnCpu, NO_DEVICE=None, stream_of=lambda device: streams.now, is_capturing=lambda: streams.captures,
                 lasting=lambda make, device: streams.kept.append(make()) or streams.kept[-1], mark=lambda: "prepared",
                 wait=streams.waited.append, finish=lambda: streams.waited.append("all"), STREAMS=streams)
    names["State"].run = lambda state, given: state.run_parts(torch.device("cpu"), given)
    return names


def with_prepared(text):
    """The exported file with a plan that has scratch memory of 16 bytes, and prepares another one."""
    launch = '{"kernel": "turn", "args": [{"kind": "buffer", "index": 5}], "tensor_maps": []}'
    return text.replace('"scratch": []', '"scratch": [16, 32]', 1).replace('"prepare": []', f'"prepare": [{launch}]', 1)


def drawn(make, seed=3):
    torch.manual_seed(seed)
    return make()


class Exports(unittest.TestCase):
    def setUp(self):
        names = self.names = exported()
        self.old, self.new = (drawn(lambda name=name: names[name](3, 0.5)) for name in ("Model", "ModelNew"))
        self.x = torch.randn(2, 3)

    def test_parameters_are_those_of_the_model(self):
        self.assertEqual(list(self.new.state_dict()), ["unused", "part.weight"])
        for key, tensor in self.old.state_dict().items():
            self.assertTrue(torch.equal(self.new.state_dict()[key], tensor))
        self.new.load_state_dict({key: tensor * 2 for key, tensor in self.old.state_dict().items()})
        with torch.no_grad():
            wanted = torch.clamp(self.x @ (2 * self.old.part.weight).T, max=0.5) * 2 + 1
            for model in (self.new, copy.deepcopy(self.new)):
                self.assertTrue(torch.allclose(model(self.x, 2), wanted))

    def test_what_is_prepared_again(self):
        names = exported(with_prepared)
        new = drawn(lambda: names["ModelNew"](3, 0.5))
        with torch.no_grad():
            for _ in range(2):
                self.assertTrue(torch.allclose(new(self.x, 2), self.old(self.x, 2)))
            self.assertEqual(OnCpu.started, ["prepare", "launches", "launches"])
            new.part.weight.mul_(3)
            new(self.x, 2)
            self.assertEqual(OnCpu.started[3:], ["prepare", "launches"])
            new(torch.randn(4, 3), 2)
            self.assertNotIn("prepare", OnCpu.started[5:])

    def test_streams_and_captures(self):
        names = exported(with_prepared)
        new, streams = names["ModelNew"](3, 0.5), names["STREAMS"]
        with torch.no_grad():
            streams.captures = True
            self.assertRaisesRegex(RuntimeError, "the first call compiles its kernels", new, self.x, 2)
            for streams.now, streams.captures in ((0, False), (1, False), (1, False), (2, True), (1, False)):
                new(self.x, 2)
            self.assertEqual(streams.waited, ["prepared"])
            self.assertEqual(len(streams.kept), 4)  # a constant, what is prepared, and scratch memory of two streams
            first, second, third, captured, last = ([x.data_ptr() for x in buffers[4:]] for buffers in OnCpu.buffers[1:])
            self.assertEqual(len({first[1], second[1], third[1], captured[1], last[1]}), 1)  # prepared: the same for all
            self.assertEqual([second, second], [third, last])
            self.assertNotIn(captured[0], (first[0], last[0]))
            self.assertNotEqual(first[0], second[0])
            new.part.weight.mul_(3)
            streams.captures = True
            self.assertRaisesRegex(RuntimeError, "its params have changed", new, self.x, 2)
            streams.captures = False
            new(self.x, 2)
            self.assertEqual(streams.waited, ["prepared", "all"])  # launches on stream 0 may read what is overwritten

    def test_a_param_in_the_memory_of_another(self):
        names = exported(with_prepared)
        new = names["ModelNew"](3, 0.5)
        with torch.no_grad():
            new(self.x, 2)
            for _ in range(20):
                new.part.weight = torch.nn.Parameter(torch.randn(4, 3))  # its memory may be that of the last one
                OnCpu.started.clear()
                new(self.x, 2)
                self.assertEqual(OnCpu.started, ["prepare", "launches"])

    def test_arguments_by_name_and_by_default(self):
        with torch.no_grad():
            wanted = self.old(self.x, 2)
            self.assertTrue(torch.allclose(self.new(factor=2, x=self.x), wanted))
            self.assertTrue(torch.allclose(self.new(self.x, factor=2), wanted))
            for given, named in (((self.x,), {}), ((self.x, 2), {"other": 1}), ((self.x, 2, 3), {}), ((self.x, 2), {"factor": 2})):
                self.assertRaises(TypeError, self.new, *given, **named)
        with_option = exported(lambda text: text.replace("def forward(self, x, factor):", "def forward(self, x, factor=2, shift=None):"))
        new = with_option["ModelNew"](size=3, bound=0.5)
        new.load_state_dict(self.old.state_dict())
        with torch.no_grad():
            for given in ((self.x,), (self.x, 2, None)):
                self.assertTrue(torch.allclose(new(*given), wanted))
            self.assertRaisesRegex(ValueError, "a value of argument shift", new, self.x, 2, torch.ones(4))

    def test_the_form_of_outputs(self):
        self.names["FORM"] = ["dict", [["a", 0], ["b", ["list", [None, ["tuple", [0]]]]]]]
        with torch.no_grad():
            made = self.new(self.x, 2)
        self.assertEqual((list(made), type(made["b"]), made["b"][0], type(made["b"][1])), (["a", "b"], list, None, tuple))

    def test_outputs_of_few_bits(self):
        self.names["FORM"] = ["tuple", [["int8", 0], 0]]
        with torch.no_grad():
            made = self.new(self.x, 2)
        self.assertEqual([x.dtype for x in made], [torch.int8, torch.float32])

    def test_the_form_that_forward_returns(self):
        x, config = torch.zeros(1), dataclasses.make_dataclass("Config", ["a"])
        for result, form in ((x, None), ((x, x), None), ([x], ["list", [0]]),
                             ({"a": x, "b": (x, None)}, ["dict", [["a", 0], ["b", ["tuple", [1, None]]]]]), (config(x), None), ((x, config(x)), None), ({x: x}, None),
                             (x.to(torch.int8), ["int8", 0]), (config(x.to(torch.uint8)), ["uint8", 0]),
                             ((config(x.to(torch.uint8)), x), ["tuple", [["uint8", 0], 1]])):
            self.assertEqual(form_of(result), form)

    def test_numbers_that_are_no_python(self):
        names = exported(lambda text: text.replace("[[1, 2]]", "[[1, true]]"))
        with torch.no_grad():
            self.assertEqual(names["ModelNew"](3, 0.5)(self.x, True).shape, (2, 4))

    def test_types(self):
        with torch.no_grad():
            made = copy.deepcopy(self.new).half()(self.x.half(), 2)
            self.assertEqual(made.dtype, torch.float16)
            self.assertTrue(torch.allclose(made.float(), self.new(self.x, 2), atol=1e-2))
            self.assertEqual(self.new(self.x.half(), 2).dtype, torch.float32)
            for x, why in ((self.x.double(), "float64"), (self.x.long(), "int64")):
                self.assertRaisesRegex(ValueError, f"x of torch.{why}, made for torch.float32", self.new, x, 2)

    def test_devices(self):
        self.names["NO_DEVICE"] = -1
        self.assertRaisesRegex(ValueError, "x on cpu, made for one CUDA device", self.new, self.x, 2)

    def test_modes_of_norms(self):
        norm = "self.norm = nn.BatchNorm1d(4){}\n        self.unused"
        for mode, change, why in (("", lambda model: model.eval(), "evaluation"), (".eval()", lambda model: model.train(), "training")):
            names = exported(lambda text: text.replace("self.unused", norm.format(mode), 1))
            new = names["ModelNew"](3, 0.5)
            with torch.no_grad():
                new(self.x, 2)
                change(new)
                self.assertRaisesRegex(ValueError, f"no kernels for {why} mode", new, self.x, 2)

    def test_copies(self):
        name = "kforge_exported_again"
        module = sys.modules[name] = types.ModuleType(name)
        names = exported(lambda text: f"__name__ = {name!r}\n" + text)
        vars(module).update(names)
        new = names["ModelNew"](3, 0.5)
        for made in (copy.deepcopy(new), pickle.loads(pickle.dumps(new))):
            with torch.no_grad():
                made.part.weight.zero_()
                self.assertTrue(torch.allclose(made(self.x, 2), torch.ones(2, 4)))
                self.assertFalse(torch.allclose(new(self.x, 2), torch.ones(2, 4)))
        del sys.modules[name]

    def test_arguments_of_the_constructor(self):
        is_same = self.names["is_same"]
        one, other = (dataclasses.make_dataclass("Config", [("width", int)], eq=False) for _ in range(2))
        self.assertTrue(is_same([one(3), {"a": torch.zeros(2)}], [other(3), {"a": torch.ones(2)}]))
        self.assertFalse(is_same(one(3), other(4)))
        self.assertFalse(is_same(lambda x: x, lambda x: -x))

    @unittest.skipUnless(hasattr(torch.library, "custom_op"), "PyTorch before 2.4")
    def test_compiled(self):
        again = exported()  # a second file with operations of the same name
        model = again["ModelNew"](3, 0.5)
        for grad in (False, True):
            with torch.set_grad_enabled(grad):
                made = torch.compile(self.new, fullgraph=True, backend="aot_eager")(self.x, 2)
                self.assertTrue(torch.allclose(made, self.old(self.x, 2)))
        self.assertRaisesRegex(NotImplementedError, "bounded: the kernels compute forward only", made.sum().backward)
        self.assertFalse(torch.allclose(torch.compile(model, backend="eager")(self.x, 2), made))

    @unittest.skipUnless(hasattr(torch.library, "custom_op"), "PyTorch before 2.4")
    def test_traced(self):
        with torch.no_grad():
            self.new.requires_grad_(False)
            traced = torch.jit.trace(lambda x: self.new(x, 2), (self.x,))
            self.assertTrue(torch.allclose(traced(3 * self.x), self.old(3 * self.x, 2)))

    def test_other_sizes_arguments_and_numbers(self):
        other = type(self.new)(3, 0.25)
        with torch.no_grad():
            for model, given, why in ((self.new, (torch.randn(2, 5, 3), 2), r"x of \[2, 5, 3\], made for \[2, 3\]"),
                                      (self.new, (self.x, 7), "another number than 2"),
                                      (other, (self.x, 2), "other arguments of __init__")):
                self.assertRaisesRegex(ValueError, why, model, *given)
                model.falls_back = True
                wanted = torch.clamp(given[0] @ model.part.weight.T, max=model.bound) * given[1] + 1
                self.assertTrue(torch.allclose(model(*given), wanted))
                model.falls_back = False

    def test_other_batches(self):
        with torch.no_grad():
            for count, launches in ((1, 1), (3, 2), (4, 2)):
                OnCpu.started.clear()
                x = torch.randn(count, 3)
                self.assertTrue(torch.allclose(self.new(x, 2), self.old(x, 2)))
                self.assertEqual(OnCpu.started.count("launches"), launches)

    def test_why_not_another_batch(self):
        names = exported(lambda text: text.replace('"tensors": ["x", "y"], "why_not": ""',
                                                   '"tensors": [], "why_not": "graph[1], mean, works along it"'))
        self.assertRaisesRegex(ValueError, "and for no other batch: graph.1., mean, works along it", names["ModelNew"](3, 0.5),
                               torch.randn(5, 3), 2)

    def test_views_that_begin_anywhere(self):
        storage = torch.randn(7)
        view = storage[1:].reshape(2, 3)
        with torch.no_grad():
            self.assertTrue(torch.allclose(self.new(view, 2), self.old(view, 2)))

    def test_rounding_for_convolutions(self):
        read = lambda index: {"kind": "buffer", "index": index, "bits": "0"}
        names = {"math": math, "KERNELS": "", "ROUNDED": [[0, 1], [1, 0]],
                 "TENSORS": [("x", "input", "f32", [2, 512], 0), ("w", "param", "f32", [3], "w"), ("y", "output", "f32", [2], None)],
                 "PLAN": {"scratch": [8], "prepare": [], "launches": [
                     {"kernel": "own", "args": [read(0), read(1), read(2), read(3)], "tensor_maps": [{"buffer": 0}]}]}}
        with open(ROUNDING, encoding="utf-8") as file:
            exec(compile(file.read(), ROUNDING, "exec"), names)
        plan = names["PLAN"]
        self.assertEqual(plan["scratch"], [8, 4096, 12])
        for name, index, copy, count, away in (("launches", 0, 4, 1024, 1), ("prepare", 1, 5, 3, 0)):
            self.assertEqual(plan[name][0]["blocks"], [1, 1, 1])
            self.assertEqual([(one["index"], one["bits"]) for one in plan[name][0]["args"]],
                             [(index, 0), (copy, 0), (0, count), (0, away)])
        own = plan["launches"][1]
        self.assertEqual([one["index"] for one in own["args"]], [4, 5, 2, 3])
        self.assertEqual(own["tensor_maps"], [{"buffer": 4}])

    def test_a_plan_for_another_batch(self):
        names = {"math": math, "copy": copy, "BATCH": {"size": 6, "tensors": ["x", "y"]},
                 "TENSORS": [("x", "input", "f32", [6, 8], 0), ("y", "output", "f32", [6, 8], None)],
                 "SYMBOLS": {"dimension": "M", "dims": {"M": 6, "N": 8, "TILE": 4}, "scratch": [["M", "N / TILE"]], "launches": [
                     {"grid": ["ceildiv(M, TILE)", 2], "global": None, "args": ["x", "M", "N"]},
                     {"grid": None, "global": ["M * N"], "args": ["align(M, TILE)"]}]},
                 "PLAN": {"scratch": [24], "prepare": [], "launches": [
                     {"blocks": [2, 2, 1], "local": [64, 1, 1], "args": [{"kind": "buffer", "bits": "0"}, {"kind": "value", "bits": "6"},
                                                                          {"kind": "value", "bits": "8"}]},
                     {"blocks": [12, 1, 1], "local": [4, 1, 1], "args": [{"kind": "value", "bits": "8"}]}]}}
        with open(SYMBOLS, encoding="utf-8") as file:
            exec(compile(file.read(), SYMBOLS, "exec"), names)
        made = names["plan_for"](13)
        self.assertEqual([launch["blocks"] for launch in made["launches"]], [[4, 2, 1], [26, 1, 1]])
        self.assertEqual([[one["bits"] for one in launch["args"]] for launch in made["launches"]], [["0", "13", "8"], ["16"]])
        self.assertEqual(made["scratch"], [13 * 2 * 2])
        self.assertTrue(names["fits"](1 << 27))
        self.assertFalse(names["fits"](1 << 28))

    def test_gradients_are_refused(self):
        made = self.new(self.x, 2)
        self.assertRaisesRegex(NotImplementedError, "bounded: the kernels compute forward only", made.sum().backward)
