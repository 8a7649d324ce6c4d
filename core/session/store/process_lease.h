#ifndef CORE_SESSION_STORE_PROCESS_LEASE_H
#define CORE_SESSION_STORE_PROCESS_LEASE_H

#include <stdbool.h>
#include <sys/types.h>

#include "core/base/status.h"
#include "core/base/strbuf.h"

/*
 * The process that runs a suite or a session. The lock of the journal says that there is one; a
 * file system in user space (FUSE) may lose the lock, when its holder starts a process. The file
 * process.json in the folder of the suite or of the session is therefore a lease: it names the
 * process and its machine, and on file systems that several machines may write to, the process
 * renews its time of modification. On the same machine the lease is valid as long as the process
 * lives; from another one, until it has not been renewed for LEASE_S. The file stays after the
 * process has ended. On other file systems a session has no lease, because its lock suffices.
 */
enum { LEASE_HOST_BYTES = 256, LEASE_S = 20 };

struct lease_process {
    pid_t pid; /* 0 if no process runs it */
    /* the machine of this process, else of the last one; "" if unknown */
    char host[LEASE_HOST_BYTES];
    bool is_elsewhere; /* `host` is another machine */
};

/*
 * Write that this process runs what is in `folder`, whose journal it has locked. Fails if another
 * process has a valid lease; `what` is a name for the message, such as "the suite".
 */
enum status process_lease_claim(const char *folder, const char *what, struct error *err) MUST_CHECK;

/* The same, only where the lock may be lost, or where a process has left a lease before. */
enum status process_lease_claim_if_shared(const char *folder, const char *what,
                                          struct error *err) MUST_CHECK;

/* Renew the lease; fails if another process has taken it meanwhile. */
enum status process_lease_renew(const char *folder, const char *what, struct error *err) MUST_CHECK;

/* End the lease if this process has it. */
void process_lease_end(const char *folder);

/* Append "process 12 of this machine" or "process 12 on node3". */
void process_lease_describe(const struct lease_process *process, struct strbuf *out);

/* Find the process that runs what is in `folder`. */
struct lease_process process_lease_find(const char *folder);

#endif
