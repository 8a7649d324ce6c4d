"""Tests tree.py: it must accept a sound tree, and name the fault of any other."""
import os
import subprocess
import sys
import tempfile

LINT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tree.py")


def said(files):
    """Run the lint on a tree of `files` (path: text); return its messages, or None if it passes."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        run = subprocess.run([sys.executable, "-B", LINT, root], capture_output=True, text=True, check=False)
        return run.stderr if run.returncode else None


CASES = {
    "a sound tree": ({"core/a.c": '#include "core/a.h"\n#include "core/b.h"\n', "core/a.h": "", "core/b.h": ""}, None),
    "a circle of two": ({"core/a.h": '#include "core/b.h"\n', "core/b.c": '#include "core/a.h"\n'}, "core/a, core/b"),
    "a circle of three": ({"core/a.c": '#include "core/b.h"\n', "core/b.c": '#include "tui/c.h"\n',
                           "tui/c.c": '#include "core/a.h"\n'}, "core/a, core/b, tui/c"),
    "a header that comes late": ({"core/a.c": '#include <stdio.h>\n#include "core/a.h"\n', "core/a.h": ""},
                                "core/a.c: includes its own header late"),
    "a crowded folder": ({f"tui/f{i}.c": "" for i in range(41)}, "tui: 41 C files"),
    "a language by its name": ({"core/a.c": '\nreturn strcmp(x, "cuda") == 0;\n'}, "core/a.c:2: names a language"),
    "a language at home": ({"backends/cuda/a.c": '"cuda"', "core/model/language.c": '"opencl"'}, None),
}


def main():
    failed = False
    for name, (files, expected) in CASES.items():
        got = said(files)
        if (got is None) != (expected is None) or (expected and expected not in got):
            print(f"test_tree: {name}: expected {expected!r}, got {got!r}", file=sys.stderr)
            failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
