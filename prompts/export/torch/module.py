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
