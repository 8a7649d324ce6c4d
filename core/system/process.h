#ifndef CORE_SYSTEM_PROCESS_H
#define CORE_SYSTEM_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/status.h"

/*
 * A child process with pipes on its standard input and output. It leads a process group of its own,
 * so that it can be ended together with its own children. It starts with default signal handling.
 */
struct process {
    pid_t pid; /* 0 when not running */
    int in;    /* write end of the child's standard input; owned */
    int out;   /* read end of the child's standard output; owned */
};

/*
 * Open /dev/null as standard input, output and error when they are closed. Otherwise the next
 * opened file would get one of their numbers, and printed text would end up in that file.
 */
void process_keep_standard(void);

/*
 * Disable core files, and deny other processes of the same user access to this process's memory and
 * environment, which contain keys or expected values (prctl(2), PR_SET_DUMPABLE).
 */
void process_hide(void);

/* The options of a new child. */
struct process_spec {
    const char *const *argv; /* NULL-terminated; argv[0] is looked up in $PATH */
    /* descriptor for the child's standard error; 1: the child's output; 0: inherit */
    int stderr_fd;
    int passed_fd; /* becomes descriptor 3 of the child; 0 for none */
    int lent_fd;   /* becomes descriptor 4 of the child, and must be above 4 here; 0 for none */
    /* start a new session without the terminal, so that the child cannot type into it */
    bool own_session;
    char *const *environment; /* NULL-terminated; NULL: inherit */
    /*
     * From the inherited environment, remove variables whose names contain KEY, TOKEN, SECRET or
     * PASSWORD, the variable that KFORGE_API_KEY_ENV names, and addresses that contain a password.
     */
    bool without_secrets;
};

/* Start the child. STATUS_UNAVAILABLE, with the program's name, when it cannot be started. */
enum status process_start(struct process *process, const struct process_spec *spec,
                          struct error *err) MUST_CHECK;

/*
 * Start a child in this process group with this process's descriptors, such as an editor that takes
 * over the terminal. The caller waits for it. STATUS_UNAVAILABLE when the program cannot be
 * started.
 */
enum status process_start_here(pid_t *pid, const char *const *argv, struct error *err) MUST_CHECK;

/*
 * Start a program that may outlive this one: in a session of its own, without input, and with its
 * output and errors appended to the file `log`.  The caller may wait for it.
 */
enum status process_start_behind(pid_t *pid, const char *const *argv, const char *log,
                                 struct error *err) MUST_CHECK;

/*
 * Close the child's standard input and wait until it ends, for at most `limit_us`; then do as
 * process_end(). The output that the child writes meanwhile must fit into the pipe's buffer.
 */
int process_finish(struct process *process, int64_t limit_us);

/*
 * Kill the whole group if it still runs, wait for the child and close the pipes: all zeros again.
 * Returns the wait status.
 */
int process_end(struct process *process);

#endif
