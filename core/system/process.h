#ifndef CORE_SYSTEM_PROCESS_H
#define CORE_SYSTEM_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/status.h"

/*
 * A child process with pipes on its standard input and output, in a process
 * group of its own so that it can be ended together with what it started.
 * It starts with default signals.
 */
struct process {
    pid_t pid; /* 0: not running */
    int in;    /* write here what the child reads; owned */
    int out;   /* read here what the child writes; owned */
};

/*
 * Lead standard input, output and error to /dev/null where they are closed: the next file to be
 * opened would take their number, and what is printed would go into it.
 */
void process_keep_standard(void);

/*
 * Leave no core file, and let no other process of the same user read our memory and environment:
 * keys are in them, or expected values (prctl(2), PR_SET_DUMPABLE).
 */
void process_hide(void);

struct process_spec {
    const char *const *argv;  /* NULL-terminated; argv[0] is looked up in PATH */
    int stderr_fd;            /* what the child's standard error is; 0 inherits ours */
    int passed_fd;            /* becomes descriptor 3 of the child; 0 for none */
    int lent_fd;              /* becomes descriptor 4 of the child, and is above it; 0 for none */
    bool own_session;         /* without our terminal, which it could type into */
    char *const *environment; /* NULL-terminated; NULL: ours */
    /*
     * Of ours, leave out variables whose names say KEY, TOKEN, SECRET or PASSWORD, the one that
     * KFORGE_API_KEY_ENV names, and addresses with a password in them.
     */
    bool without_secrets;
};

/* STATUS_UNAVAILABLE, naming the program, where it cannot be started. */
enum status process_start(struct process *process, const struct process_spec *spec,
                          struct error *err) MUST_CHECK;

/*
 * Start a child that shares our descriptors and our process group: an editor
 * in the terminal's place.  The caller reaps it.
 */
enum status process_start_here(pid_t *pid, const char *const *argv, struct error *err) MUST_CHECK;

/*
 * Close what the child reads and let it end by itself, for at most `limit_us`; then as
 * process_end().  What it writes meanwhile must fit a pipe.
 */
int process_finish(struct process *process, int64_t limit_us);

/* Kill the whole group if it still runs, reap, close: all zeros again. Return the wait status. */
int process_end(struct process *process);

#endif
