#ifndef BACKENDS_TRITON_TRITON_H
#define BACKENDS_TRITON_TRITON_H

#include "core/judge/device/backend.h"

/*
 * Triton's interpreter as a device, triton:interpreter. It runs kernels in Python, program by
 * program, and verifies them where no GPU is; it gives no times. Its buffers are memory of this
 * process, which travels to the interpreter and back with each run (interpreter.h).
 */
extern const struct backend_ops triton_backend;

#endif
