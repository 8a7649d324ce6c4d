"""Make units for lint.tidy: usage: units.py FOLDER FILE...

A unit is a C file that includes several files, so that clang-tidy reads their headers once. FOLDER, which lies beside
compile_commands.json of the files, gets the units and their own compile_commands.json. Files of one unit are compiled with
the same options, and define no name twice, as far as NAME shows. Prints a line for each unit, the largest first: its path
and the files in it. lint.tidy reads the files of a unit that fails one by one, and only what is found then counts; it reads
the file of a unit that has no other likewise.
"""
import json
import os
import re
import shlex
import sys

# Names with the scope of a file: of functions, objects, types and macros. The names of constants are found in ENUM.
NAME = re.compile(r"^static [^=;{(]*?(\w+)(?= =|;|\[|\()|^(?:struct|union|enum) (\w+) \{|^typedef [^;]*?(\w+)[;(]|^\} (\w+);"
                  r"|^#define (\w+)", re.MULTILINE)
# Further names of a declaration such as `static const double a = 1, b = 2;`, after its first one.
FURTHER = re.compile(r"^static const (?:double|char \*const) \w+ =[^\n;]*;", re.MULTILINE)
ENUM = re.compile(r"^(?:static (?:const )?)?enum(?: \w+)? \{(.*?)\}", re.MULTILINE | re.DOTALL)
LINES = 2500  # of a unit at most, unless one file has more
# Files that fail in a unit. host_library_rowwise.c, http.c, source_diff.c, oracle_kernel_lines.c and staging.c define a name
# that a header has which they do not include. In the others the analyzer follows calls between two files of a unit along
# paths that do not exist, or into a file that it includes.
ALONE = ("core/agent/builtin/emit/convolution/convolution_tile.c", "core/judge/host_library/host_library_rowwise.c",
         "core/llm/http.c", "tui/panels/source_diff.c", "core/judge/device_oracle/oracle_kernel_lines.c",
         "backends/cuda/staging.c", "core/agent/builtin/emit/movement/inliner_reduction.c",
         "core/judge/oracle/recurrence/recurrent_cell.c", "tui/screens/suite/suite_starter.c", "backends/cuda/internal_kernels.c",
         "backends/cuda/symbols.c", "backends/opencl/resources.c",
         "core/judge/device_oracle/oracle_comparison.c", "core/session/driver/driver_record.c", "tui/cli/fork.c")
# gcc gives these two warnings for each file alone. The analyzer leaves out functions of included files, unless it is told.
OPTIONS = ["-Wno-shadow", "-Wno-double-promotion", "-Xclang", "-analyzer-opt-analyze-headers"]


def names_of(text):
    names = {name for found in NAME.findall(text) for name in found if name}
    for declaration in FURTHER.findall(text):
        names.update(re.findall(r", (\w+) =", declaration))
    for constants in ENUM.findall(text):
        names.update(re.findall(r"\b[A-Z]\w+", constants))
    return names


class Unit:
    def __init__(self, command):
        self.command, self.paths, self.names, self.lines = command, [], set(), 0

    def takes(self, names, lines):
        return self.lines + lines <= LINES and not self.names & names

    def add(self, path, names, lines):
        self.paths.append(path)
        self.names |= names
        self.lines += lines


def divide(entries):
    """Return units of the files, which the entries of a compile_commands.json name."""
    units, of_folder = [], {}
    for entry in sorted(entries, key=lambda entry: entry["file"]):
        words = shlex.split(entry["command"])
        command = tuple(words[:words.index("-o")])
        with open(entry["file"], encoding="utf-8") as file:
            text = file.read()
        names, lines = names_of(text), text.count("\n")
        of_this = of_folder.setdefault((os.path.dirname(entry["file"]), command), [])
        is_alone = entry["file"].endswith(ALONE)
        unit = None if is_alone else next((u for u in of_this if u.takes(names, lines)), None)
        if not unit:
            unit = Unit(command)
            units.append(unit)
            if not is_alone:
                of_this.append(unit)
        unit.add(entry["file"], names, lines)
    return sorted(units, key=lambda unit: -unit.lines)


def main(folder, *files):
    folder = os.path.abspath(folder)
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/../compile_commands.json", encoding="utf-8") as file:
        commands = {e["file"]: e for e in json.load(file) if "verify_interface" not in e["file"]}
    entries = [commands[os.path.abspath(path)] for path in files]
    database = []
    for unit in divide(entries):
        path = f"{folder}/{len(database)}.c"
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(f'#include "{member}" // NOLINT(bugprone-suspicious-include)\n' for member in unit.paths)
        database.append({"directory": folder, "file": path, "arguments": [*unit.command, *OPTIONS, "-c", path]})
        print(path, *unit.paths)
    with open(f"{folder}/compile_commands.json", "w", encoding="utf-8") as file:
        json.dump(database, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
