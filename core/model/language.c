#include "core/model/language.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"

const struct language languages[] = {
    {
        .name = "opencl",
        .title = "OpenCL C",
        .device = "opencl",
        .source_file = "kernel.cl",
        .syntax = "opencl-c",
        .dialect = DIALECT_OPENCL,
        .fences = {"opencl", "opencl-c", "cl", "c"},
        .options = {"-cl-"},
        .clang_options = {"-xcl", "-cl-std=CL3.0", "-Xclang", "-cl-ext=+all"},
        .options_help = "-cl-...",
        .environment = {"OCL_ICD_", "OPENCL_", "POCL_"},
        .selectors = {"POCL_DEVICES", "OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH"},
        .sanitizer = "oclgrind",
        .driver_sizes_groups = true,
        .shares_groups = true,
        .runs_in_c = true,
    },
    {
        .name = "cuda",
        .title = "CUDA C++",
        .device = "cuda",
        .source_file = "kernel.cu",
        .syntax = "cuda-c++",
        .dialect = DIALECT_CUDA,
        .fences = {"cuda", "cu", "c++", "cpp"},
        /* These options of NVRTC affect only the generated code. */
        .options = {"--use_fast_math", "--fmad=", "--ftz=", "--prec-div=", "--prec-sqrt=",
                    "--maxrregcount=", "--std=c++"},
        .clang_options = {"-xcuda", "-std=c++17", "--cuda-device-only", "--cuda-gpu-arch=sm_80",
                          "-nocudainc", "-nocudalib", "-Wno-unknown-cuda-version"},
        .clang_headers = "prompts/platforms/cuda/editor",
        .options_help = "NVRTC's --use_fast_math, --fmad, --ftz, --prec-div, --prec-sqrt, "
                        "--maxrregcount, --std",
        .environment = {"CUDA_", "NVIDIA_", "NVRTC_"},
        .selectors = {"CUDA_VISIBLE_DEVICES"},
        .sanitizer = "compute-sanitizer",
        .lacks_headers = true,
        .has_nvidia_tools = true,
        .runs_in_c = true,
        .runs_in_torch = true,
        .names_buffers = true,
    },
    {
        .name = "hip",
        .title = "HIP C++",
        .device = "hip",
        .source_file = "kernel.hip",
        .syntax = "cuda-c++",
        .dialect = DIALECT_HIP,
        .fences = {"hip", "hip-c++"},
        /* These options of clang affect only the generated code. */
        .options = {"-O", "-ffast-math", "-ffp-contract=", "-munsafe-fp-atomics", "-mcumode",
                    "-mno-cumode", "-mwavefrontsize64", "-mno-wavefrontsize64"},
        .clang_options = {"-xhip", "-std=c++17", "--cuda-device-only", "--cuda-gpu-arch=gfx90a",
                          "-nogpuinc", "-nogpulib"},
        .clang_headers = "prompts/platforms/cuda/editor",
        .options_help = "hiprtc's -munsafe-fp-atomics, -m[no-]cumode, -m[no-]wavefrontsize64",
        .caveat = "not tried on an AMD GPU: tests compile HIP and run it on NVIDIA GPUs",
        .environment = {"HIP_", "ROCR_", "ROCM_", "HSA_", "AMD_"},
        .selectors = {"HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"},
        .names_buffers = true,
    },
    {
        .name = "triton",
        .title = "Triton",
        .device = "triton",
        .source_file = "kernel.py",
        .syntax = "python",
        .fences = {"triton", "python", "py"},
        .compiler = "backends/python/compiler.py",
        .has_programs = true,
        .environment = {"TRITON_"},
        .has_nvidia_tools = true,
        .runs_in_torch = true,
    },
    {
        .name = "cute",
        .title = "CuTe DSL",
        .source_file = "kernel.py",
        .syntax = "python",
        .fences = {"cute", "cute-dsl", "python", "py"},
        .compiler = "backends/python/compiler.py",
        .has_programs = true,
        .environment = {"CUTE_DSL_"},
        .has_nvidia_tools = true,
        .runs_in_torch = true,
    },
    {
        .name = "c",
        .title = "C",
        .device = "host",
        .source_file = "kernel.c",
        .syntax = "c",
        .dialect = DIALECT_C,
        .fences = {"c", "c17", "c11"},
        /* These options of gcc and clang affect only the generated code. */
        .options = {"-O", "-ffast-math", "-ffinite-math-only", "-fassociative-math",
                    "-freciprocal-math", "-fno-signed-zeros", "-ffp-contract=", "-funroll-loops",
                    "-mprefer-vector-width="},
        .clang_options = {"-xc", "-std=gnu17", "-march=native", "-fopenmp"},
        .options_help = "gcc's -O..., -ffast-math and its parts, -ffp-contract, -funroll-loops, "
                        "-mprefer-vector-width",
        .sanitizer = "gcc",
        .has_counters = true,
        .runs_in_c = true,
        .environment = {"KFORGE_CC", "KFORGE_CXX"},
        .selectors = {"KFORGE_CC"},
    },
    {
        .name = "cpp",
        .title = "C++",
        .source_file = "kernel.cpp",
        .syntax = "c++",
        .fences = {"cpp", "c++", "cxx", "c++17"},
        .clang_options = {"-xc++", "-std=gnu++17", "-march=native", "-fopenmp", "-fno-exceptions",
                          "-fno-rtti"},
    },
    {
        .name = "sycl",
        .title = "SYCL",
        .source_file = "kernel.sycl.cpp",
        .syntax = "c++",
        .fences = {"sycl", "sycl-c++", "cpp", "c++"},
        .clang_options = {"-xc++", "-std=c++17", "-fopenmp"},
        .environment = {"KFORGE_SYCL", "ACPP_", "ONEAPI_DEVICE_SELECTOR"},
        .has_runtime = true,
    },
    {0},
};

const struct language *language_of(const char *name)
{
    static const struct language unknown = {
        .title = "an unknown language", .source_file = "kernel.txt", .syntax = "c"};

    for (const struct language *language = languages; name && language->name; language++)
        if (strcmp(language->name, name) == 0)
            return language;
    return &unknown;
}

const char *language_title(const char *name)
{
    const struct language *language = language_of(name);

    return language->name ? language->title : name;
}

const struct language *language_of_device(const char *id)
{
    size_t len = strcspn(id, ":");

    for (const struct language *language = languages; len && language->name; language++)
        if (language->device && strlen(language->device) == len &&
            memcmp(language->device, id, len) == 0)
            return language;
    return NULL;
}

enum status language_refuse(const char *name, struct error *err)
{
    struct strbuf names = {0};

    for (const struct language *language = languages; language->name; language++)
        strbuf_add_item(&names, language->name);
    error_set(err, STATUS_INVALID, "no language \"%s\": expected one of %s", name,
              strbuf_cstr(&names));
    strbuf_release(&names);
    return STATUS_INVALID;
}

/* The length of the ending of a language's files if `path` has it; 0 if not. */
static size_t ending_of(const struct language *language, const char *path)
{
    const char *ending = strchr(language->source_file, '.');
    size_t len = strlen(ending), path_len = strlen(path);

    return path_len > len && strcmp(path + path_len - len, ending) == 0 ? len : 0;
}

const struct language *language_of_file(const char *path)
{
    const struct language *found = NULL;

    for (const struct language *language = languages; language->name; language++)
        if (ending_of(language, path) > (found ? ending_of(found, path) : 0))
            found = language;
    return found;
}

static bool begins_with_any(const char *text, const char *const *beginnings)
{
    for (; *beginnings; beginnings++)
        if (text_begins(text, *beginnings))
            return true;
    return false;
}

bool language_allows_option(const char *option)
{
    for (const struct language *language = languages; language->name; language++)
        if (begins_with_any(option, language->options))
            return true;
    return false;
}

void language_list_options(struct strbuf *out)
{
    for (const struct language *language = languages; language->name; language++)
        if (language->options_help)
            strbuf_add_item(out, language->options_help);
}

void language_list_dialects(struct strbuf *out)
{
    size_t count = 0, index = 0;

    for (const struct language *language = languages; language->name; language++)
        count += language->dialect != DIALECT_NONE;
    for (const struct language *language = languages; language->name; language++)
        if (language->dialect)
            strbuf_add_listed(out, language->title, index++, count);
}

static void add_selectors(const struct language *language, struct strbuf *out)
{
    for (const char *const *name = language->selectors; *name; name++) {
        const char *value = getenv(*name);

        if (value)
            strbuf_addf(out, "%s%s=\"%.80s\"", out->len ? " and " : "", *name, value);
    }
}

void language_list_selectors(const char *name, struct strbuf *out)
{
    for (const struct language *language = languages; language->name; language++)
        if (!name || strcmp(language->name, name) == 0)
            add_selectors(language, out);
}

bool language_reads_variable(const char *variable)
{
    for (const struct language *language = languages; language->name; language++)
        if (begins_with_any(variable, language->environment))
            return true;
    return false;
}
