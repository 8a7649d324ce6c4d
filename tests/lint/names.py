"""Check the names in Python scripts: usage: names.py SOURCE_DIR

No test runs each path of each script, because some need a GPU or hours. So this finds, without running them, the import of
a module that does not exist, the name that another script of the tree does not have, and the global name that nobody defines.
"""
import ast
import builtins
import importlib.util
import os
import symtable
import sys

ROOTS = ("backends", "tests")
# Modules that kforge joined from parts, and models, which tests load.
LEFT_OUT = ("tests/golden/export/", "tests/models/")
FOLDERS = ("backends/torch", "backends/python", "tests/golden/oracle", "tests/bench")  # where scripts of other folders import from
PACKAGES = {"torch", "triton", "cutlass", "cuda", "numpy", "scipy", "jinja2"}  # of which a machine may have none
KNOWN = set(dir(builtins)) | {"__file__", "__name__", "__doc__", "__path__"}


class Script:
    def __init__(self, path):
        self.path = path
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        self.nodes = list(ast.walk(ast.parse(self.text, path)))
        self.table = symtable.symtable(self.text, path, "exec")
        self.names = KNOWN | {name for table in tables(self.table) for name in defined(table)}

    def has(self, name):
        """True if the module has the name, which may be that of a module in its folder."""
        folder = os.path.dirname(self.path) if self.path.endswith("/__init__.py") else None
        return name in self.names or bool(folder and found_in(folder, name))


def tables(table):
    yield table
    for child in table.get_children():
        yield from tables(child)


def defined(table):
    """Return the global names that a scope gives a value."""
    is_module = table.get_type() == "module"
    return [s.get_name() for s in table.get_symbols()
            if (s.is_assigned() or s.is_imported() or s.is_namespace()) and (is_module or s.is_declared_global())]


def found_in(folder, module):
    base = os.path.join(folder, *module.split("."))
    return next((path for path in (base + ".py", base + "/__init__.py") if os.path.exists(path)), None)


def path_of(script, module, level=0):
    """Return the file of a module of the tree, None if it is another's, and raise LookupError if there is none."""
    own = os.path.dirname(script.path)
    for _ in range(level - 1):
        own = os.path.dirname(own)
    beside = () if level else (os.path.dirname(own), *FOLDERS)  # the files of a package import from the folder around it
    for folder in (own, *beside):
        if path := found_in(folder, module):
            return path
    if level or module.split(".")[0] not in PACKAGES | sys.stdlib_module_names and not importlib.util.find_spec(module):
        raise LookupError(f"there is no module {module}")
    return None


def imports(script, scripts):
    """Yield the faults of imports, and fill `modules`, which this returns in the end: alias to script."""
    modules = {}
    for node in script.nodes:
        try:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    path = path_of(script, alias.name)
                    if path in scripts and (alias.asname or "." not in alias.name):
                        modules[alias.asname or alias.name] = scripts[path]
            elif isinstance(node, ast.ImportFrom):
                path = path_of(script, node.module or "__init__", node.level)
                for alias in node.names if path in scripts else ():
                    if inner := found_in(path.removesuffix("/__init__.py"), alias.name):
                        modules[alias.asname or alias.name] = scripts[inner]
                    elif alias.name != "*" and not scripts[path].has(alias.name):
                        yield node, f"{path} has no {alias.name}"
        except LookupError as error:
            yield node, str(error)
    return modules


def faults(script, scripts):
    modules = yield from imports(script, scripts)
    # A name that is a variable too may not be the module.
    variables = {n.id for n in script.nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    variables |= {n.arg for n in script.nodes if isinstance(n, ast.arg)}
    for node in script.nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = None if node.value.id in variables else modules.get(node.value.id)
            if module and not module.has(node.attr):
                yield node, f"{module.path} has no {node.attr}"
    unknown = {s.get_name() for t in tables(script.table) for s in t.get_symbols() if s.is_global()} - script.names
    for node in script.nodes:
        if isinstance(node, ast.Name) and node.id in unknown:
            yield node, f"nobody defines {node.id}"


def paths():
    for root in ROOTS:
        for folder, _, names in os.walk(root):
            yield from (os.path.join(folder, name) for name in names if name.endswith(".py"))


def main():
    os.chdir(sys.argv[1])
    scripts = {path: Script(path) for path in paths() if not path.startswith(LEFT_OUT)}
    found = [f"{path}:{node.lineno}: {fault}" for path, script in sorted(scripts.items()) for node, fault in faults(script, scripts)]
    for line in found:
        print(f"names: {line}", file=sys.stderr)
    return bool(found or not scripts)


if __name__ == "__main__":
    sys.exit(main())
