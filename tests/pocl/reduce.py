"""Make a small PoCL for the tests: usage: reduce.py FOLDER

For its first program a process reads PoCL's library of built-in functions, 9 MB, and for each program it parses 14,000
declarations. Both take longer than the kernels of the tests. This script makes FOLDER with PoCL's own files, where the
library and the declarations lack the functions that no kernel of the tests calls (KEPT and KEPT_WITH_ALL_VECTORS name
those that stay). All else is PoCL's as it is installed, and the functions that stay are the same code. A test whose kernel
calls another function fails with "undeclared identifier" or "Cannot find symbol": add the name here.

PoCL runs the program `ld` to link each kernel with the C library and the mathematical library. Reading these two takes
five times as long as the rest. FOLDER/bin/ld leaves them out: the executor has both loaded, and a kernel finds there what
it calls.

Set OCL_ICD_VENDORS to FOLDER/vendors/ and put FOLDER/bin before the rest of PATH to use it. Where PoCL is not installed as
Debian does, FOLDER/vendors lists the drivers of the system.
"""
import ctypes
import glob
import os
import re
import shutil
import subprocess
import sys

DATA = "/usr/share/pocl"
VENDORS = "/etc/OpenCL/vendors"
KEPT = re.compile(
    "abs|acosh?|all|asinh?|atan2?|atomic_(add|cmpxchg|inc|max|min|xchg)|barrier|cbrt|ceil|clamp|clz|copysign|cosh?"
    "|cospi|dot|erfc?|exp(2|10|m1)?|fabs|fdim|floor|fma|fmax|fmin|fmod|get_(global|local|group|num_groups|work_dim).*"
    "|hypot|is(finite|inf|nan)|ldexp|length|lgamma|log(10|1p|2)?|mad|mad24|max|mem_fence|min|mix|mul24|mul_hi"
    "|native_sqrt|nextafter|popcount|pow|printf|read_mem_fence|remainder|rint|rootn|round|rsqrt|select|shuffle"
    "|sign|signbit|sinh?|sinpi|sqrt|step|tanh?|tgamma|trunc|work_group_barrier|write_mem_fence")
KEPT_WITH_ALL_VECTORS = re.compile(
    "any|as_.*|rotate|convert_([a-z]+(4|16)?|float16_rtz|long16_rtz|int16_sat|int16_sat_rte|long16_sat_rte)"
    "|vload(2|4|8|16|_half)|vstore(2|4|8|16|_half|_half16_rte)")
# Vectors of these types are only loaded, stored and converted. The texts are a declaration's and a mangled name's.
RARE_VECTOR = re.compile(r"\b(?:u?char|u?short|u?long|half|double)(?:2|4|8|16)\b|Dv\d+_(?:[chstlmd]|Dh)")
# A declaration of one function, on one line or several; and "_Z", the length of a name, and the name.
DECLARATION = re.compile(r"^(?!typedef)[a-z][^;#{}()]*?(\w+)\([^;#{}]*;[^\n]*\n", re.MULTILINE)
RENAME = re.compile(r"^#define (\w+) +_cl_\w+\n", re.MULTILINE)
MANGLED = re.compile(r"_Z(\d+)")
LINKER = """#!/bin/sh
# The system's ld, for PoCL's kernels without -lm and -lc (tests/pocl/reduce.py). A call by gcc names a plugin.
case " $* " in
*" -plugin "*) exec {ld} "$@" ;;
esac
for word do
	shift
	case $word in
	-lm | -lc) ;;
	*) set -- "$@" "$word" ;;
	esac
done
exec {ld} "$@"
"""


def is_kept(name, types):
    """True if kernels of the tests may call the function; `types` is the text that names its parameters' types."""
    if re.search(r"image|sampler|[a-z]3\b|Dv3_", types):
        return False
    if KEPT_WITH_ALL_VECTORS.fullmatch(name):
        return True
    return KEPT.fullmatch(name) is not None and not RARE_VECTOR.search(types)


def reduce_declarations(source, target):
    with open(source, encoding="utf-8") as file:
        text = file.read()
    text = DECLARATION.sub(lambda found: found[0] if is_kept(found[1], found[0]) else "", text)
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL)
    with open(target, "w", encoding="utf-8") as file:
        file.write(re.sub(r"\n\s*\n+", "\n", text))


def reduce_renames(path):
    """Keep the macros that rename a function only for the functions that stay."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    text = RENAME.sub(lambda found: found[0] if is_kept(found[1], "") else "", text)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class Module:
    """A module of LLVM, by the functions of llvm-c/Core.h."""

    def __init__(self, llvm, path):
        self.llvm = ctypes.CDLL(llvm)
        buffer, message, self.module = ctypes.c_void_p(), ctypes.c_char_p(), ctypes.c_void_p()
        if self.call("CreateMemoryBufferWithContentsOfFile", path.encode(), ctypes.byref(buffer),
                     ctypes.byref(message), result=ctypes.c_int):
            raise OSError(message.value)
        if self.call("ParseBitcode2", buffer, ctypes.byref(self.module), result=ctypes.c_int):
            raise OSError(f"{path}: no module")

    def call(self, name, *arguments, result=ctypes.c_void_p):
        function = getattr(self.llvm, "LLVM" + name)
        function.restype = result
        return function(*(ctypes.c_void_p(a) if isinstance(a, int) else a for a in arguments))

    def values(self, kind):
        """Return all functions, or all variables (`kind` is Function or Global), each with its name."""
        found, size = [], ctypes.c_size_t()
        value = self.call(f"GetFirst{kind}", self.module)
        while value:
            found.append((value, self.call("GetValueName2", value, ctypes.byref(size),
                                           result=ctypes.c_char_p).decode()))
            value = self.call(f"GetNext{kind}", value)
        return found

    def remove_unused(self, kind, may_go):
        """Remove what `may_go` and nothing uses, again and again: what only a removed function used goes too."""
        values, count = self.values(kind), None
        while count != len(values):
            count, left = len(values), []
            for value, name in values:
                if may_go(name) and not self.call("GetFirstUse", value):
                    self.call(f"Delete{kind}", value, result=None)
                else:
                    left.append((value, name))
            values = left

    def write(self, path):
        self.call("StripModuleDebugInfo", self.module)
        if self.call("WriteBitcodeToFile", self.module, path.encode(), result=ctypes.c_int):
            raise OSError(f"{path}: not written")


def may_go(name, names):
    """True unless kernels of the tests call the function `name` of the library, which holds `names`, or PoCL does."""
    mangled = MANGLED.match(name)
    if not mangled:
        return "pocl" not in name and name != "printf"
    begin, length = mangled.end(), int(mangled[1])
    plain, types = name[begin:begin + length], name[begin + length:]
    # Kernels in OpenCL C call a function by its name with _cl_ in front, if there is one; programs in SPIR without.
    return f"_Z{length + 4}_cl_{plain}{types}" in names or not is_kept(plain.removeprefix("_cl_"), types)


def reduce_library(llvm, source, target):
    module = Module(llvm, source)
    names = {name for _, name in module.values("Function")}
    module.remove_unused("Function", lambda name: may_go(name, names))
    module.remove_unused("Global", lambda name: not name.startswith("llvm."))
    module.write(target)


def library_name():
    """Return the end of the name of the library that PoCL takes on this CPU, or None for one of the old ones."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        flags = re.search(r"^flags\s*:(.*)", file.read(), re.MULTILINE)
    flags = flags[1].split() if flags else []
    return next((name for flag, name in (("avx512f", "avx512"), ("avx2", "avx2")) if flag in flags), None)


def installed_files():
    """Return the paths of PoCL's and LLVM's shared libraries; raises OSError if PoCL is not as Debian installs it."""
    with open(f"{VENDORS}/pocl.icd", encoding="utf-8") as file:
        name = file.read().strip()
    found = glob.glob(f"/usr/lib/*-linux-gnu/{os.path.basename(name)}")
    if not found or not os.path.exists(f"{DATA}/include/opencl-c.h"):
        raise OSError("PoCL is not as Debian installs it")
    listed = subprocess.run(["ldd", found[0]], capture_output=True, text=True, check=True).stdout
    llvm = re.search(r"libLLVM\S* => (\S+)", listed)
    if not llvm:
        raise OSError("PoCL has no LLVM of its own")
    return found[0], llvm[1]


def write_linker(path):
    ld = shutil.which("ld")
    if not ld:
        raise OSError("there is no ld")
    os.makedirs(os.path.dirname(path))
    with open(path, "w", encoding="utf-8") as file:
        file.write(LINKER.replace("{ld}", ld))
    os.chmod(path, 0o755)


def reduce(folder):
    pocl, llvm = installed_files()
    data = f"{folder}/share/pocl"
    shutil.copytree(f"{DATA}/include", f"{data}/include")
    reduce_declarations(f"{DATA}/include/opencl-c.h", f"{data}/include/opencl-c.h")
    reduce_renames(f"{data}/include/_builtin_renames.h")
    name = library_name()
    for library in glob.glob(f"{DATA}/*.bc"):
        target = f"{data}/{os.path.basename(library)}"
        if name and library.endswith(f"-{name}.bc"):
            reduce_library(llvm, library, target)
        else:
            os.symlink(library, target)
    # PoCL looks for its data from the folder where it lies: in ../../share/pocl.
    libraries = f"{folder}/lib/pocl"
    os.makedirs(libraries)
    os.symlink(pocl, f"{libraries}/libpocl.so")
    os.symlink(os.path.join(os.path.dirname(pocl), "pocl"), f"{libraries}/pocl")
    write_linker(f"{folder}/bin/ld")
    with open(f"{folder}/vendors/pocl.icd", "w", encoding="utf-8") as file:
        file.write(f"{libraries}/libpocl.so\n")


def main(folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(f"{folder}/vendors")
    for path in glob.glob(f"{VENDORS}/*.icd"):
        shutil.copy(path, f"{folder}/vendors")
    try:
        reduce(os.path.abspath(folder))
    except (OSError, AttributeError, subprocess.SubprocessError) as error:
        print(f"{folder}: the tests use PoCL as it is: {error}")


if __name__ == "__main__":
    main(*sys.argv[1:])
