"""bounded: A bounded linear layer.

CUDA kernels for PyTorch, in the form of KernelBench: ModelNew computes the same as Model, whose parameters and
constructor are its own.  NVRTC compiles the kernels at the first call; no other compiler is needed.  They work for the
sizes that they were made for, x [2, 3]: other ones are refused, or computed by Model if
ModelNew.falls_back is true.  A batch of another size than 2 is computed in parts of 2 samples.
Dropout is left out, batch norms use the batch's statistics and leave the running ones as they are, there are no
gradients, and changes of parameters through .data may go unnoticed.
"""
import ctypes
import glob
import inspect
import itertools
import json
import os
import sys
import threading
import types
import weakref
from typing import List

import torch
import torch.nn as nn

NAME = 'bounded'
NO_GRADIENT = f'{NAME}: the kernels compute forward only: train Model, then load its state_dict into ModelNew'

KERNELS = r'''
extern "C" __global__ void bounded(const float *x, const float *w, const float *c, float *y)
{
    int i = threadIdx.x / 4, j = threadIdx.x % 4;
    float sum = 0;

    for (int k = 0; k < 3; k++)
        sum += x[3 * i + k] * w[3 * j + k];
    y[threadIdx.x] = fminf(sum, 0.5f) * 2 + c[j];
}

'''

OPTIONS = "".split()

# The launches in numbers, and the bytes of scratch buffers.
PLAN = json.loads(r'''{"scratch": [],
"prepare": [],
"launches": [{"args": [{"bits": "0", "bytes": 0, "index": 0, "kind": "buffer", "real": false}, {"bits": "0", "bytes": 0, "index": 1, "kind": "buffer", "real": false}, {"bits": "0", "bytes": 0, "index": 2, "kind": "buffer", "real": false}, {"bits": "0", "bytes": 0, "index": 3, "kind": "buffer", "real": false}], "blocks": [1, 1, 1], "cluster": [0, 0, 0], "global": [8, 0, 0], "kernel": "bounded", "local": [8, 1, 1], "rank": 1, "shared": 0, "tensor_maps": []}]}''')

# Name, role, type, shape, and where it is: an input's position, the key of a param, a constant's number.
TENSORS = [
    ('x', 'input', 'f32', [2, 3], 0),
    ('part_weight', 'param', 'f32', [4, 3], "part.weight"),
    ('constant1', 'constant', 'f32', [4], 1),
    ('y', 'output', 'f32', [2, 4], None),
]
GIVEN = [tensor for tensor in TENSORS if tensor[1] != 'output']

# The samples that the kernels were made for, the tensors that have them along their first axis, and why no other number works.
BATCH = {"size": 2, "tensors": ["x", "y"], "why_not": ""}

# The plan's expressions over the number of samples; None: other numbers are computed in parts.
SYMBOLS = None

# Inputs that are numbers, which the kernels have as constants: position and value.
NUMBERS = json.loads(r'''[[1, 2]]''')

# How many arguments the kernels take, and how forward returns its outputs: numbers of outputs in tuples, lists and dicts; None: a
# tensor or a tuple of tensors.
INPUTS, FORM = json.loads(r'''[2, null]''')

DTYPES = {'f32': torch.float32, 'f16': torch.float16, 'bf16': torch.bfloat16, 'f64': torch.float64,
          'i32': torch.int32, 'i64': torch.int64, 'bool': torch.bool}


def make(shape, dtype, fill, a, b):
    """Random contents, from the generator that torch.manual_seed() sets."""
    if fill == 'normal':
        x = torch.randn(shape) * b + a
    elif fill == 'integers':
        x = torch.randint(int(a), int(b) + 1, shape)
    elif fill == 'constant':
        x = torch.full(shape, a)
    elif fill == 'permutation':
        x = torch.rand(shape).argsort(dim=-1)
    elif fill == 'mask':
        x = torch.rand(shape) < a
    elif fill == 'signs':
        x = 2 * (torch.rand(shape) < a).float() - 1
    else:
        x = torch.rand(shape) * (b - a) + a
    return x.to(DTYPES[dtype])


def hold(module, name, x):
    """Add a param to the model: a parameter if it is floating point, else a buffer."""
    if x.is_floating_point():
        module.register_parameter(name, nn.Parameter(x, requires_grad=False))
    else:
        module.register_buffer(name, x)


def find(model, key):
    """Find the tensor of the model that a key such as 'layer.weight' names."""
    for part in key.split('.'):
        model = model[int(part)] if isinstance(model, (list, tuple)) else getattr(model, part)
    return model


def place_of(key):
    """The modules on the way to a tensor, and its name in the last one."""
    *modules, name = key.split('.')
    return modules, name


def find_held(model, modules, name, key):
    """The same by what modules hold, which takes a tenth of the time of asking for attributes."""
    owner = model
    try:
        for one in modules:
            owner = owner._modules[one]
        x = owner._parameters.get(name)
        x = owner._buffers.get(name) if x is None else x
    except (AttributeError, KeyError):
        x = None
    return find(model, key) if x is None else x


def pairs(x):
    """Return complex numbers as kernels read them, as pairs along a last axis."""
    return torch.view_as_real(x) if x.is_complex() else x


def is_same(a, b):
    """Return whether an argument is the one that the kernels were made for; of tensors only the shape counts."""
    if isinstance(a, torch.Tensor) or isinstance(b, torch.Tensor):
        return getattr(a, 'shape', None) == getattr(b, 'shape', None)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(is_same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(map(is_same, a.values(), b.values()))
    if hasattr(a, '__qualname__') and hasattr(b, '__qualname__'):  # of two copies of the file
        code = getattr(a, '__code__', None), getattr(b, '__code__', None)
        return a is b or a.__qualname__ == b.__qualname__ and code[0] == code[1]
    if hasattr(a, '__dict__') and type(a).__qualname__ == type(b).__qualname__:
        return is_same(vars(a), vars(b))
    same = a == b
    return bool(same.all() if hasattr(same, 'all') else same)


def bound(signature, args, kwargs):
    """The arguments of a call in the order of the signature, those by default included."""
    if signature is None:
        return list(args), kwargs
    made = signature.bind(*args, **kwargs)
    made.apply_defaults()
    return list(made.args), made.kwargs


def signature_of(function):
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):  # a function that Python does not know enough of
        return None


def takes(made, given):
    """Return whether kernels for numbers of one type take those of another one: floating point only from narrower types."""
    if not made.is_floating_point or made == given:
        return not given.is_complex
    return given.is_floating_point and torch.finfo(given).bits < torch.finfo(made).bits


def narrower(given):
    """The type of all numbers in floating point, if it is not the one that the kernels were made for; else None."""
    kinds = {(x.dtype, DTYPES[dtype]) for x, (_, role, dtype, *_) in zip(given, GIVEN)
             if role != 'constant' and DTYPES[dtype].is_floating_point}
    types = {one for one, _ in kinds}
    return types.pop() if len(types) == 1 and any(one != made for one, made in kinds) else None


def arranged(form, made):
    """The outputs in the form in which Model.forward returns them."""
    if form is None or isinstance(form, int):
        return None if form is None else made[form]
    kind, parts = form
    if kind == 'dict':
        return {key: arranged(one, made) for key, one in parts}
    if kind not in ('tuple', 'list'):
        return made[parts].to(getattr(torch, kind))
    return (tuple if kind == 'tuple' else list)(arranged(one, made) for one in parts)


def modes(model):
    """The norms whose mode decides whether they use the statistics of the batch, and their mode now."""
    return [(one, one.training) for one in model.modules()
            if isinstance(one, torch.nn.modules.batchnorm._NormBase) and one.track_running_stats]


def why_no_batch(x, shape):
    """Say why kernels made for this shape do not take `x` as a batch of another size."""
    return f', and for no other batch: {BATCH["why_not"]}' if BATCH['why_not'] and x.shape[1:] == shape[1:] else ''

SOURCE = r'''
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, size, bound):
        super().__init__()
        self.part = nn.Linear(size, 4, bias=False)
        self.unused = nn.Parameter(torch.randn(2))
        self.bound = bound

    def forward(self, x, factor):
        return torch.clamp(self.part(x), max=self.bound) * factor + torch.ones(4)


def get_inputs():
    return [torch.randn(2, 3), 2]


def get_init_inputs():
    return [3, 0.5]

'''


def original(name):
    """The file that the kernels were made for, as a module of its own, which files exported from the same one share."""
    while getattr(sys.modules.get(name), 'kforge_source', SOURCE) != SOURCE:
        name += '_'
    if name not in sys.modules:
        module = sys.modules[name] = types.ModuleType(name)
        try:
            exec(compile(SOURCE, name, 'exec'), vars(module))
        except BaseException:
            del sys.modules[name]
            raise
        module.kforge_source = SOURCE
    return sys.modules[name]


def class_of(make):
    """A class whose instances have all that a function's model has."""
    class Made(nn.Module):
        def __init__(self, *args, **kwargs):
            super().__init__()
            made = make(*args, **kwargs)
            vars(self).update(vars(made), kforge_made=[made])

        def forward(self, *inputs, **named):
            return self.kforge_made[0](*inputs, **named)
    return Made


ORIGINAL = original(f'kforge_{NAME}')
Model, get_init_inputs = ORIGINAL.Model, ORIGINAL.get_init_inputs
CONSTRUCTOR, FORWARD = signature_of(Model), None
Model = Model if isinstance(Model, type) else class_of(Model)


def library(*names):
    """Open the first of the libraries that exists."""
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError:
            pass
    raise OSError(f'none of {", ".join(names)} can be opened')


class Attribute(ctypes.Structure):
    """CUlaunchAttribute"""
    _fields_ = [('id', ctypes.c_int), ('pad', ctypes.c_int), ('value', ctypes.c_uint * 16)]


class Config(ctypes.Structure):
    """CUlaunchConfig"""
    _fields_ = [('blocks', ctypes.c_uint * 3), ('threads', ctypes.c_uint * 3), ('shared', ctypes.c_uint),
                ('stream', ctypes.c_void_p), ('attributes', ctypes.POINTER(Attribute)), ('count', ctypes.c_uint)]


MAX_SHARED, ANY_CLUSTER, CLUSTER_SIZE = 8, 14, 4  # numbers in cuda.h


class Driver:
    """NVIDIA's driver, with errors as exceptions."""

    def __init__(self):
        self.library = library('libcuda.so.1')

    def call(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        if code:
            why = ctypes.c_char_p()
            self.library.cuGetErrorString(code, ctypes.byref(why))
            raise RuntimeError(f'{name}: {(why.value or b"CUDA error").decode()} ({code})')


def find_kernel(driver, module, entry, plan):
    """Look up a kernel of a module, and permit the shared memory and the cluster of its launch."""
    kernel = ctypes.c_void_p()
    driver.call('cuModuleGetFunction', ctypes.byref(kernel), module, entry.encode())
    driver.call('cuFuncSetAttribute', kernel, MAX_SHARED, plan['shared'])
    if plan['cluster'][0]:
        driver.call('cuFuncSetAttribute', kernel, ANY_CLUSTER, 1)
    return kernel


def configure(plan):
    """The configuration of a launch, and the attribute that it points to."""
    attribute = Attribute(CLUSTER_SIZE, 0, (ctypes.c_uint * 16)(*[max(n, 1) for n in plan['cluster']]))
    return attribute, Config((ctypes.c_uint * 3)(*plan['blocks']), (ctypes.c_uint * 3)(*plan['local']), plan['shared'], None,
                             ctypes.pointer(attribute), 1 if plan['cluster'][0] else 0)


class Launch:
    """One launch of a plan.  Its arguments point to the addresses of tensors in one array, which change from call to call."""

    def __init__(self, driver, kernel, space, places, maps=()):
        self.driver, self.kernel, self.maps = driver, kernel, maps
        self.attribute, self.config = configure(space)
        self.arguments = (ctypes.c_void_p * (len(places) + 1))(*places)
        self.reference = ctypes.byref(self.config)

    def start(self, addresses, stream):
        for one, index in self.maps:
            one.encode(addresses[index])
        self.config.stream = stream
        self.driver.call('cuLaunchKernelEx', self.reference, self.kernel, self.arguments, None)


class Launches:
    """The launches of a plan's lists, with the addresses that they share."""

    def __init__(self, plan):
        self.lists, self.lock = {}, threading.Lock()
        self.addresses = (ctypes.c_uint64 * (len(TENSORS) + len(plan['scratch'])))()

    def place(self, index):
        """Where the address of a tensor or scratch buffer is."""
        return ctypes.addressof(self.addresses) + index * ctypes.sizeof(ctypes.c_uint64)

    def start(self, name, buffers, stream):
        """Start the launches of a list on a stream."""
        with self.lock:
            self.addresses[:] = [x.data_ptr() for x in buffers]
            for one in self.lists[name]:
                one.start(self.addresses, stream)


def cuda_folders():
    """List the folders of CUDA's headers and libraries: those of PyTorch's packages, then the toolkit."""
    places = []
    try:
        import nvidia
        places = [folder for path in nvidia.__path__ for folder in sorted(glob.glob(os.path.join(path, '*')))]
    except ImportError:
        pass
    return [p for p in (*places, os.environ.get('CUDA_HOME'), os.environ.get('CUDA_PATH'), '/usr/local/cuda') if p]


def compile_kernels(source, options, capability):
    """Compile with NVRTC, and return the code for a device of this compute capability."""
    folders = cuda_folders()
    nvrtc = library(*[path for folder in folders for path in sorted(glob.glob(f'{folder}/lib*/libnvrtc.so*'))
                      if 'alt' not in path], 'libnvrtc.so.13', 'libnvrtc.so.12', 'libnvrtc.so')
    headers = next((f'{folder}/include' for folder in folders if os.path.exists(f'{folder}/include/cuda_fp16.h')), None)
    major, minor = capability
    words = [f'--gpu-architecture=sm_{major}{minor}' + ('a' if major >= 9 else ''), '--device-as-default-execution-space',
             *([f'--include-path={headers}'] if headers else []), *options]
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    code = nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b'kernel.cu', 0, None, None)
    texts = (ctypes.c_char_p * len(words))(*[word.encode() for word in words])
    code = code or nvrtc.nvrtcCompileProgram(program, len(words), texts)
    take = 'ProgramLog' if code else 'CUBIN'
    getattr(nvrtc, f'nvrtcGet{take}Size')(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    getattr(nvrtc, f'nvrtcGet{take}')(program, text)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    if code:
        raise RuntimeError(f'NVRTC: {text.value.decode(errors="replace")}')
    return text.raw


TENSOR_MAP_BYTES, TENSOR_MAP_ALIGNMENT = 128, 64


class TensorMap:
    """A tensor map in aligned memory, encoded again when its tensor has moved."""

    def __init__(self, driver, plan):
        self.driver, self.plan, self.at = driver, plan, None
        self.memory = ctypes.create_string_buffer(TENSOR_MAP_BYTES + TENSOR_MAP_ALIGNMENT)
        first = ctypes.addressof(self.memory)
        self.place = ctypes.c_void_p(-(-first // TENSOR_MAP_ALIGNMENT) * TENSOR_MAP_ALIGNMENT)
        rank = plan['rank']
        self.sizes, self.strides = ((ctypes.c_uint64 * 5)(*plan[key][:5]) for key in ('sizes', 'strides'))
        self.box, self.steps = (ctypes.c_uint32 * 5)(*plan['box']), (ctypes.c_uint32 * 5)(*[1] * rank)

    def encode(self, at):
        if at == self.at:
            return
        promote_256_bytes = 3
        self.driver.call('cuTensorMapEncodeTiled', self.place, self.plan['type'], self.plan['rank'], ctypes.c_void_p(at),
                         self.sizes, self.strides, self.box, self.steps, 0, self.plan['swizzle'], promote_256_bytes, 0)
        self.at = at


def values_of(plan, launches):
    """The values of a launch's arguments that are no tensors, the places of all arguments, and its tensor maps."""
    values, places, maps = [], [], []
    for one in plan['args']:
        if one['kind'] == 'buffer':
            places.append(launches.place(one['index']))
        elif one['kind'] == 'tensor_map':
            made = TensorMap(launches.driver, plan['tensor_maps'][one['index']])
            maps.append((made, made.plan['buffer']))
            places.append(made.place.value)
        else:
            values.append(ctypes.c_uint64(int(one['bits'])))
            places.append(ctypes.addressof(values[-1]))
    return values, places, maps


class Kernels(Launches):
    """The compiled kernels on one device."""
    code, modules = {}, {}  # by compute capability; by device

    def __init__(self, device, plan):
        super().__init__(plan)
        torch.empty(1, device=device)  # creates the context, which the driver needs to load kernels
        self.driver = Driver()
        module = self.modules.get(device) or self.modules.setdefault(device, self.load(device))
        self.values = []  # to which arguments point
        for name in ('prepare', 'launches'):
            self.lists[name] = [self.launch(module, one) for one in plan[name]]

    def load(self, device):
        module, capability = ctypes.c_void_p(), torch.cuda.get_device_capability(device)
        code = self.code.get(capability) or self.code.setdefault(capability, compile_kernels(KERNELS, OPTIONS, capability))
        self.driver.call('cuModuleLoadData', ctypes.byref(module), code)
        return module

    def launch(self, module, plan):
        values, places, maps = values_of(plan, self)
        self.values += values
        return Launch(self.driver, find_kernel(self.driver, module, plan['kernel'], plan), plan, places, maps)


ALIGNMENT = 16  # bytes of the widest load


def prepared_buffers():
    """The numbers of the scratch buffers that are prepared from params, and kept between calls."""
    places = {one['index'] for launch in PLAN['prepare'] for one in launch['args'] if one['kind'] == 'buffer'}
    places |= {one['buffer'] for launch in PLAN['prepare'] for one in launch['tensor_maps']}
    return sorted(place - len(TENSORS) for place in places if place >= len(TENSORS))


PREPARED = prepared_buffers()
PARAMS = [place for place, (_, role, *_) in enumerate(GIVEN) if role == 'param']
OUTPUTS = [place for place, (_, role, *_) in enumerate(TENSORS) if role == 'output']
SAMPLES = next((place for place, (name, *_) in enumerate(GIVEN) if name in BATCH['tensors']), None)
READ = [(name, role, DTYPES[dtype], shape, name in BATCH['tensors']) for name, role, dtype, shape, _ in TENSORS]
TEMPORARY = [place for place in range(len(PLAN['scratch'])) if place not in PREPARED]


class Prepared:
    """Memory with what was computed from the params, and how they were then."""

    def __init__(self, memory):
        self.memory, self.versions, self.params, self.event, self.streams = memory, None, [], None, set()

    def note(self, versions, params, stream):
        """Keep the versions of params; their memory as well, so that its addresses belong to no others."""
        self.versions, self.params, self.streams = versions, [x.detach() for x in params], {stream}
        self.event = mark()


class State:
    """The state of a model between calls: kernels, and memory prepared from its parameters."""
    numbers, all = itertools.count(), weakref.WeakValueDictionary()

    def __init__(self):
        self.number = next(self.numbers)
        self.all[self.number] = self
        self.kernels, self.plans, self.prepared, self.constants = {}, {}, {}, {}
        self.kept = None, None, []  # whose scratch memory is kept, on which stream, and the memory
        self.signature = None  # of Model.forward

    def __deepcopy__(self, memo):
        return State()

    def __reduce__(self):
        return State, ()

    def run(self, given):
        """Compute the outputs from the inputs, params and constants, on the device of the first one that is on a GPU."""
        device = next((x.device for x in given if x.is_cuda), None) or torch.device('cuda', torch.cuda.current_device())
        if device.index == torch.cuda.current_device():
            return self.run_parts(device, given)
        with torch.cuda.device(device):
            return self.run_parts(device, given)

    def run_parts(self, device, given):
        """Compute a batch of another size at once if the plan has expressions for it; else in parts of the size that the
        kernels were made for."""
        size = BATCH['size']
        count = size if SAMPLES is None else given[SAMPLES].shape[0]
        if count == size or SYMBOLS and fits(count):
            return self.run_on(device, given, count)
        parts = [self.run_on(device, [part(x, name, first) for x, (name, *_) in zip(given, GIVEN)], size)
                 for first in range(0, count, size)]
        return [torch.cat(made)[:count] for made in zip(*parts)]

    def run_on(self, device, given, count):
        key, stream, left, tensors = (device, count), stream_of(device), iter(given), []
        kernels = self.kernels.get(key) or self.load(key)
        for name, role, dtype, shape, has_samples in READ:
            if role == 'output':
                tensors.append(torch.empty((count, *shape[1:]) if has_samples else shape, dtype=dtype, device=device))
            elif role == 'constant':
                tensors.append(self.take_constant(name, next(left), dtype, device))
            else:
                tensors.append(take(next(left), dtype, device))
        buffers = tensors + self.scratch(key, stream) if PLAN['scratch'] else tensors
        if PREPARED:
            self.prepare(self.prepared_for(key), kernels, buffers, [given[place] for place in PARAMS], stream)
        kernels.start('launches', buffers, stream)
        return [tensors[place] for place in OUTPUTS]

    def load(self, key):
        if is_capturing():
            raise RuntimeError('call the model once before a CUDA graph captures it: the first call compiles its kernels')
        device, count = key
        plan = self.plans[key] = PLAN if count == BATCH['size'] else plan_for(count)
        made = self.kernels[key] = Kernels(device, plan)
        return made

    def scratch(self, key, stream):
        """Scratch memory for a call, with what is prepared from params: that of the last call if it was for the same size on the
        same stream.  Other streams and CUDA graphs get their own, as PyTorch's allocator does it."""
        last, last_stream, memory = self.kept
        if last == key and last_stream == stream and not is_capturing():
            return memory
        make = lambda: room(self.plans[key], TEMPORARY, key[0])
        made = make() if is_capturing() else lasting(make, key[0])
        if PREPARED:
            made.update(self.prepared_for(key).memory)
        memory = [made[place] for place in range(len(made))]
        if not is_capturing():
            self.kept = key, stream, memory
        return memory

    def prepared_for(self, key):
        """What is prepared from params on a device: once for all sizes of the batch."""
        device, _ = key
        plan = self.plans[key]
        key = device, tuple(plan['scratch'][place] for place in PREPARED)
        if key not in self.prepared:
            self.prepared[key] = Prepared(lasting(lambda: room(plan, PREPARED, device), device))
        return self.prepared[key]

    def prepare(self, prepared, kernels, buffers, params, stream):
        """Prepare again if a param has changed, and let other streams wait for it."""
        versions = [(x.data_ptr(), 0 if x.is_inference() else x._version) for x in params]
        if prepared.versions != versions:
            if is_capturing():
                raise RuntimeError('call the model once before a CUDA graph captures it: its params have changed')
            if prepared.streams - {stream}:
                finish()  # launches that read what was prepared before
            kernels.start('prepare', buffers, stream)
            prepared.note(versions, params, stream)
        elif stream not in prepared.streams and not is_capturing():
            wait(prepared.event)
            prepared.streams.add(stream)

    def take_constant(self, name, x, dtype, device):
        """Copy a constant to a device once: a CUDA graph cannot capture such a copy."""
        key = name, device
        if key not in self.constants:
            self.constants[key] = lasting(lambda: {name: take(x, dtype, device)}, device)[name]
        return self.constants[key]


def stream_of(device):
    """The address of the current stream; PyTorch's compiler asks in this way, too, which takes a tenth of the time."""
    if hasattr(torch._C, '_cuda_getCurrentRawStream'):
        return torch._C._cuda_getCurrentRawStream(device.index)
    return torch.cuda.current_stream(device).cuda_stream


def is_capturing():
    return torch.cuda.is_current_stream_capturing()


def mark():
    """An event after all that the current stream has to do."""
    event = torch.cuda.Event()
    event.record()
    return event


def lasting(make, device):
    """Let a thread of its own make tensors that are kept between calls: while torch.compile warms a CUDA graph up, memory for this
    thread comes from a pool in which it permits no other tensors."""
    made, errors = [], []

    def run():
        try:
            with torch.cuda.device(device):
                made.append(make())
        except Exception as error:  # such as too little memory
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    stream = torch.cuda.current_stream(device)
    stream.wait_stream(torch.cuda.default_stream(device))  # on which the thread works
    for x in made[0].values():
        x.record_stream(stream)
    return made[0]


def wait(event):
    torch.cuda.current_stream().wait_event(event)


def finish():
    torch.cuda.synchronize()


def room(plan, places, device):
    """Memory for scratch buffers by their numbers; Triton's have types."""
    types = plan.get('scratch_types')
    made = {place: torch.empty(plan['scratch'][place], dtype=torch.uint8, device=device) for place in places}
    return {place: x.view(DTYPES[types[place]]) for place, x in made.items()} if types else made


def take(x, dtype, device):
    """Return `x` as the kernels read it: dense, in their type, on the device."""
    if x.dtype != dtype or x.device != device or not x.is_contiguous():
        x = x.detach().to(device=device, dtype=dtype).contiguous()
    return x.detach().clone() if x.data_ptr() % ALIGNMENT else x  # a view may begin anywhere


def part(x, name, first):
    """Return the samples from `first` on, as many as the kernels were made for: the last one again where there are fewer."""
    if name not in BATCH['tensors']:
        return x
    x = x[first:first + BATCH['size']]
    missing = BATCH['size'] - x.shape[0]
    return torch.cat([x, x[-1:].expand(missing, *x.shape[1:])]) if missing else x


class WithoutGradient(torch.autograd.Function):
    """The kernels compute forward only."""

    @staticmethod
    def forward(context, state, *given):
        return tuple(state.run(given))

    @staticmethod
    def backward(context, *gradients):
        raise NotImplementedError(NO_GRADIENT)


def output_shapes(given):
    """Outputs without contents, for torch.compile."""
    count = BATCH['size'] if SAMPLES is None else given[SAMPLES].shape[0]
    return [given[0].new_empty((count, *shape[1:]) if has_samples else shape, dtype=dtype)
            for _, role, dtype, shape, has_samples in READ if role == 'output']


def compute(given: List[torch.Tensor], number: int) -> List[torch.Tensor]:
    return State.all[number].run(given)


def refuse(gradients: List[torch.Tensor], given: List[torch.Tensor]) -> List[torch.Tensor]:
    raise NotImplementedError(NO_GRADIENT)


def keep(ctx, inputs, output):
    ctx.save_for_backward(*inputs[0])


def free_name(name):
    """A name of an operation that no other loaded file has."""
    return next(made for made in (f'{name}_{i}' for i in itertools.count()) if not hasattr(torch.ops.kforge, made))


def operations():
    """The kernels and the refusal of their gradients as operations, which torch.compile keeps whole and calls when it runs."""
    name = free_name(NAME)
    refused = torch.library.custom_op(f'kforge::{name}_gradients', refuse, mutates_args=())
    refused.register_fake(lambda gradients, given: [torch.empty_like(x) for x in given])
    made = torch.library.custom_op(f'kforge::{name}', compute, mutates_args=())
    made.register_fake(lambda given, number: output_shapes(given))
    made.register_autograd(lambda ctx, gradients: (refused([x for x in gradients if x is not None], list(ctx.saved_tensors)), None),
                           setup_context=keep)
    return made


# PyTorch before 2.4 has no such operations.
operation = operations() if hasattr(torch.library, 'custom_op') else compute


def is_traced():
    """Return whether PyTorch records operations instead of computing, so that it must see the kernels as one."""
    is_compiling = getattr(getattr(torch, 'compiler', None), 'is_compiling', None)
    return torch.jit.is_tracing() or is_compiling is not None and is_compiling()


NO_DEVICE = -1  # of a tensor that is on no GPU

# Of each tensor that a call gives: name, role, type, shape, place, a param's modules and name, and whether it has the samples.
CHECKED = [(name, role, DTYPES[dtype], tuple(shape), where, *(place_of(where) if role == 'param' else ([], '')),
            name in BATCH['tensors']) for name, role, dtype, shape, where in GIVEN]


class ModelNew(Model):
    # True: compute other sizes, other arguments, other types and the other mode of batch norms by Model.
    falls_back = False
    kforge_state = None

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.kforge_state = State()
        self.kforge_constants = [torch.full(shape, where, dtype=DTYPES[dtype])
                          for _, role, dtype, shape, where in TENSORS if role == 'constant']
        self.kforge_modes = modes(self)
        with torch.random.fork_rng(devices=[]):
            wanted = get_init_inputs()
        same = is_same(bound(CONSTRUCTOR, args, kwargs), bound(CONSTRUCTOR, wanted, {}))
        self.kforge_why_not = None if same else 'other arguments of __init__'

    def kforge_arguments(self, inputs, named):
        """Return the arguments that the kernels take, in order, and what they were not made for among the others."""
        state = self.kforge_state
        if state.signature is None:
            state.signature = FORWARD or signature_of(getattr(self, 'kforge_made', [super()])[0].forward)
        made, more = bound(state.signature, inputs, named)
        parameters = state.signature.parameters
        others = [*zip(parameters, made)][INPUTS:] + list(more.items()) if INPUTS is not None else []
        for name, x in others:
            if name not in parameters or not is_same(x, parameters[name].default):
                return made, f'a value of argument {name}'
        return made[:INPUTS], None

    def kforge_mismatch(self, inputs):
        """Return a text that names what the kernels were not made for; None if they fit."""
        return self.kforge_given(inputs)[1]

    def kforge_given(self, inputs):
        """Return the tensors that the kernels read, a text that names what they were not made for or None, and whether any has
        another type."""
        for norm, mode in self.kforge_modes:
            if norm.training != mode:
                return [], 'evaluation mode' if mode else 'training mode', False
        for where, number in NUMBERS:
            if len(inputs) <= where or not is_same(inputs[where], number):
                return [], f'another number than {number} as argument {where}', False
        given, constants, count, first, is_cast = [], iter(self.kforge_constants), None, None, False
        for name, role, dtype, shape, where, modules, last, has_samples in CHECKED:
            if role == 'constant':
                given.append(next(constants))
                continue
            if role == 'param':
                x = find_held(self, modules, last, where)
            else:
                x = inputs[where] if where < len(inputs) else None
            if not isinstance(x, torch.Tensor):
                return given, f'{name} of {x}, made for {list(shape)}', False
            device, is_placed = x.get_device(), role == 'input' and len(shape) > 0 or isinstance(x, nn.Parameter)
            x = pairs(x)
            if has_samples and x.dim() and x.shape[0]:
                count = x.shape[0] if count is None else count
                shape = (count, *shape[1:])
            if x.shape != shape:
                return given, f'{name} of {list(x.shape)}, made for {list(shape)}{why_no_batch(x, shape)}', False
            if x.dtype != dtype:
                is_cast = True
                if not takes(dtype, x.dtype):
                    return given, f'{name} of {x.dtype}, made for {dtype}', False
            if is_placed:
                first = device if first is None else first
                if device == NO_DEVICE or device != first:
                    return given, f'{name} on {x.device}, made for one CUDA device', False
            given.append(x)
        return given, self.kforge_why_not, is_cast

    def forward(self, *inputs, **named):
        if self.kforge_state is None:  # called by Model.__init__
            return super().forward(*inputs, **named)
        is_usual = not named and INPUTS in (None, len(inputs))
        taken, why_not = (inputs, None) if is_usual else self.kforge_arguments(inputs, named)
        given, mismatch, is_cast = self.kforge_given(taken)
        why_not = why_not or mismatch
        if why_not:
            if self.falls_back:
                return super().forward(*inputs, **named)
            raise ValueError(f'no kernels for {why_not}: set ModelNew.falls_back = True to compute it by Model')
        if is_traced():
            made = operation(given, self.kforge_state.number)
        elif torch.is_grad_enabled() and any(x.requires_grad for x in given):
            made = WithoutGradient.apply(self.kforge_state, *given)
        else:
            made = self.kforge_state.run(given)
        narrow = narrower(given) if is_cast else None
        if narrow:
            made = [x.to(narrow) if x.is_floating_point() else x for x in made]
        if FORM is not None:
            return arranged(FORM, made)
        return made[0] if len(made) == 1 else tuple(made)
