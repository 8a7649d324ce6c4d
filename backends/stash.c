#include "backends/stash.h"

#include <stdlib.h>

#include "core/base/mem.h"

/* Words are NaN in f32, f64, f16 and bf16. No candidate sees a copy or its guards. */
static const struct buffer_poison poison = {.word = 0x7fff7fff};

void stash_release(struct stash *stash, const struct backend_ops *ops)
{
    for (size_t i = 0; i < stash->count; i++) {
        if (!stash->copies[i])
            continue;
        (void)ops->buffer_poison(stash->copies[i], poison, NULL);
        ops->buffer_free(stash->copies[i]);
    }
    free(stash->copies);
    *stash = (struct stash){0};
}

/* Copy a tensor to its copy, which is made first, or back. */
static enum status copy_tensor(struct buffer **copy, const struct stash_tensors *tensors,
                               size_t index, bool back, struct error *err)
{
    const struct value *value = &tensors->sources->items[index].value;
    size_t bytes = (size_t)shape_elements(&value->shape) * dtype_bytes(value->dtype);
    struct buffer *tensor = tensors->buffers[index];
    enum status st = STATUS_OK;

    if (!*copy && back)
        return error_set(err, STATUS_INVALID, "tensor %zu has no copy", index);
    if (!*copy)
        st = tensors->ops->buffer_new(tensors->device, bytes, copy, err);
    return st ? st : tensors->ops->buffer_copy(back ? tensor : *copy, back ? *copy : tensor, err);
}

enum status stash_copy(struct stash *stash, const struct stash_tensors *tensors,
                       const struct executor_stash *request, struct error *err)
{
    size_t count = tensors->sources->count;
    enum status st = STATUS_OK;

    if (!tensors->ops->buffer_copy)
        return error_set(err, STATUS_UNAVAILABLE, "the back end %s copies no buffers",
                         tensors->ops->name);
    if (!stash->copies)
        *stash = (struct stash){mem_alloc_zeroed(count + 1, sizeof(struct buffer *)), count};
    for (size_t i = 0; !st && i < request->count; i++) {
        size_t index = request->tensors[i];

        st = index < count ? copy_tensor(&stash->copies[index], tensors, index, request->back, err)
                           : error_set(err, STATUS_INVALID, "no tensor %zu", index);
    }
    if (st == STATUS_UNAVAILABLE)
        stash_release(stash, tensors->ops);
    return st;
}
