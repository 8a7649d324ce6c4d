"""Check the structure of the source tree: usage: tree.py SOURCE_DIR

- No circle of modules that include each other (a module is NAME.c and NAME.h).
- Each source file includes its own header first, which proves that the header compiles alone.
- No folder has more than 40 files in C or Python, and one with more than ten says what is in it.
- Only the table of languages and the back ends name a language of kernels.
"""
import os
import re
import sys

ROOTS = ("core", "backends", "tui")
MAX_FILES = 40
MAX_FILES_UNTOLD = 10
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)\.h"', re.MULTILINE)
LANGUAGE = re.compile(r'"(?:opencl|cuda|triton|cute)"')
# Python's lexer knows the module of that name.
LANGUAGES_AT_HOME = ("backends/", "core/model/language.c", "tui/code/lexer_languages.c")

# Permitted circles, each with its reason.
CIRCLES = {}


def sources(root, endings=(".c", ".h")):
    for folder, _, names in os.walk(root):
        for name in names:
            if name.endswith(endings):
                yield os.path.join(folder, name)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def includes(texts):
    """Return, for each module, the set of modules that its two files include."""
    graph = {}
    for path, text in texts.items():
        module = os.path.splitext(path)[0]
        graph.setdefault(module, set()).update(m for m in INCLUDE.findall(text) if m != module)
    return graph


def reach(graph, start):
    found, todo = set(), [start]
    while todo:
        for module in graph.get(todo.pop(), ()):
            if module not in found:
                found.add(module)
                todo.append(module)
    return found


def circles(graph):
    reached = {module: reach(graph, module) for module in graph}
    return {tuple(sorted(m for m in reached[module] if module in reached.get(m, ())))
            for module in graph if module in reached[module]}


def folders(paths):
    counts = {}
    for path in paths:
        counts[os.path.dirname(path)] = counts.get(os.path.dirname(path), 0) + 1
    return counts


def says_what_it_holds(folder):
    """True if a folder has a README.md, a header with its own name, or is a package, whose text begins with its use."""
    header = os.path.basename(folder) + ".h"
    return any(os.path.exists(os.path.join(folder, name)) for name in ("README.md", header, "__init__.py"))


def strangers_first(texts):
    """Yield the source files that do not include their own header first."""
    for path, text in sorted(texts.items()):
        header = os.path.splitext(path)[0] + ".h"
        first = re.search(r'^\s*#\s*include\s+(\S+)', text, re.MULTILINE)
        if path.endswith(".c") and header in texts and not (first and first[1] == f'"{header}"'):
            yield path


def faults(texts, scripts):
    for path in strangers_first(texts):
        yield f"{path}: includes its own header late, or not at all: include it first"
    for circle in sorted(circles(includes(texts))):
        if circle not in CIRCLES:
            yield "modules include each other in a circle: " + ", ".join(circle)
    for folder, count in sorted(folders([*texts, *scripts]).items()):
        if count > MAX_FILES:
            yield f"{folder}: {count} files in one folder, at most {MAX_FILES}: sort them into folders"
        if count > MAX_FILES_UNTOLD and not says_what_it_holds(folder):
            yield f"{folder}: {count} files and no word about them: add a README.md"
    for path, text in sorted(texts.items()):
        for number, line in enumerate(text.splitlines(), 1):
            if LANGUAGE.search(line) and not path.startswith(LANGUAGES_AT_HOME):
                yield f"{path}:{number}: names a language: use core/model/language.h"


def main():
    os.chdir(sys.argv[1])
    texts = {path: read(path) for root in ROOTS for path in sources(root)}
    scripts = [path for root in ROOTS for path in sources(root, (".py",))]
    found = list(faults(texts, scripts))
    for fault in found:
        print(f"tree: {fault}", file=sys.stderr)
    return bool(found or not texts)


if __name__ == "__main__":
    sys.exit(main())
