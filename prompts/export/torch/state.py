ALIGNMENT = 16  # bytes of the widest load


class State:
    """The state of a model between calls: kernels, and memory prepared from its parameters."""
    numbers, all = itertools.count(), weakref.WeakValueDictionary()

    def __init__(self):
        self.number = next(self.numbers)
        self.all[self.number] = self
        self.kernels, self.prepared, self.constants = {}, {}, {}

    def __deepcopy__(self, memo):
        return State()

    def __reduce__(self):
        return State, ()

    def run(self, given):
        """Compute the outputs from the inputs, params and constants, on the device of the first one that is on a GPU."""
        device = next((x.device for x in given if x.is_cuda), None) or torch.device('cuda', torch.cuda.current_device())
        with torch.cuda.device(device):
            return self.run_parts(device, given)

    def run_parts(self, device, given):
        """Compute a batch of another size at once if the plan has expressions for it; else in parts of the size that the
        kernels were made for."""
        count, size = samples(given), BATCH['size']
        if count == size or SYMBOLS and fits(count):
            return self.run_on(device, given, count)
        parts = [self.run_on(device, [part(x, name, first) for x, (name, *_) in zip(given, GIVEN)], size)
                 for first in range(0, count, size)]
        return [torch.cat(made)[:count] for made in zip(*parts)]

    def run_on(self, device, given, count):
        key = device, count
        if key not in self.kernels:
            self.kernels[key] = Kernels(device, PLAN if count == BATCH['size'] else plan_for(count))
        kernels, left = self.kernels[key], iter(given)
        tensors = [torch.empty(shape_of(name, shape, count), dtype=DTYPES[dtype], device=device) if role == 'output'
                   else self.take_constant(name, next(left), dtype, device) if role == 'constant'
                   else take(next(left), dtype, device) for name, role, dtype, shape, _ in TENSORS]
        params = [(x.data_ptr(), 0 if x.is_inference() else x._version)
                  for x, (_, role, *_) in zip(given, GIVEN) if role == 'param']
        if self.prepared.get(key) != params:
            kernels.start('prepare', tensors)
            self.prepared[key] = params
        kernels.start('launches', tensors)
        return [x for x, (_, role, *_) in zip(tensors, TENSORS) if role == 'output']

    def take_constant(self, name, x, dtype, device):
        """Copy a constant to a device once: a CUDA graph cannot capture such a copy."""
        key = name, device
        if key not in self.constants:
            self.constants[key] = take(x, dtype, device)
        return self.constants[key]


def take(x, dtype, device):
    """Return `x` as the kernels read it: dense, in their type, on the device."""
    x = x.detach().to(device=device, dtype=DTYPES[dtype]).contiguous()
    return x.clone() if x.data_ptr() % ALIGNMENT else x  # a view may begin anywhere


def samples(given):
    """Return the number of samples in the tensors that GIVEN lists."""
    return next((x.shape[0] for x, (name, *_) in zip(given, GIVEN) if name in BATCH['tensors']), BATCH['size'])


def shape_of(name, shape, count):
    """The shape of a tensor for a number of samples."""
    return [count, *shape[1:]] if name in BATCH['tensors'] else shape


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
    return [given[0].new_empty(shape_of(name, shape, samples(given)), dtype=DTYPES[dtype])
            for name, role, dtype, shape, _ in TENSORS if role == 'output']


def compute(given: List[torch.Tensor], number: int) -> List[torch.Tensor]:
    return State.all[number].run(given)


# torch.compile keeps this operation whole; PyTorch before 2.4 cannot say so.
if hasattr(torch.library, 'custom_op'):
    operation = torch.library.custom_op(f'kforge::{NAME}', compute, mutates_args=())
    operation.register_fake(lambda given, number: output_shapes(given))
else:
    operation = compute


def is_compiling():
    return hasattr(torch, 'compiler') and hasattr(torch.compiler, 'is_compiling') and torch.compiler.is_compiling()


def find(model, key):
    """Find the tensor of the model that a key such as 'layer.weight' names."""
    for part in key.split('.'):
        model = model[int(part)] if isinstance(model, (list, tuple)) else getattr(model, part)
    return model


def pairs(x):
    """Return complex numbers as kernels read them, as pairs along a last axis."""
    return torch.view_as_real(x) if x.is_complex() else x


def is_same(a, b):
    """Return whether an argument is the one that the kernels were made for; of tensors only the shape counts."""
    if isinstance(a, torch.Tensor) or isinstance(b, torch.Tensor):
        return getattr(a, 'shape', None) == getattr(b, 'shape', None)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(is_same, a, b))
    return a == b


def uses_batch(model):
    """Return whether a norm uses the statistics of the batch in training mode only."""
    return any(isinstance(one, torch.nn.modules.batchnorm._NormBase) and one.track_running_stats
               for one in model.modules())


def why_no_batch(x, shape):
    """Say why kernels made for this shape do not take `x` as a batch of another size."""
    return f', and for no other batch: {BATCH["why_not"]}' if BATCH['why_not'] and list(x.shape[1:]) == shape[1:] else ''


class ModelNew(Model):
    # True: compute other sizes, other arguments and evaluation mode by Model.
    falls_back = False

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.kforge_state = State()
        self.kforge_constants = [torch.full(shape, where, dtype=DTYPES[dtype])
                          for _, role, dtype, shape, where in TENSORS if role == 'constant']
        self.kforge_needs_training = uses_batch(self)
        with torch.random.fork_rng(devices=[]):
            wanted = get_init_inputs()
        self.kforge_why_not = None if not kwargs and is_same(list(args), list(wanted)) else 'other arguments of __init__'

    def kforge_mismatch(self, inputs):
        """Return a text that names what the kernels were not made for; None if they fit."""
        if self.kforge_why_not is None and self.kforge_needs_training and not self.training:
            return 'evaluation mode'
        for where, number in NUMBERS:
            if len(inputs) <= where or inputs[where] != number:
                return f'another number than {number} as argument {where}'
        count = None
        for name, role, _, shape, where in TENSORS:
            if role in ('input', 'param'):
                x = find(self, where) if role == 'param' else inputs[where] if where < len(inputs) else None
                if not isinstance(x, torch.Tensor):
                    return f'{name} of {x}, made for {shape}'
                x = pairs(x)
                if name in BATCH['tensors'] and x.dim() and x.shape[0]:
                    count = x.shape[0] if count is None else count
                    shape = shape_of(name, shape, count)
                if list(x.shape) != shape:
                    return f'{name} of {list(x.shape)}, made for {shape}{why_no_batch(x, shape)}'
        return self.kforge_why_not

    def forward(self, *inputs):
        why_not = self.kforge_mismatch(inputs)
        if why_not:
            if self.falls_back:
                return super().forward(*inputs)
            raise ValueError(f'no kernels for {why_not}: set ModelNew.falls_back = True to compute it by Model')
        constants = iter(self.kforge_constants)
        given = [pairs(inputs[where] if role == 'input' else find(self, where) if role == 'param' else next(constants))
                 for _, role, _, _, where in GIVEN]
        if is_compiling():
            made = operation(given, self.kforge_state.number)
        elif torch.is_grad_enabled() and any(x.requires_grad for x in given):
            made = WithoutGradient.apply(self.kforge_state, *given)
        else:
            made = self.kforge_state.run(given)
        return made[0] if len(made) == 1 else tuple(made)
