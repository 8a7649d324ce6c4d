"""Reduce the sizes of a PyTorch model in KernelBench's form, by the integers that its file defines at the top."""
import ast
import math

FEWEST = 2  # a batch of one leaves batch norms nothing to normalize
MANY_IN_A_BATCH = 8
ROUNDS = 60
OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Pow)


def _integer(node):
    """Return the value of an expression of integers, or None for any other expression."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, OPERATORS):
        return None
    left, right = _integer(node.left), _integer(node.right)
    return None if left is None or right is None else eval(compile(ast.Expression(node), "size", "eval"))


def _names(statement):
    """Return (name, expression) for each name that a statement assigns an integer expression to."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return []
    target, value = statement.targets[0], statement.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        return [(name.id, item) for name, item in zip(target.elts, value.elts) if isinstance(name, ast.Name)]
    return [(target.id, value)] if isinstance(target, ast.Name) else []


def _expressions(statement):
    """Return (name, expression) for the integers of a statement; NAME[i] for the items of a tuple."""
    found = []
    for name, value in _names(statement):
        if isinstance(value, ast.Tuple):
            found += [(f"{name}[{i}]", item) for i, item in enumerate(value.elts)]
        else:
            found.append((name, value))
    return found


def _sizes(text):
    """Return the integers that the file assigns to names, with the places of their expressions."""
    found = {}
    for name, node in (pair for statement in ast.parse(text).body for pair in _expressions(statement)):
        value = _integer(node)
        if value is not None and value > FEWEST:
            found[name] = (value, node)
    return found


def with_sizes(text, sizes):
    """Return the text with other values for the names in `sizes`."""
    lines = text.splitlines(keepends=True)
    places = sorted(((place.lineno, place.col_offset, place.end_lineno, place.end_col_offset, sizes[name])
                     for name, (_, place) in _sizes(text).items() if name in sizes), reverse=True)
    for first, start, last, end, value in places:
        line = lines[first - 1].encode()[:start].decode() + str(value) + lines[last - 1].encode()[end:].decode()
        lines[first - 1:last] = [line]
    return "".join(lines)


def _next(values, fixed):
    """Return the name to reduce next: a batch before the others, and of these the largest."""
    free = {name: value for name, value in values.items() if name not in fixed and value > FEWEST}
    batches = {name: value for name, value in free.items() if "batch" in name.lower() and value > MANY_IN_A_BATCH}
    return max(batches or free, key=(batches or free).get, default=None)


def _attempts(values, name, now):
    """Return the sizes to try for a name: smaller alone, or together with all names of the same value."""
    value = values[name]
    smaller = max(FEWEST, value // (4 if now > 16 and value >= 64 else 2))
    alike = [other for other in values if values[other] == value]
    return [{name: smaller}, {other: smaller for other in alike}]


def reduce(text, cost):
    """Return the sizes, by name, with which the cost is at most 1, or nearly so.

    `cost` returns a number for a text, or None if the model does not work with these sizes.
    """
    values, fixed, changed = {name: value for name, (value, _) in _sizes(text).items()}, set(), {}
    now = cost(text) or math.inf  # it may be too large to be described
    for _ in range(ROUNDS):
        name = _next(values, fixed) if now > 1 else None
        if name is None:
            break
        for attempt in _attempts(values, name, now):
            found = cost(with_sizes(text, {**changed, **attempt}))
            if found is None and now == math.inf:
                found = now
            if found is not None and (found < now or now == math.inf):
                break
        else:  # this one is no size
            fixed.add(name)
            continue
        values.update(attempt)
        changed, now = {**changed, **attempt}, found
    return changed
