#ifndef CORE_SUITE_SUITE_PROCESS_H
#define CORE_SUITE_SUITE_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "core/base/status.h"
#include "core/base/strbuf.h"

/*
 * The process that runs a suite. The lock of the suite's journal says that there is one, and the
 * file process.json in the suite's folder names its machine, which may be another one if the folder
 * is shared. The file stays after the process has ended.
 */
enum { SUITE_HOST_BYTES = 256 };

struct suite_process {
    pid_t pid; /* 0 if no process runs the suite */
    /* the machine of this process, else of the last one; "" if unknown */
    char host[SUITE_HOST_BYTES];
    bool is_elsewhere; /* `host` is another machine */
};

/* Write that this process runs the suite in `folder`. */
enum status suite_process_write(const char *folder, struct error *err) MUST_CHECK;

/* Append "process 12 of this machine" or "process 12 on node3". */
void suite_process_describe(const struct suite_process *process, struct strbuf *out);

/* Find the process of the suite in `folder`. */
struct suite_process suite_process_find(const char *folder);

#endif
