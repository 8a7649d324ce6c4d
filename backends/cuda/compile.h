#ifndef BACKENDS_CUDA_COMPILE_H
#define BACKENDS_CUDA_COMPILE_H

#include "backends/cuda/nvrtc.h"
#include "core/judge/device/backend.h"

/* A compiler, and what it compiles for. */
struct compile_target {
    const struct nvrtc *nvrtc;
    const char *arch; /* such as "sm_90a" */
    bool is_alone;    /* the source has one kernel: threads in the compiler would gain nothing */
};

/*
 * Compile `source`. No device is needed.
 *
 * `binary` must be empty before the call. It always receives the compiler's log, and the code if
 * the result is NVRTC_SUCCESS; `report` receives the time. The caller releases both.
 */
nvrtcResult compile_source(const struct compile_target *target, const struct program_source *source,
                           struct binary *binary, struct build_report *report);

#endif
