#ifndef BACKENDS_CUDA_NVRTC_H
#define BACKENDS_CUDA_NVRTC_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"

/*
 * NVRTC, the compiler of CUDA C++ as a library, found at run time: versions
 * 11 to 13, on the loader's path or in the toolkit ($CUDA_HOME, $CUDA_PATH,
 * /usr/local/cuda).  Functions as in "NVRTC, CUDA Runtime Compilation".
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

struct nvrtc {
    void *library;
    int major, minor;
    NVRTC_FUNCTIONS(NVRTC_MEMBER)
};

/* STATUS_UNAVAILABLE, with what to install, where it is not found. */
enum status nvrtc_open(struct nvrtc *nvrtc, struct error *err) MUST_CHECK;
void nvrtc_close(struct nvrtc *nvrtc);

/*
 * "sm_90a": what to compile for, on a device of compute capability
 * `capability` (major * 10 + minor): itself with its own features, or the
 * newest that this compiler knows, as "compute_89", for the driver to
 * translate.
 */
enum { NVRTC_ARCH_SIZE = 24 };
void nvrtc_arch(const struct nvrtc *nvrtc, int capability, char arch[NVRTC_ARCH_SIZE]);

/* The toolkit's folder of headers; NULL without one. The caller frees. */
char *nvrtc_headers(void);

#endif
