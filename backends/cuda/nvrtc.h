#ifndef BACKENDS_CUDA_NVRTC_H
#define BACKENDS_CUDA_NVRTC_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"

/*
 * The compiler of a platform as a library, opened at run time from the loader's path or from a
 * toolkit. NVRTC, versions 11 to 13, compiles CUDA C++; the functions are those of the manual
 * "NVRTC, CUDA Runtime Compilation". hiprtc has the same functions under other names, except those
 * for architectures and PTX, which are NULL.
 */

typedef int nvrtcResult;
typedef struct nvrtc_program *nvrtcProgram;

enum { NVRTC_SUCCESS = 0, NVRTC_ERROR_INVALID_OPTION = 5, NVRTC_ERROR_COMPILATION = 6 };

#define NVRTC_FUNCTIONS(X)                                                             \
    X(nvrtcResult, nvrtcVersion, (int *major, int *minor))                             \
    X(nvrtcResult, nvrtcGetNumSupportedArchs, (int *count))                            \
    X(nvrtcResult, nvrtcGetSupportedArchs, (int *archs))                               \
    X(nvrtcResult, nvrtcCreateProgram,                                                 \
      (nvrtcProgram * program, const char *source, const char *name, int header_count, \
       const char *const *headers, const char *const *include_names))                  \
    X(nvrtcResult, nvrtcDestroyProgram, (nvrtcProgram * program))                      \
    X(nvrtcResult, nvrtcCompileProgram,                                                \
      (nvrtcProgram program, int option_count, const char *const *options))            \
    X(nvrtcResult, nvrtcGetProgramLogSize, (nvrtcProgram program, size_t * size))      \
    X(nvrtcResult, nvrtcGetProgramLog, (nvrtcProgram program, char *log))              \
    X(nvrtcResult, nvrtcGetCUBINSize, (nvrtcProgram program, size_t * size))           \
    X(nvrtcResult, nvrtcGetCUBIN, (nvrtcProgram program, char *cubin))                 \
    X(nvrtcResult, nvrtcGetPTXSize, (nvrtcProgram program, size_t * size))             \
    X(nvrtcResult, nvrtcGetPTX, (nvrtcProgram program, char *ptx))                     \
    X(const char *, nvrtcGetErrorString, (nvrtcResult result))

/* NOLINTNEXTLINE(bugprone-macro-parentheses): these are a type, a name and parameters */
#define NVRTC_MEMBER(type, name, arguments) type(*name) arguments;

struct gpu_platform;

struct nvrtc {
    const struct gpu_platform *platform;
    void *library;
    int major, minor;
    NVRTC_FUNCTIONS(NVRTC_MEMBER)
};

/* Open the library.  STATUS_UNAVAILABLE if there is none; the error says what to install. */
enum status nvrtc_open(const struct gpu_platform *platform, struct nvrtc *nvrtc,
                       struct error *err) MUST_CHECK;
void nvrtc_close(struct nvrtc *nvrtc);

/*
 * NVRTC's architecture to compile for, on a device of compute capability `capability` (10 * major +
 * minor): the device's own with its specific features, such as "sm_90a", or if this compiler is
 * older than the device, the newest virtual one that it knows, such as "compute_89", whose PTX the
 * driver translates.
 */
enum { NVRTC_ARCH_SIZE = 64 };
void nvrtc_arch(const struct nvrtc *nvrtc, int capability, char arch[NVRTC_ARCH_SIZE]);

/* The toolkit's folder of headers; NULL if there is none.  The caller frees it. */
char *nvrtc_headers(const struct gpu_platform *platform);

#endif
