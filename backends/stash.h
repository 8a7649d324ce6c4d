#ifndef BACKENDS_STASH_H
#define BACKENDS_STASH_H

#include "core/judge/executor/wire.h"

/* Copies of some tensors' contents on the device, besides the tensors (struct executor_stash). */
struct stash {
    struct buffer **copies; /* one for each tensor; NULL without a copy */
    size_t count;
};

/* The tensors of which copies are made. Borrows everything. */
struct stash_tensors {
    const struct backend_ops *ops;
    struct device *device;
    const struct tensor_sources *sources;
    struct buffer *const *buffers;
};

/*
 * Copy tensors to the stash, or back. STATUS_UNAVAILABLE, with an empty stash, if there is no room
 * or the back end copies nothing.
 */
enum status stash_copy(struct stash *stash, const struct stash_tensors *tensors,
                       const struct executor_stash *request, struct error *err) MUST_CHECK;

/* Free the copies, poisoned: they may be expected outputs. The stash can be used again. */
void stash_release(struct stash *stash, const struct backend_ops *ops);

#endif
