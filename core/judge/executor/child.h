#ifndef CORE_JUDGE_EXECUTOR_CHILD_H
#define CORE_JUDGE_EXECUTOR_CHILD_H

#include <stdatomic.h>
#include <stdbool.h>

#include "core/base/json.h"
#include "core/model/verdict.h"
#include "core/system/lines.h"
#include "core/system/process.h"

/*
 * A child process that runs untrusted code. The judge sends it requests as lines of JSON, and
 * watches its time, memory and number of processes while it works. All zeros is a child that is not
 * running.
 */
struct child {
    struct process process;
    struct lines lines;
    /* memory file that collects everything that it prints besides its answers */
    int printed;
    bool is_watched;       /* true if its memory is limited */
    atomic_bool is_paused; /* it was stopped on purpose: its time limit does not run */
    int64_t allowed_bytes; /* maximum memory in bytes; a wait ends when the child uses more */
};

/*
 * A wait ends when the child has more processes than this. Compilers start only a few, such as a
 * linker.
 */
enum { CHILD_MAX_PROCESSES = 64 };

/* The reason that a wait ended. */
enum child_wait {
    CHILD_WAITING,
    CHILD_ANSWERED,
    CHILD_GARBLED, /* the line is not JSON */
    CHILD_LATE,
    CHILD_GREEDY,
    CHILD_CROWDED,
    CHILD_CANCELLED,
    CHILD_GONE
};

/* Called when `fd` is readable; true ends the wait. NULL: the wait cannot be cancelled. */
struct child_cancel {
    int fd;
    bool (*is_cancelled)(void *data);
    void *data;
};

/* Start the child, with its standard error in a memory file. */
enum status child_start(struct child *child, const struct process_spec *spec,
                        struct error *err) MUST_CHECK;

/* Write a line, and drop what was printed before. */
enum status child_send(struct child *child, const char *line, struct error *err) MUST_CHECK;

/*
 * Wait for a line, for at most `limit_us`. If more processes want the cores than there are, only
 * the CPU time that the child gets is counted, and at least a twentieth of the elapsed time. The
 * line is borrowed until the next call.
 */
enum child_wait child_await(struct child *child, int64_t limit_us,
                            const struct child_cancel *cancel, const char **line);

/*
 * Send a request and wait for its answer, with the same limits. `*answer` is the caller's; it is
 * NULL for any result but CHILD_ANSWERED.
 */
enum child_wait child_ask(struct child *child, const struct json *request, int64_t limit_us,
                          const struct child_cancel *cancel, struct json **answer);

/*
 * Number of bytes on its standard error since the last line was sent. Its standard output is for
 * answers.
 */
int64_t child_printed(const struct child *child);

/* Append these bytes. */
void child_add_printed(const struct child *child, struct strbuf *out);

/* Bytes of memory in use, without memory shared with the judge; 0 if unknown. */
int64_t child_memory(const struct child *child);

/* CPU time of the child on the host's cores since it was started. */
double child_cpu_us(const struct child *child);

/* Close its input, kill it if it still runs after `grace_us`, and return its wait status. */
int child_end(struct child *child, int64_t grace_us);

/* The outcome of a candidate whose process ended with this wait status. */
enum outcome child_outcome(int wait_status, struct error *err);

#endif
