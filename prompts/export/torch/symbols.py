def evaluate(value, names):
    """Evaluate an expression of the plan; its division floors."""
    functions = {'min': min, 'max': max, 'ceildiv': lambda a, b: -(-a // b), 'align': lambda a, b: -(-a // b) * b,
                 'pow2': lambda *numbers: 1 << (max(numbers) - 1).bit_length()}
    return eval(value.replace('/', '//'), functions, names) if isinstance(value, str) else value


def fits(count):
    """Return whether the places of all tensors fit an int, as the kernels count them."""
    shapes = [shape for name, _, _, shape, _ in TENSORS if name in BATCH['tensors']]
    names = {**SYMBOLS['dims'], SYMBOLS['dimension']: count}
    return all(math.prod(shape) <= (1 << 31) - (1 << 24) for shape in [
        *([count, *shape[1:]] for shape in shapes), *([evaluate(value, names) for value in shape] for shape in SYMBOLS['scratch'])])


def plan_for(count):
    """The plan for another number of samples: grids, whole numbers among the arguments, and bytes of scratch buffers."""
    names, plan = {**SYMBOLS['dims'], SYMBOLS['dimension']: count}, copy.deepcopy(PLAN)
    sizes = lambda values, names: [evaluate(value, names) for value in values]
    for launch, said in zip(plan['launches'], SYMBOLS['launches']):
        grid = sizes(said['grid'], names) if said['grid'] else [
            whole // part for whole, part in zip(sizes(said['global'], names), launch['local'])]
        launch['blocks'] = grid + [1] * (3 - len(grid))
        for one, value in zip(launch['args'], said['args']):
            if one['kind'] == 'value' and isinstance(value, str):
                one['bits'] = str(evaluate(value, names) & (1 << 64) - 1)
    plan['scratch'] = [made // math.prod(sizes(shape, SYMBOLS['dims'])) * math.prod(sizes(shape, names))
                       for made, shape in zip(plan['scratch'], SYMBOLS['scratch'])]
    return plan
