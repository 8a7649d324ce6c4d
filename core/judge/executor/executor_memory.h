#ifndef CORE_JUDGE_EXECUTOR_EXECUTOR_MEMORY_H
#define CORE_JUDGE_EXECUTOR_EXECUTOR_MEMORY_H

#include "core/judge/executor/executor_process.h"
#include "core/model/graph.h"

/*
 * An account of the memory of an executor's process, in bytes. A candidate may use its buffers and
 * as much as its compiler needs; a process that uses more is ended (child.h).
 */
struct executor_memory {
    int64_t compiler_bytes; /* the bytes that a compiler may take; set by the owner */
    int64_t idle_bytes;     /* in use when the device had been opened */
    int64_t held_bytes;     /* in use besides buffers when the last evaluation began */
    int64_t buffer_bytes;   /* the bytes that buffers may take */
};

/* The device was opened: the memory in use now is not counted for a candidate. */
void executor_memory_begin(struct executor_memory *memory, const struct executor_process *process);

/* Allow the process `bytes` of memory for further buffers. */
void executor_memory_allow(struct executor_memory *memory, struct executor_process *process,
                           size_t bytes);

/* Allow it `bytes` for other buffers, and those that it has until it has freed them. */
void executor_memory_replace(struct executor_memory *memory, struct executor_process *process,
                             size_t bytes);

/*
 * Do not count memory that a compiler has kept against the next candidate, and end a process that
 * keeps too much. Call it when no loaded program is needed any more.
 */
void executor_memory_forgive(struct executor_memory *memory, struct executor_process *process);

/* Bytes of the buffer of a value, with its guard zones. */
size_t executor_memory_of(const struct value *value);

#endif
