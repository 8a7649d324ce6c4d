#ifndef BACKENDS_GIVEN_COPIES_H
#define BACKENDS_GIVEN_COPIES_H

#include "core/judge/device/backend.h"

/*
 * Copies on the device of contents that a PyTorch file has made (FILL_MODEL), such as weights: the
 * host hands over each set once, and later runs copy it there. Whether a run has changed a tensor
 * is told by a digest with a secret key, which was made of what the host handed over. So a
 * candidate that writes to a copy is found like one that writes to the tensor.
 */
struct given_copies {
    struct given_copy {
        struct buffer *buffer; /* NULL: there is none */
        struct digest_key key;
        uint64_t digest;
        bool has_digest;
    } * sets;
    size_t count;
};

/* A tensor's buffer. Borrows everything. */
struct given_place {
    const struct backend_ops *ops;
    struct device *device;
    struct buffer *buffer;
};

/* Fill the buffer like buffer_fill(), from a copy if there is one. Makes one if there is room. */
enum status given_copies_fill(struct given_copies *copies, const struct given_place *place,
                              const struct contents *contents, struct error *err) MUST_CHECK;

/* Answers like buffer_holds(). STATUS_UNAVAILABLE if there is no digest of these contents. */
enum status given_copies_hold(struct given_copies *copies, const struct given_place *place,
                              const struct contents *contents, bool *holds,
                              struct error *err) MUST_CHECK;

/* Free the copies. They can be made again. */
void given_copies_release(struct given_copies *copies, const struct backend_ops *ops);

#endif
