"""The text of plain kernels, divided into kernels, and changes of one place in it."""
import collections
import functools
import re

import reach
import sizes

START = re.compile(r"^.*(?:__kernel|__global__) void (?:__\w+\(\d+\) )?(\w+)\(", re.M)
HEAD = re.compile(r"const int i = get_global_id\(0\);")
STORE = re.compile(r"^(?P<indent>\s*)(?P<place>p_(?P<buffer>\w+)\[(?P<index>.*)\]) = (?P<value>.*);$", re.M)
LOAD = re.compile(r"p_(\w+)\[((?:[^\[\]]|\[[^\[\]]*\])*)\](?! =[^=])")
LOOP = re.compile(r"for \(int (\w+) = 0; \1 < ([^;]+); \1\+\+\)")

PORTABLE = ("#ifdef __CUDACC__\n#define MUTANT __device__ inline\n"
            "#define get_global_size(axis) ((size_t)gridDim.x * blockDim.x)\n#define get_num_groups(axis) gridDim.x\n"
            "#else\n#define MUTANT static\n#endif\n\n")
ROUND = ("MUTANT float mutant_round(float x, uint bits)\n{\n"
         "    const uint u = as_uint(x), half_bit = 1u << (bits - 1), odd = (u >> bits) & 1;\n"
         "    return isfinite(x) ? as_float((u + (half_bit - 1) + odd) & ~((1u << bits) - 1)) : x;\n}\n\n")
HALF_BITS, BFLOAT_BITS = 13, 16
EXPONENTIALS = ("softmax", "log_softmax", "logsumexp")


class Kernel:
    """One kernel of a candidate: its text, its node in the graph, its sizes at the main dimensions."""

    def __init__(self, name, text, document, plan):
        self.name, self.text = name, text
        self.document, self.plan = document, plan
        self.reach = reach.Reach(document, plan)
        self.dims = document.get("dims", {})
        self.node = document["graph"][int(re.search(r"_(\d+)(?:_[a-z]+)?$", name)[1])]

    @functools.cached_property
    def needs_bits(self):
        """Whether a result loses bits in f16 that no kernel of this class may lose."""
        out, reached = self.node["out"], self.reach
        return self.is_precise and out not in reached.short | reached.coarse and not reached.is_rounded_next(out)

    @functools.cached_property
    def is_precise(self):
        return self.document.get("tolerance", {}).get("class") == "f32"

    @functools.cached_property
    def shift(self):
        """The part of the text that finds a maximum which is subtracted before exponentials, and shifts them only."""
        if self.node["op"] not in EXPONENTIALS:
            return range(0)
        return range(self.text.index("float most"), self.text.index("float total"))

    @functools.cached_property
    def items(self):
        """The number of work-items."""
        return sizes.elements(self._launch["global"], self.dims)

    def is_whole(self, size):
        """Tell if all launches have a multiple of `size` work-items, also where dynamic dimensions are odd."""
        odd = {**self.dims, **dict.fromkeys(self.document.get("dynamic", ()), 17)}
        return all(sizes.elements(launch["global"], dims) % size == 0 for launch in self.plan["launches"]
                   if launch["kernel"] == self.name for dims in (self.dims, odd))

    @functools.cached_property
    def groups(self):
        """The number of groups, which is that of work-items if the plan says no size of groups."""
        return self.items // sizes.elements(self._launch.get("local", []), self.dims)

    @functools.cached_property
    def _launch(self):
        return next(launch for launch in self.plan["launches"] if launch["kernel"] == self.name)

    def extent(self, buffer):
        """The number of elements of a buffer."""
        tensors = {**self.document["tensors"], **self.plan.get("scratch", {})}
        return sizes.elements(tensors[buffer]["shape"], self.dims)

    def is_float(self, buffer):
        return re.search(rf"\bfloat \*(?:\w+ )?p_{buffer}\b", self.text) is not None

    def changes(self, pattern, change, said):
        """Yield (said, text) for each match of the pattern, with that match replaced by change(match).

        Equal lines have numbers, which do not depend on the lines that are changed.  A wrong maximum of numbers that
        are within few units only shifts exponents, so that it is no fault.
        """
        is_shift_free, lines = self.node["in"][0] in self.reach.free, collections.Counter()
        for match in pattern.finditer(self.text):
            line = self._line(match)
            lines[line] += 1
            text = change(match) if is_shift_free or match.start() not in self.shift else None
            if text is not None and text != match.group(0):
                number = f" ({lines[line]})" if lines[line] > 1 else ""
                yield f"{said}: {line}{number}", self.text[:match.start()] + text + self.text[match.end():]

    def stores(self, change, said, floats_only=True):
        """Yield the kernel with the value of one store replaced by change(match)."""
        def replace(match):
            if floats_only and not self.is_float(match["buffer"]):
                return None
            value = change(match)
            return None if value is None else f"{match['indent']}{match['place']} = {value};"
        yield from self.changes(STORE, replace, said)

    def _line(self, match):
        begin = self.text.rfind("\n", 0, match.start()) + 1
        end = self.text.find("\n", max(match.start(), begin + 1))
        line = self.text[begin:end].strip()
        return line or self.text[match.start():match.end()].strip()


def divide(source, document, plan):
    """Return what comes before the first kernel, and the kernels."""
    starts = [match.start() for match in START.finditer(source)]
    texts = [source[begin:end] for begin, end in zip(starts, [*starts[1:], len(source)])]
    return source[:starts[0]], [Kernel(START.match(text)[1], text, document, plan) for text in texts]


def mutants(mutations, document, source, plan):
    """Yield (kind, description, source) for every mutation of the text of every kernel.

    A mutation yields (said, text) or (said, text, definitions).
    """
    prelude, kernels = divide(source, document, plan)
    for mutation in mutations:
        kind = mutation.__name__.replace("_", " ")
        for kernel in kernels:
            for said, text, *definitions in mutation(kernel):
                whole = "".join(text if other is kernel else other.text for other in kernels)
                yield kind, f"{kernel.name}: {said}", prelude + PORTABLE + "".join(definitions) + whole
