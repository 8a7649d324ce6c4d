#include "core/judge/executor/executor_memory.h"

#include "core/judge/device/backend.h"
#include "core/judge/executor/readback.h"

void executor_memory_begin(struct executor_memory *memory, const struct executor_process *process)
{
    memory->idle_bytes = child_memory(&process->child);
    memory->held_bytes = memory->idle_bytes;
    memory->buffer_bytes = 0;
}

void executor_memory_allow(struct executor_memory *memory, struct executor_process *process,
                           size_t bytes)
{
    size_t loaded = 0;

    for (unsigned i = 0; i < SLOT_COUNT; i++)
        loaded += readback_bytes(executor_process_layout(process, i));
    memory->buffer_bytes = (int64_t)(loaded + bytes);
    process->child.is_watched = true;
    process->child.allowed_bytes =
        memory->held_bytes + memory->compiler_bytes + memory->buffer_bytes;
}

void executor_memory_replace(struct executor_memory *memory, struct executor_process *process,
                             size_t bytes)
{
    int64_t before = memory->buffer_bytes;

    executor_memory_allow(memory, process, bytes);
    process->child.allowed_bytes += before;
}

void executor_memory_forgive(struct executor_memory *memory, struct executor_process *process)
{
    int64_t held;

    if (!process->is_open)
        return;
    held = child_memory(&process->child) - memory->buffer_bytes;
    if (held > memory->idle_bytes + memory->compiler_bytes)
        executor_process_end(process);
    else if (held > memory->held_bytes)
        memory->held_bytes = held;
}

size_t executor_memory_of(const struct value *value)
{
    return (size_t)shape_elements(&value->shape) * dtype_bytes(value->dtype) + BUFFER_MARGINS_BYTES;
}
