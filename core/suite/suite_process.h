#ifndef CORE_SUITE_SUITE_PROCESS_H
#define CORE_SUITE_SUITE_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "core/base/status.h"
#include "core/base/strbuf.h"

/*
 * The process that runs a suite. The lock of the suite's journal says that there is one; a file
 * system in user space (FUSE) may lose the lock, when its holder starts a process. The file
 * process.json in the suite's folder is therefore a lease: it names the process and its machine,
 * and on file systems that several machines may write to, the process renews its time of
 * modification. On the same machine the lease is valid as long as the process lives; from another
 * one, until it has not been renewed for SUITE_LEASE_S. The file stays after the process has ended.
 */
enum { SUITE_HOST_BYTES = 256, SUITE_LEASE_S = 20 };

struct suite_process {
    pid_t pid; /* 0 if no process runs the suite */
    /* the machine of this process, else of the last one; "" if unknown */
    char host[SUITE_HOST_BYTES];
    bool is_elsewhere; /* `host` is another machine */
};

/*
 * Write that this process runs the suite in `folder`, whose journal it has locked. Fails if another
 * process has a valid lease.
 */
enum status suite_process_claim(const char *folder, struct error *err) MUST_CHECK;

/* Renew the lease; fails if another process has taken it meanwhile. */
enum status suite_process_renew(const char *folder, struct error *err) MUST_CHECK;

/* End the lease if this process has it. */
void suite_process_end(const char *folder);

/* Append "process 12 of this machine" or "process 12 on node3". */
void suite_process_describe(const struct suite_process *process, struct strbuf *out);

/* Find the process of the suite in `folder`. */
struct suite_process suite_process_find(const char *folder);

#endif
