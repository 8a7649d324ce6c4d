import inspect
import re

# A function of the host that launches the kernel once.  The compiler makes code of such functions only; the launches
# themselves are the plan's.
HOST = """import cutlass
import cutlass.cute as cute


@cute.jit
def host({parameters}):
    KERNEL({arguments}).launch(grid=[1, 1, 1], block=[{threads}, 1, 1], cluster=[{ctas}, 1, 1])
"""
WARP, BUFFER_ALIGNMENT = 32, 16
HOSTS = itertools.count()


def values_of(plan):
    """The types of the arguments of a launch in the host function, and values of them."""
    import cutlass
    import cutlass.cute as cute
    from cutlass.cute.runtime import make_ptr
    types = {'f32': cutlass.Float32, 'f64': cutlass.Float64, 'f16': cutlass.Float16, 'bf16': cutlass.BFloat16,
             'i32': cutlass.Int32, 'i64': cutlass.Int64, 'bool': cutlass.Boolean}
    for argument, name in zip(plan['args'], plan['types']):
        if argument['kind'] == 'buffer':
            yield 'cute.Pointer', make_ptr(types[name], BUFFER_ALIGNMENT, cute.AddressSpace.gmem,
                                           assumed_align=BUFFER_ALIGNMENT)
        else:
            yield f'cutlass.{types[name].__name__}', types[name](1)


def host_function(kernel, plan, values, folder):
    """Write the host function into a file, from which the compiler reads it, and load it."""
    constants = plan['constants']
    free = [name for name, parameter in inspect.signature(kernel).parameters.items()
            if name not in constants and 'Constexpr' not in str(parameter.annotation)]
    call = [f'{name}={name}' for name in free] + [f'{name}={value!r}' for name, value in constants.items()]
    text = HOST.format(parameters=', '.join(f'{name}: {kind}' for name, (kind, _) in zip(free, values)),
                       arguments=', '.join(call), threads=WARP * plan['warps'], ctas=plan['ctas'])
    path = os.path.join(folder, f'host{next(HOSTS)}.py')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
    names = {'__name__': 'kforge_host', '__file__': path, 'KERNEL': kernel}
    exec(compile(text, path, 'exec'), names)
    return names['host']


def shared_bytes(module):
    """The shared memory that the host function's launch asks for: the third member of its configuration."""
    place = re.search(r'(%\d+) = llvm\.getelementptr %\d+\[0, 2\][^\n]*struct<\(array<3 x i32>, array<3 x i32>, i64', module)
    stored = place and re.search(rf'llvm\.store (%\d+), {place.group(1)} : i64', module)
    function = stored and module.rindex('llvm.func', 0, stored.start())
    value = stored and re.search(rf'{stored.group(1)} = llvm\.mlir\.constant\((\d+) : i64\)', module[function:])
    if not value:
        raise RuntimeError('the shared memory of a kernel cannot be read from what this version of CuTe DSL makes')
    return int(value.group(1))


def compile_launch(kernel, plan, capability):
    """Compile the kernel of a launch; return the code, its entry, the shared memory and the number of its parameters."""
    import cutlass.cute as cute
    major, minor = capability
    folder = os.path.dirname(sys.modules[kernel.__module__].__file__)
    values = list(values_of(plan))
    made = cute.compile(host_function(kernel, plan, values, folder), *[value for _, value in values],
                        options=f"--gpu-arch sm_{major}{minor}{'a' if major >= 9 else ''} --keep-ptx --keep-cubin "
                                f'--dump-dir {folder}')
    listing = made.__ptx__ if isinstance(made.__ptx__, str) else made.__ptx__.decode()
    entries = re.findall(r'\.entry\s+(\w+)', listing)
    if len(entries) != 1:
        raise RuntimeError(f"{plan['kernel']} became {len(entries)} kernels")
    parameters = len(re.findall(r'\.param\b', re.search(r'\.entry[^{]*', listing).group(0)))
    return bytes(made.__cubin__), entries[0], shared_bytes(str(made.__mlir__ or made.ir_module)), parameters


class Kernels(Launches):
    """The compiled kernels on one device."""
    module = None

    def __init__(self, device, plan):
        super().__init__(plan)
        torch.empty(1, device=device)  # creates the context, which the driver needs to load kernels
        Kernels.module = Kernels.module or load_kernels(KERNELS)
        self.driver, self.capability = Driver(), torch.cuda.get_device_capability(device)
        self.values = []  # to which arguments point
        for name in ('prepare', 'launches'):
            self.lists[name] = [self.launch(one) for one in plan[name]]

    def launch(self, plan):
        module = ctypes.c_void_p()
        code, entry, shared, parameters = compile_launch(getattr(self.module, plan['kernel']), plan, self.capability)
        self.driver.call('cuModuleLoadData', ctypes.byref(module), code)
        grid, ctas = [*plan['grid'], 1, 1][:3], plan['ctas']
        space = {'shared': shared, 'cluster': [ctas, 1, 1] if ctas > 1 else [0, 0, 0], 'local': [WARP * plan['warps'], 1, 1],
                 'blocks': [grid[0] * ctas, *grid[1:]]}
        hidden = max(parameters - len(plan['args']), 0)  # null pointers that the compiler adds
        values = [ctypes.c_uint64(int(one['bits'])) for one in plan['args']] + [ctypes.c_uint64() for _ in range(hidden)]
        self.values += values
        places = [ctypes.addressof(value) for value in values]
        for i, one in enumerate(plan['args']):
            if one['kind'] == 'buffer':
                places[i] = self.place(one['index'])
        return Launch(self.driver, find_kernel(self.driver, module, entry, space), space, places)
