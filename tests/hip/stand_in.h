#ifndef TESTS_HIP_STAND_IN_H
#define TESTS_HIP_STAND_IN_H

#include <stddef.h>

/*
 * A stand-in for libamdhip64.so.5 that runs on NVIDIA's GPUs: it hands the calls of HIP's driver to
 * CUDA's and those of hiprtc to NVRTC, so that the whole back end for HIP runs without an AMD GPU.
 * Link it into a folder of LD_LIBRARY_PATH.
 */

/* A function of CUDA's driver; NULL without a driver. */
void *stand_in_driver(const char *name);

/* A code object of AMD's format around CUDA's code, and the code in it. */
struct stand_in_object {
    char *data; /* allocated */
    size_t bytes;
};

/*
 * Describe the kernels that `ptx` declares, and keep `code`, of `bytes` bytes. Which 64-bit
 * parameters are pointers is found in the source, because PTX does not say it.
 */
struct stand_in_object stand_in_wrap(const char *source, const char *ptx, const void *code,
                                     size_t bytes);
const void *stand_in_code(const void *object);

#endif
