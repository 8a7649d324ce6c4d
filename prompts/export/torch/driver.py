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
