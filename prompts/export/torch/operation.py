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
