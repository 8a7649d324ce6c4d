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
