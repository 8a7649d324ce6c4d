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
