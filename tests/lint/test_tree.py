"""Tests tree.py: it must accept a sound tree, and name the fault of any other."""
import sys

from lint_cases import failed

CASES = {
    "a sound tree": ({"core/a.c": '#include "core/a.h"\n#include "core/b.h"\n', "core/a.h": "", "core/b.h": ""}, None),
    "a circle of two": ({"core/a.h": '#include "core/b.h"\n', "core/b.c": '#include "core/a.h"\n'}, "core/a, core/b"),
    "a circle of three": ({"core/a.c": '#include "core/b.h"\n', "core/b.c": '#include "tui/c.h"\n',
                           "tui/c.c": '#include "core/a.h"\n'}, "core/a, core/b, tui/c"),
    "a header that comes late": ({"core/a.c": '#include <stdio.h>\n#include "core/a.h"\n', "core/a.h": ""},
                                "core/a.c: includes its own header late"),
    "a crowded folder": ({f"tui/f{i}.c": "" for i in range(41)}, "tui: 41 files"),
    "a folder crowded by scripts": ({"backends/a.c": "", **{f"backends/f{i}.py": "" for i in range(40)}}, "backends: 41 files"),
    "a language by its name": ({"core/a.c": '\nreturn strcmp(x, "cuda") == 0;\n'}, "core/a.c:2: names a language"),
    "a language at home": ({"backends/cuda/a.c": '"cuda"', "core/model/language.c": '"opencl"'}, None),
}

if __name__ == "__main__":
    sys.exit(failed("tree.py", CASES))
