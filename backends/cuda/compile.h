#ifndef BACKENDS_CUDA_COMPILE_H
#define BACKENDS_CUDA_COMPILE_H

#include "backends/cuda/nvrtc.h"
#include "core/judge/device/backend.h"

/*
 * Compile a source for an architecture ("sm_90a"), for which no device is needed.  The binary,
 * which is empty before, gets the log in any case, and the rest where NVRTC's answer is success;
 * the report gets the time.
 */
nvrtcResult compile_source(const struct nvrtc *nvrtc, const char *arch,
                           const struct program_source *source, struct binary *binary,
                           struct build_report *report);

#endif
