/* hiprtc by NVRTC. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/hip/stand_in.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* What a kernel in HIP finds without an include, and CUDA C++ lacks. */
static const char prelude[] =
    "#define __HIP__ 1\n"
    "#define __shfl_xor(x, mask) __shfl_xor_sync(~0u, x, mask)\n"
    "struct __half { unsigned short bits; };\n"
    "__device__ inline unsigned short __half_as_ushort(__half h) { return h.bits; }\n"
    "__device__ inline __half __ushort_as_half(unsigned short bits) { return __half{bits}; }\n"
    "__device__ inline __half __float2half_rn(float x)\n"
    "{ __half h; asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(h.bits) : \"f\"(x)); return h; }\n"
    "__device__ inline float __half2float(__half h)\n"
    "{ float x; asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(x) : \"h\"(h.bits)); return x; }\n"
    "#line 1 \"kernel.hip\"\n";

struct program {
    void *nvrtc;
    char *source;
    struct stand_in_object made;
};

static void *compiler(const char *name)
{
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                        "/usr/local/cuda/lib64/libnvrtc.so",
                                        "/usr/local/cuda/lib64/libnvrtc.so.12"};
    static void *library;
    void *function;

    for (size_t i = 0; !library && i < sizeof(names) / sizeof(*names); i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    function = library ? dlsym(library, name) : NULL;
    if (!function) {
        fprintf(stderr, "the stand-in for libamdhip64 finds no %s in libnvrtc\n", name);
        abort();
    }
    return function;
}

/* Declare `variable`, the function of NVRTC called `name`. */
#define FUNCTION(variable, name, ...)        \
    int (*variable)(__VA_ARGS__);            \
    void *found_##variable = compiler(name); \
    memcpy(&variable, &found_##variable, sizeof(variable))

int hiprtcVersion(int *major, int *minor)
{
    FUNCTION(version, "nvrtcVersion", int *, int *);
    return version(major, minor);
}

const char *hiprtcGetErrorString(int code)
{
    const char *(*text)(int);
    void *found = compiler("nvrtcGetErrorString");

    memcpy(&text, &found, sizeof(text));
    return text(code);
}

int hiprtcCreateProgram(struct program **program, const char *source, const char *name, int count,
                        const char *const *headers, const char *const *names)
{
    FUNCTION(create, "nvrtcCreateProgram", void **, const char *, const char *, int,
             const char *const *, const char *const *);
    size_t bytes = strlen(prelude) + strlen(source) + 1;
    char *text = malloc(bytes);
    int code;

    if (!text)
        return 1;
    *program = calloc(1, sizeof(**program));
    snprintf(text, bytes, "%s%s", prelude, source);
    code = create(&(*program)->nvrtc, text, name, count, headers, names);
    (*program)->source = text;
    return code;
}

int hiprtcDestroyProgram(struct program **program)
{
    FUNCTION(destroy, "nvrtcDestroyProgram", void **);
    int code = destroy(&(*program)->nvrtc);

    free((*program)->source);
    free((*program)->made.data);
    free(*program);
    *program = NULL;
    return code;
}

/* Clang's options that NVRTC has under another name, or not at all (""). */
static const char *translate(const char *option)
{
    static const char *const left_out[] = {"--gpu-arch", "--offload-arch", "-O", "-W",
                                           "-m",         "-ffp-contract"};

    if (strcmp(option, "-ffast-math") == 0)
        return "--use_fast_math";
    for (size_t i = 0; i < sizeof(left_out) / sizeof(*left_out); i++)
        if (strncmp(option, left_out[i], strlen(left_out[i])) == 0)
            return "";
    return option;
}

/* The compute capability of the first device; Hopper's without a driver. */
static int capability(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    void *found = library ? dlsym(library, "cuDeviceGetAttribute") : NULL;
    int (*ask)(int *, int, int), major = 0, minor = 0;

    memcpy(&ask, &found, sizeof(ask));
    if (!found || ask(&major, 75, 0) || ask(&minor, 76, 0))
        return 90;
    return 10 * major + minor;
}

static int keep(struct program *program)
{
    FUNCTION(ask_ptx_size, "nvrtcGetPTXSize", void *, size_t *);
    FUNCTION(ask_ptx, "nvrtcGetPTX", void *, char *);
    FUNCTION(ask_code_size, "nvrtcGetCUBINSize", void *, size_t *);
    FUNCTION(ask_code, "nvrtcGetCUBIN", void *, char *);
    size_t ptx_bytes = 0, code_bytes = 0;
    char *ptx, *code;

    if (ask_ptx_size(program->nvrtc, &ptx_bytes) || ask_code_size(program->nvrtc, &code_bytes))
        return 1;
    ptx = calloc(ptx_bytes + 1, 1);
    code = calloc(code_bytes + 1, 1);
    if (!ask_ptx(program->nvrtc, ptx) && !ask_code(program->nvrtc, code))
        program->made = stand_in_wrap(program->source, ptx, code, code_bytes);
    free(ptx);
    free(code);
    return program->made.data ? 0 : 1;
}

int hiprtcCompileProgram(struct program *program, int count, const char *const *options)
{
    FUNCTION(compile, "nvrtcCompileProgram", void *, int, const char *const *);
    const char *words[64] = {"--device-as-default-execution-space"};
    char arch[40];
    int used = 1, code;

    snprintf(arch, sizeof(arch), "--gpu-architecture=sm_%d", capability());
    words[used++] = arch;
    for (int i = 0; i < count && used < 64; i++)
        if (*translate(options[i]))
            words[used++] = translate(options[i]);
    code = compile(program->nvrtc, used, words);
    return code ? code : keep(program);
}

int hiprtcGetProgramLogSize(struct program *program, size_t *bytes)
{
    FUNCTION(ask, "nvrtcGetProgramLogSize", void *, size_t *);
    return ask(program->nvrtc, bytes);
}

int hiprtcGetProgramLog(struct program *program, char *log)
{
    FUNCTION(ask, "nvrtcGetProgramLog", void *, char *);
    return ask(program->nvrtc, log);
}

int hiprtcGetCodeSize(struct program *program, size_t *bytes)
{
    *bytes = program->made.bytes;
    return 0;
}

int hiprtcGetCode(struct program *program, char *code)
{
    memcpy(code, program->made.data, program->made.bytes);
    return 0;
}
