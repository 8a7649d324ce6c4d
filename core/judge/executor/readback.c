#include "core/judge/executor/readback.h"

enum { ALIGNMENT = 64 };

size_t readback_contents(const struct buffer_spec *buffer)
{
    return (size_t)buffer->elements * dtype_bytes(buffer->dtype);
}

/* Offset of allocation `index` on its side; with the number of allocations, the size of a side. */
static size_t offset_of(const struct buffer_spec *buffers, size_t index)
{
    size_t offset = 0;

    for (size_t i = 0; i < index; i++) {
        size_t bytes = readback_contents(&buffers[i]) + BUFFER_MARGINS_BYTES;

        offset += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    return offset;
}

size_t readback_bytes(struct readback_layout layout)
{
    return offset_of(layout.buffers, layout.count);
}

size_t readback_size(struct readback_layout layout)
{
    return READBACK_SIDES * readback_bytes(layout);
}

unsigned char *readback_at(const struct memfd *memory, struct readback_layout layout, unsigned side,
                           size_t index)
{
    return memory->bytes + side * readback_bytes(layout) + offset_of(layout.buffers, index);
}
