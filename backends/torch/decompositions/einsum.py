"""torch.einsum of any number of operands, as products of two at a time."""

import math
import string

import torch

from graph import Unknown


def _named_axes(equation, operands):
    """The letters of each operand's axes and of the result's, with letters for "..."."""
    given, arrow, result = equation.replace(" ", "").partition("->")
    terms = given.split(",")
    if len(terms) != len(operands):
        raise Unknown(f"einsum \"{equation}\"")
    free = [c for c in string.ascii_letters if c not in equation]
    ranks = [o.dim() - len(term.replace("...", "")) for term, o in zip(terms, operands)]
    most = max([rank for term, rank in zip(terms, ranks) if "..." in term], default=0)
    more = "".join(free[:most])
    terms = [term.replace("...", more[most - rank:]) for term, rank in zip(terms, ranks)]
    if not arrow:  # axes that occur once, in alphabetical order
        joined = "".join(terms)
        result = "..." + "".join(sorted(c for c in set(joined) - set(more) if joined.count(c) == 1))
    return terms, result.replace("...", more)


def _diagonal(term, x):
    """The operand with each letter once: elements whose indices along equal letters are equal."""
    for c in set(term):
        while term.count(c) > 1:
            first, second = [i for i, d in enumerate(term) if d == c][:2]
            size = x.shape[first]
            x = x.movedim((first, second), (0, 1)).flatten(0, 1)[::size + 1]
            term = c + "".join(d for i, d in enumerate(term) if i not in (first, second))
    return term, x


def _arranged(term, x, order):
    """The operand with its axes in this order, and an axis of size 1 for each letter it lacks."""
    x = x.permute([term.index(c) for c in order if c in term])
    return x.reshape([x.shape[[d for d in order if d in term].index(c)] if c in term else 1
                      for c in order])


def _without(term, x, kept):
    """The operand summed over axes that nothing else has."""
    away = [i for i, c in enumerate(term) if c not in kept]
    return ("".join(c for c in term if c in kept), x.sum(away)) if away else (term, x)


def _product(left, right, kept):
    """Multiply two operands, each a pair of letters and tensor, and sum what is not kept."""
    left = _without(*left, kept + right[0])
    right = _without(*right, kept + left[0])
    (a, x), (b, y) = left, right
    size = {c: n for term, o in (left, right) for c, n in zip(term, o.shape) if n != 1}
    batch = [c for c in a if c in b and c in kept]
    summed = [c for c in a if c in b and c not in kept]
    rows, columns = ([c for c in term if c not in batch + summed] for term in (a, b))
    order = batch + rows + columns
    if not summed:
        return "".join(order), _arranged(a, x, order) * _arranged(b, y, order)
    if any(o.shape[term.index(c)] != size.get(c, 1) for c in batch + summed
           for term, o in (left, right)):
        raise Unknown("einsum that broadcasts an axis of size 1")
    extent = lambda axes: math.prod(size.get(c, 1) for c in axes)
    wide = _arranged(a, x, batch + rows + summed).reshape(
        extent(batch), extent(rows), extent(summed))
    high = _arranged(b, y, batch + summed + columns).reshape(
        extent(batch), extent(summed), extent(columns))
    return "".join(order), torch.matmul(wide, high).reshape([size.get(c, 1) for c in order])


def einsum(equation, *operands):
    """
    From left to right.  Of two operands, axes in both that are needed later become the batch of a
    matrix product, axes in one of them rows or columns, and the others are summed.
    """
    operands = operands[0] if len(operands) == 1 and not torch.is_tensor(operands[0]) else operands
    terms, result = _named_axes(equation, operands)
    given = [_diagonal(term, x) for term, x in zip(terms, operands)]
    made = given[0]
    for i, other in enumerate(given[1:], 1):
        made = _product(made, other, result + "".join(term for term, _ in given[i + 1:]))
    term, x = _without(*made, result)
    return x.permute([term.index(c) for c in result])
