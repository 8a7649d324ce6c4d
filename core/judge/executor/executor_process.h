#ifndef CORE_JUDGE_EXECUTOR_EXECUTOR_PROCESS_H
#define CORE_JUDGE_EXECUTOR_EXECUTOR_PROCESS_H

#include "core/base/digest.h"
#include "core/judge/executor/child.h"
#include "core/judge/executor/enclosure.h"
#include "core/judge/executor/readback.h"
#include "core/judge/executor/wire.h"
#include "core/model/problem.h"
#include "core/system/memory/memfd.h"

/*
 * The process behind the executor. This module starts it, exchanges messages with it, derives the
 * candidate's outcome from a missing answer, and holds all state that is lost when the process
 * ends. The next exchange starts another process, which is empty.
 */

/* The buffers of a loaded program, which give the layout of its copies in the readback. */
struct executor_slot {
    struct buffer_spec *buffers; /* without their names; owned */
    size_t count;
    size_t launches;
};

/* A tensor of the problem on the device. */
struct executor_tensor {
    bool is_output;
    bool is_changed; /* at the last copy it no longer held the data that was put there */
    /* the handle of an output that was left on the device; "" if it was copied */
    char handle[WIRE_HANDLE_SIZE];
};

struct executor_process {
    const char *script;      /* a shipped script that the executor may start with Python, or NULL */
    const char *const *argv; /* the command that starts it; borrowed */
    const char *language;    /* it starts with this language's library, see executor_expect() */
    int64_t grace_us;        /* how long it may take to end by itself */
    struct child_cancel cancel;
    struct child child;
    struct enclosure enclosure;
    struct memfd readback;
    struct memfd lent;    /* copy of the memory that the problem lends */
    unsigned lent_serial; /* the serial number of the lent memory that was copied */
    bool is_open;         /* the device */
    bool is_tainted;      /* it was sent a candidate, which may take it over when it runs */
    bool is_shared;       /* it was sent candidates other than the one that is judged */
    bool is_damaged;      /* a candidate wrote where it must not: nothing else may be loaded */
    bool is_doubted;      /* a candidate may have written where it must not */
    bool has_imports;     /* buffers of another executor may be open in it */
    bool was_shared;      /* is_shared of the process that ended last */
    enum outcome outcome; /* outcome of the last exchange, see executor_outcome() */
    struct executor_slot slots[SLOT_COUNT];
    struct {
        struct executor_tensor *items;
        size_t count, capacity;
    } tensors;
    void (*on_free)(void *data); /* called before its buffers are freed; or NULL */
    void *on_free_data;
    char built[SLOT_COUNT][DIGEST_HEX_SIZE]; /* digest (compiled.h) of what was built last; or "" */
};

/* Time limit for requests that no candidate takes part in: a driver may be slow. */
enum { EXECUTOR_DEVICE_LIMIT_US = 60000000 };

/* A program was loaded: keep the layout of its buffers. */
void executor_process_fill_slot(struct executor_process *process, unsigned slot,
                                const struct dispatch *dispatch);

/* Forget the programs that are loaded. */
void executor_process_empty_slots(struct executor_process *process);

/* The buffers of the program in a slot. */
struct readback_layout executor_process_layout(const struct executor_process *process,
                                               unsigned slot);

/*
 * Copy the lent memory to where the process finds it, unless it has been copied. The process gets a
 * copy because a kernel on the CPU could change it.
 */
enum status executor_process_lend(struct executor_process *process, const struct lent_memory *lent,
                                  struct error *err) MUST_CHECK;

/* End the process.  Returns its wait status. */
int executor_process_end(struct executor_process *process);

/*
 * Start the process if none runs, send a request, and wait for the answer, which is the caller's.
 * Takes `request`. A failure counts as the candidate's fault: `outcome` has it, and a caller that
 * knows another cause sets it to OUTCOME_NONE.
 */
enum status executor_process_exchange(struct executor_process *process, struct json *request,
                                      int64_t limit_us, struct json **answer,
                                      struct error *err) MUST_CHECK;

/* Limit on the bytes that a run prints.  Drivers are slow to print, and drop the rest. */
enum { EXECUTOR_PRINTED_MAX_BYTES = 1 << 20 };

/* Fail if the last run printed more than the limit. */
enum status executor_process_check_printed(struct executor_process *process,
                                           struct error *err) MUST_CHECK;

/* Store the state of the tensors from the answer to "collect" (wire.h). */
void executor_process_take_copy(struct executor_process *process, const struct json *answer);

/* The handle of a tensor in the last answer to "collect"; NULL if it has none. */
const char *executor_process_handle(const struct executor_process *process, size_t index);

/* Let the process close the buffers of other executors; does nothing if no process runs. */
void executor_process_close_imports(struct executor_process *process);

/*
 * Return `st`, or an error if the disk is full, which looks like a fault of the candidate but is
 * none.
 */
enum status executor_process_blame_disk(struct executor_process *process, enum status st,
                                        struct error *err) MUST_CHECK;

#endif
