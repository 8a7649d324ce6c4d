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
