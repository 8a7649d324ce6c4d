#ifndef CORE_JUDGE_EXECUTOR_EXECUTOR_STATE_H
#define CORE_JUDGE_EXECUTOR_EXECUTOR_STATE_H

#include "core/base/digest.h"
#include "core/judge/executor/child.h"
#include "core/judge/executor/enclosure.h"
#include "core/judge/executor/executor.h"
#include "core/judge/executor/readback.h"
#include "core/system/memfd.h"

/*
 * The executor as its files know it, and nobody else: executor.c says what is
 * asked of the process, internal_kernels.c what it is helped with, executor_exchange.c
 * how, and what it means when there is no answer.
 */

/* What is loaded in a slot: enough to find its buffers in the readback. */
struct slot {
    struct buffer_spec *buffers; /* the names are not kept */
    size_t count;
    size_t launches;
};

/* A tensor of the problem on the device. */
struct placed {
    bool is_output;
    bool is_changed; /* when buffers were copied last, it was not what had been put there */
};

struct executor {
    struct executor_options options;
    struct child child;
    struct enclosure enclosure;
    struct memfd readback;
    struct memfd lent;    /* the copy of what problems are lent */
    unsigned lent_serial; /* of what it holds */
    struct device_info device;
    struct strbuf compiler; /* of which device and driver: what it makes is kept under that */
    bool is_open;
    bool is_tainted; /* has been sent a program, and may be what that made of it */
    enum outcome outcome;
    struct slot slots[SLOT_COUNT];
    struct {
        struct placed *items;
        size_t count, capacity;
    } tensors;
    char built[SLOT_COUNT][DIGEST_HEX_SIZE]; /* what of (compiled.h); empty: nothing yet */
    struct executor_spent spent;
    int64_t idle_bytes;   /* of memory in use, when the device had been opened */
    int64_t held_bytes;   /* the same beside buffers, when the last evaluation began */
    int64_t buffer_bytes; /* that buffers may take */
};

/* What the driver may take for what no candidate has a part in. */
enum { DEVICE_LIMIT_US = 60000000 };

/* Forget what is loaded. */
void executor_empty_slots(struct executor *executor);

/* End the child; the next call starts a new one. Returns its wait status. */
int executor_end(struct executor *executor);

/*
 * Ask a child, which is started where none runs, and wait for the answer, which is the caller's.
 * Takes `request`.  A failure is the candidate's, as executor_outcome() then says, until a caller
 * knows better.
 */
enum status executor_exchange(struct executor *executor, struct json *request, int64_t limit_us,
                              struct json **answer, struct error *err) MUST_CHECK;

/* More than anyone reads; a driver takes its time over it, and drops the rest. */
enum { PRINTED_MAX_BYTES = 1 << 20 };

/* Fail because a run printed more than that. */
enum status executor_report_flood(struct executor *executor, double bytes, struct error *err);

#endif
