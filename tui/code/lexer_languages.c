#include "tui/code/lexer.h"

#include "core/base/array.h"

/* The words of each language, sorted.  A word in two lists has the role of the first list. */

/* clang-format off */
/* C17. */

static const char *const c_keywords_list[] = {
    "_Alignas", "_Alignof", "_Atomic", "_Generic", "_Noreturn", "_Static_assert", "_Thread_local",
    "__attribute__", "break", "case", "const", "continue", "default", "do", "else", "enum",
    "extern", "for", "goto", "if", "inline", "register", "restrict", "return", "sizeof", "static",
    "struct", "switch", "typedef", "union", "volatile", "while",
};
static const struct lexer_words c_keywords = {ROLE_KEYWORD, 0, c_keywords_list, COUNT(c_keywords_list)};

static const char *const c_types_list[] = {
    "FILE", "_Bool", "_Complex", "bool", "char", "double", "float", "int", "int16_t", "int32_t",
    "int64_t", "int8_t", "intptr_t", "long", "ptrdiff_t", "short", "signed", "size_t", "ssize_t",
    "uint16_t", "uint32_t", "uint64_t", "uint8_t", "uintptr_t", "unsigned", "void",
};
static const struct lexer_words c_types = {ROLE_TYPE, 0, c_types_list, COUNT(c_types_list)};

static const char *const c_builtins_list[] = {
    "NULL", "abs", "acos", "acosf", "acosh", "asin", "asinf", "asinh", "assert", "atan", "atan2",
    "atanf", "atanh", "calloc", "cbrt", "ceil", "ceilf", "copysign", "cos", "cosf", "cosh", "erf",
    "erfc", "exp", "exp2", "exp2f", "expf", "expm1", "fabs", "fabsf", "fdim", "floor", "floorf",
    "fma", "fmaf", "fmax", "fmaxf", "fmin", "fminf", "fmod", "fmodf", "free", "frexp", "hypot",
    "ilogb", "isfinite", "isinf", "isnan", "ldexp", "log", "log10", "log1p", "log2", "log2f",
    "logb", "logf", "malloc", "max", "memcpy", "memmove", "memset", "min", "nan", "nextafter",
    "pow", "powf", "printf", "realloc", "remainder", "rint", "rintf", "round", "roundf", "sin",
    "sinf", "sinh", "sqrt", "sqrtf", "tan", "tanf", "tanh", "tanhf", "tgamma", "trunc", "truncf",
};
static const struct lexer_words c_builtins = {ROLE_BUILTIN, 0, c_builtins_list, COUNT(c_builtins_list)};

/* The OpenCL C Specification 3.0. */

static const char *const opencl_keywords_list[] = {
    "__constant", "__global", "__kernel", "__local", "__private", "__read_only", "__read_write",
    "__write_only", "constant", "global", "kernel", "local", "pipe", "private", "read_only",
    "read_write", "uniform", "write_only",
};
static const struct lexer_words opencl_keywords = {ROLE_KEYWORD, 0, opencl_keywords_list, COUNT(opencl_keywords_list)};

static const char *const opencl_types_list[] = {
    "bool", "char", "double", "event_t", "float", "half", "image1d_t", "image2d_t", "image3d_t",
    "int", "int16_t", "int32_t", "int64_t", "int8_t", "long", "ptrdiff_t", "sampler_t", "short",
    "signed", "size_t", "uchar", "uint", "uint16_t", "uint32_t", "uint64_t", "uint8_t", "ulong",
    "unsigned", "ushort", "void",
};
static const struct lexer_words opencl_types = {ROLE_TYPE, LEXER_VECTORS, opencl_types_list, COUNT(opencl_types_list)};

static const char *const opencl_builtins_list[] = {
    "abs", "acos", "acosh", "add_sat", "asin", "asinh", "atan", "atan2", "atanh", "barrier",
    "cbrt", "ceil", "clamp", "clz", "copysign", "cos", "cosh", "cross", "ctz", "degrees",
    "distance", "dot", "erf", "erfc", "exp", "exp10", "exp2", "expm1", "fabs", "fdim", "floor",
    "fma", "fmax", "fmin", "fmod", "frexp", "hadd", "hypot", "ilogb", "isfinite", "isinf", "isnan",
    "ldexp", "length", "log", "log10", "log1p", "log2", "logb", "mad", "mad24", "mad_hi",
    "mad_sat", "max", "mem_fence", "min", "mix", "mul24", "mul_hi", "nan", "nextafter",
    "normalize", "popcount", "pow", "powr", "prefetch", "printf", "radians", "remainder", "rint",
    "rootn", "rotate", "round", "rsqrt", "select", "sign", "sin", "sinh", "smoothstep", "sqrt",
    "step", "sub_sat", "tan", "tanh", "tgamma", "trunc", "upsample",
};
static const struct lexer_words opencl_builtins = {ROLE_BUILTIN, 0, opencl_builtins_list, COUNT(opencl_builtins_list)};

static const char *const opencl_families_list[] = {
    "CLK_", "as_", "async_work_group_", "atom_", "atomic_", "convert_", "get_", "half_", "native_",
    "read_image", "sub_group_", "vload", "vstore", "work_group_", "write_image",
};
static const struct lexer_words opencl_families = {ROLE_BUILTIN, LEXER_PREFIXES, opencl_families_list, COUNT(opencl_families_list)};

/* C++20, for CUDA and Metal. */

static const char *const cpp_keywords_list[] = {
    "alignas", "alignof", "asm", "auto", "catch", "class", "co_await", "co_return", "co_yield",
    "concept", "const_cast", "consteval", "constexpr", "decltype", "delete", "dynamic_cast",
    "explicit", "export", "false", "final", "friend", "mutable", "namespace", "new", "noexcept",
    "nullptr", "operator", "override", "private", "protected", "public", "reinterpret_cast",
    "requires", "static_assert", "static_cast", "template", "this", "throw", "true", "try",
    "typeid", "typename", "using", "virtual",
};
static const struct lexer_words cpp_keywords = {ROLE_KEYWORD, 0, cpp_keywords_list, COUNT(cpp_keywords_list)};

/* CUDA C++ Programming Guide, "C++ Language Extensions". */

static const char *const cuda_keywords_list[] = {
    "__align__", "__cluster_dims__", "__constant__", "__device__", "__forceinline__", "__global__",
    "__grid_constant__", "__host__", "__launch_bounds__", "__managed__", "__noinline__",
    "__restrict__", "__shared__",
};
static const struct lexer_words cuda_keywords = {ROLE_KEYWORD, 0, cuda_keywords_list, COUNT(cuda_keywords_list)};

static const char *const cuda_types_list[] = {
    "CUtensorMap", "__half", "__half2", "__nv_bfloat16", "__nv_bfloat162", "__nv_fp8_e4m3",
    "__nv_fp8_e5m2", "bool", "char", "cudaStream_t", "dim3", "double", "float", "half", "half2",
    "int", "int16_t", "int32_t", "int64_t", "int8_t", "long", "nv_bfloat16", "nv_bfloat162",
    "ptrdiff_t", "short", "signed", "size_t", "uchar", "uint", "uint16_t", "uint32_t", "uint64_t",
    "uint8_t", "ulong", "unsigned", "ushort", "void", "wchar_t",
};
static const struct lexer_words cuda_types = {ROLE_TYPE, LEXER_VECTORS, cuda_types_list, COUNT(cuda_types_list)};

static const char *const cuda_builtins_list[] = {
    "NULL", "__sincosf", "abs", "acos", "acosf", "acosh", "asin", "asinf", "asinh", "assert",
    "atan", "atan2", "atanf", "atanh", "blockDim", "blockIdx", "calloc", "cbrt", "ceil", "ceilf",
    "clusterDim", "copysign", "cos", "cosf", "cosh", "erf", "erfc", "erfcf", "erff", "exp", "exp2",
    "exp2f", "expf", "expm1", "fabs", "fabsf", "fdim", "floor", "floorf", "fma", "fmaf", "fmax",
    "fmaxf", "fmin", "fminf", "fmod", "fmodf", "free", "frexp", "gridDim", "hypot", "ilogb",
    "isfinite", "isinf", "isnan", "ldexp", "log", "log10", "log1p", "log2", "log2f", "logb",
    "logf", "malloc", "max", "memcpy", "memmove", "memset", "min", "nan", "nextafter", "pow",
    "powf", "printf", "rcbrt", "realloc", "remainder", "rint", "rintf", "round", "roundf", "rsqrt",
    "rsqrtf", "sin", "sinf", "sinh", "sqrt", "sqrtf", "tan", "tanf", "tanh", "tanhf", "tgamma",
    "threadIdx", "trunc", "truncf", "warpSize",
};
static const struct lexer_words cuda_builtins = {ROLE_BUILTIN, 0, cuda_builtins_list, COUNT(cuda_builtins_list)};

static const char *const cuda_families_list[] = {
    "__activemask", "__all", "__any", "__ballot", "__bfloat", "__brev", "__clz", "__cvta_", "__d",
    "__expf", "__f", "__fdividef", "__ffs", "__float", "__hadd", "__half2", "__hfma", "__high",
    "__hmul", "__int", "__ldc", "__ldg", "__logf", "__low", "__nanosleep", "__pipeline_", "__popc",
    "__prof_", "__reduce_", "__shfl_", "__stc", "__syncthreads", "__syncwarp", "__threadfence",
    "atomic", "cooperative_groups", "cuda_", "make_", "mma_", "nvcuda", "surf", "tex", "wmma",
};
static const struct lexer_words cuda_families = {ROLE_BUILTIN, LEXER_PREFIXES, cuda_families_list, COUNT(cuda_families_list)};

/* Metal Shading Language Specification 3. */

static const char *const metal_keywords_list[] = {
    "constant", "device", "fragment", "kernel", "mesh", "object", "ray_data", "thread",
    "threadgroup", "threadgroup_imageblock", "vertex", "visible",
};
static const struct lexer_words metal_keywords = {ROLE_KEYWORD, 0, metal_keywords_list, COUNT(metal_keywords_list)};

static const char *const metal_types_list[] = {
    "atomic_float", "atomic_int", "atomic_uint", "bfloat", "bool", "char", "double", "float",
    "half", "int", "int16_t", "int32_t", "int64_t", "int8_t", "long", "metal", "packed_float",
    "packed_half", "ptrdiff_t", "sampler", "short", "signed", "simdgroup_bfloat8x8",
    "simdgroup_float8x8", "simdgroup_half8x8", "size_t", "texture2d", "uchar", "uint", "uint16_t",
    "uint32_t", "uint64_t", "uint8_t", "ulong", "unsigned", "ushort", "void",
};
static const struct lexer_words metal_types = {ROLE_TYPE, LEXER_VECTORS, metal_types_list, COUNT(metal_types_list)};

static const char *const metal_builtins_list[] = {
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "buffer", "cbrt", "ceil",
    "clamp", "copysign", "cos", "cosh", "cross", "distance", "dot", "erf", "erfc", "exp", "exp10",
    "exp2", "expm1", "fabs", "fast", "fdim", "floor", "fma", "fmax", "fmin", "fmod", "fract",
    "frexp", "function_constant", "hypot", "ilogb", "isfinite", "isinf", "isnan", "ldexp",
    "length", "log", "log10", "log1p", "log2", "logb", "max", "min", "mix", "nan", "nextafter",
    "normalize", "popcount", "pow", "powr", "precise", "printf", "remainder", "rint", "round",
    "rsqrt", "saturate", "select", "sign", "simdgroup_index_in_threadgroup", "sin", "sincos",
    "sinh", "smoothstep", "sqrt", "step", "tan", "tanh", "texture", "tgamma",
    "thread_index_in_simdgroup", "thread_index_in_threadgroup", "thread_position_in_grid",
    "thread_position_in_threadgroup", "threadgroup_position_in_grid", "threadgroups_per_grid",
    "threads_per_grid", "threads_per_simdgroup", "threads_per_threadgroup", "trunc",
};
static const struct lexer_words metal_builtins = {ROLE_BUILTIN, 0, metal_builtins_list, COUNT(metal_builtins_list)};

static const char *const metal_families_list[] = {
    "as_type", "atomic_", "make_filled_", "mem_", "memory_order_", "metal_", "quad_", "simd_",
    "simdgroup_", "threadgroup_",
};
static const struct lexer_words metal_families = {ROLE_BUILTIN, LEXER_PREFIXES, metal_families_list, COUNT(metal_families_list)};

/* Python 3, with names of Triton and the CuTe DSL. */

static const char *const python_keywords_list[] = {
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "match", "nonlocal", "not", "or", "pass", "raise", "return", "try",
    "while", "with", "yield",
};
static const struct lexer_words python_keywords = {ROLE_KEYWORD, 0, python_keywords_list, COUNT(python_keywords_list)};

static const char *const python_types_list[] = {
    "Tensor", "bool", "bytes", "constexpr", "dict", "float", "int", "list", "object", "set", "str",
    "tuple",
};
static const struct lexer_words python_types = {ROLE_TYPE, 0, python_types_list, COUNT(python_types_list)};

static const char *const python_builtins_list[] = {
    "F", "abs", "all", "any", "cute", "cutlass", "enumerate", "filter", "getattr", "isinstance",
    "len", "map", "max", "min", "next", "nn", "np", "numpy", "open", "print", "range", "reversed",
    "round", "self", "sorted", "sum", "super", "tl", "torch", "triton", "type", "zip",
};
static const struct lexer_words python_builtins = {ROLE_BUILTIN, 0, python_builtins_list, COUNT(python_builtins_list)};

/* Parallel Thread Execution ISA 8: instructions.  Their modifiers begin with a dot. */

static const char *const ptx_keywords_list[] = {
    "abs", "activemask", "add", "addc", "and", "applypriority", "atom", "bar", "barrier", "bfe",
    "bfi", "bmsk", "bra", "brev", "brkpt", "brx", "call", "clz", "cnot", "copysign", "cos", "cp",
    "createpolicy", "cvt", "cvta", "discard", "div", "dp2a", "dp4a", "elect", "ex2", "exit",
    "fence", "fma", "fns", "griddepcontrol", "isspacep", "istypep", "ld", "ldmatrix", "ldu", "lg2",
    "lop3", "mad", "mad24", "madc", "mapa", "match", "max", "mbarrier", "membar", "min", "mma",
    "mov", "movmatrix", "mul", "mul24", "multimem", "nanosleep", "neg", "not", "or", "pmevent",
    "popc", "prefetch", "prefetchu", "prmt", "rcp", "red", "redux", "rem", "ret", "rsqrt", "sad",
    "selp", "set", "setmaxnreg", "setp", "shf", "shfl", "shl", "shr", "sin", "slct", "sqrt", "st",
    "stmatrix", "sub", "subc", "suld", "suq", "sured", "sust", "szext", "tanh", "tcgen05",
    "tensormap", "testp", "tex", "tld4", "trap", "txq", "vote", "wgmma", "wmma", "xor",
};
static const struct lexer_words ptx_keywords = {ROLE_KEYWORD, 0, ptx_keywords_list, COUNT(ptx_keywords_list)};

#define C_COMMENTS                                                                        \
    {"/*", "*/", ROLE_COMMENT, LEXER_LONG}, {"//", NULL, ROLE_COMMENT, LEXER_CONTINUES}
#define C_SPANS                                                                           \
    C_COMMENTS, {"#", NULL, ROLE_DIRECTIVE, LEXER_FIRST | LEXER_COMMENTS | LEXER_CONTINUES}, \
    {"\"", "\"", ROLE_STRING, LEXER_ESCAPES | LEXER_CONTINUES},                             \
    {"'", "'", ROLE_STRING, LEXER_ESCAPES}

const struct lexer_language lexer_languages[] = {
    {.name = "c",
     .openers = "/#\"'",
     .spans = {C_SPANS},
     .words = {&c_keywords, &c_types, &c_builtins}},
    {.name = "c++",
     .openers = "/#\"'R",
     .spans = {C_SPANS, {"R\"(", ")\"", ROLE_STRING, LEXER_LONG}},
     .words = {&c_keywords, &cpp_keywords, &c_types, &c_builtins}},
    {.name = "opencl-c",
     .openers = "/#\"'",
     .spans = {C_SPANS},
     .words = {&c_keywords, &opencl_keywords, &opencl_types, &opencl_builtins, &opencl_families}},
    {.name = "cuda-c++",
     .openers = "/#\"'R",
     .spans = {C_SPANS, {"R\"(", ")\"", ROLE_STRING, LEXER_LONG}},
     .words = {&c_keywords, &cpp_keywords, &cuda_keywords, &cuda_types, &cuda_builtins, &cuda_families}},
    {.name = "metal",
     .openers = "/#\"'R",
     .spans = {C_SPANS, {"R\"(", ")\"", ROLE_STRING, LEXER_LONG}},
     .words = {&c_keywords, &cpp_keywords, &metal_keywords, &metal_types, &metal_builtins, &metal_families}},
    {.name = "python",
     .openers = "#\"'",
     .spans = {{"#", NULL, ROLE_COMMENT, 0},
               {"\"\"\"", "\"\"\"", ROLE_STRING, LEXER_ESCAPES | LEXER_LONG},
               {"'''", "'''", ROLE_STRING, LEXER_ESCAPES | LEXER_LONG},
               {"\"", "\"", ROLE_STRING, LEXER_ESCAPES | LEXER_CONTINUES},
               {"'", "'", ROLE_STRING, LEXER_ESCAPES | LEXER_CONTINUES}},
     .words = {&python_keywords, &python_types, &python_builtins},
     .sigils = {{'@', ROLE_DIRECTIVE}}},
    {.name = "ptx",
     .openers = "/#\"",
     .spans = {C_COMMENTS, {"\"", "\"", ROLE_STRING, 0}},
     .words = {&ptx_keywords},
     .sigils = {{'.', ROLE_TYPE}, {'%', ROLE_BUILTIN}, {'$', ROLE_DIRECTIVE}}},
    {0},
};
/* clang-format on */
