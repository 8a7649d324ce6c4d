class Launch:
    """One launch of a plan: the arguments in the order of the parameters that are no constants."""

    def __init__(self, module, plan):
        self.kernel, self.grid, self.arguments = getattr(module, plan['kernel']), tuple(plan['grid']), plan['args']
        self.numbers, self.constants = plan['numbers'], plan['constants']
        fixed = {p.name for p in getattr(self.kernel, 'params', ()) if p.is_constexpr} | set(self.constants)
        self.names = [name for name in self.kernel.arg_names if name not in fixed]
        self.options = {'num_warps': plan['warps'], 'num_ctas': plan['ctas']}
        if plan['stages']:
            self.options['num_stages'] = plan['stages']

    def value(self, argument, number, buffers):
        if argument['kind'] == 'buffer':
            return buffers[argument['index']]
        return float(number) if argument['real'] else int(number)

    def start(self, buffers):
        values = [self.value(argument, number, buffers) for argument, number in zip(self.arguments, self.numbers)]
        self.kernel[self.grid](**dict(zip(self.names, values)), **self.constants, **self.options)


class Kernels:
    """The kernels on one device."""
    module = None

    def __init__(self, device, plan):
        Kernels.module = Kernels.module or load_kernels(KERNELS)
        self.lists = {name: [Launch(self.module, one) for one in plan[name]] for name in ('prepare', 'launches')}
        self.lock = threading.Lock()

    def start(self, name, buffers, stream):
        """Start the launches of a list on the current stream, which Triton knows."""
        with self.lock:
            for one in self.lists[name]:
                one.start(buffers)
