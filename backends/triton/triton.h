#ifndef BACKENDS_TRITON_TRITON_H
#define BACKENDS_TRITON_TRITON_H

#include "core/judge/device/backend.h"

/*
 * Triton's interpreter as a device, triton:interpreter. It runs a kernel's programs in Python, one
 * after the other, so kernels can be verified without a GPU; it gives no times. Its buffers are
 * memory of this process, which each run sends to the interpreter and back (interpreter.h).
 */
extern const struct backend_ops triton_backend;

#endif
