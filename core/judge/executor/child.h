#ifndef CORE_JUDGE_EXECUTOR_CHILD_H
#define CORE_JUDGE_EXECUTOR_CHILD_H

#include <stdbool.h>

#include "core/base/json.h"
#include "core/model/verdict.h"
#include "core/system/lines.h"
#include "core/system/process.h"

/*
 * A process that runs what a stranger wrote, as the judge guards it: asked in
 * lines of JSON, and watched while it works, since it may hang, take all memory, or end.
 * All zeros is a child that is not running.
 */
struct child {
    struct process process;
    struct lines lines;
    int printed;           /* file in memory, for all that it prints but its answers */
    bool is_watched;       /* over its memory */
    int64_t allowed_bytes; /* of memory; more of it ends the wait */
};

/* Compilers start a linker, or a few: more processes than this are none of theirs. */
enum { CHILD_MAX_PROCESSES = 64 };

/* How a wait for a line ended. */
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

/* Asked when `fd` is readable; true ends the wait. NULL: there is nobody who could. */
struct child_cancel {
    int fd;
    bool (*is_cancelled)(void *data);
    void *data;
};

/* Start it, with a standard error of its own. */
enum status child_start(struct child *child, const struct process_spec *spec,
                        struct error *err) MUST_CHECK;

/* Write a line, and forget what was printed before. */
enum status child_send(struct child *child, const char *line, struct error *err) MUST_CHECK;

/*
 * Wait for a line, for at most `limit_us`.  Where more wants the cores than
 * there are, only what the child gets of one counts, and at least a twentieth
 * of the time.  The line is borrowed until the next call.
 */
enum child_wait child_await(struct child *child, int64_t limit_us,
                            const struct child_cancel *cancel, const char **line);

/* Send a request and wait for its answer, likewise.  `*answer` is the caller's, and NULL for any
 * end but CHILD_ANSWERED. */
enum child_wait child_ask(struct child *child, const struct json *request, int64_t limit_us,
                          const struct child_cancel *cancel, struct json **answer);

/* Bytes on its standard error since the last line was sent; its standard output is for answers. */
int64_t child_printed(const struct child *child);

/* Bytes of memory in use, but for what is shared with the judge; 0 if nobody knows. */
int64_t child_memory(const struct child *child);

/* What it has worked on the host's cores since it was started, on the system's clock. */
double child_cpu_us(const struct child *child);

/* Kill it, if it still runs after `grace_us` without input; return its wait status. */
int child_end(struct child *child, int64_t grace_us);

/* What the end of a child says about the candidate that it ran. */
enum outcome child_outcome(int wait_status, struct error *err);

#endif
