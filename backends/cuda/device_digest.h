#ifndef BACKENDS_CUDA_DEVICE_DIGEST_H
#define BACKENDS_CUDA_DEVICE_DIGEST_H

#include "core/judge/device/backend.h"

/* buffer_digest() of CUDA and HIP, for buffers of whole words. */
enum status cuda_buffer_digest(struct buffer *buffer, struct digest_key key, uint64_t *digest,
                               struct error *err) MUST_CHECK;

#endif
