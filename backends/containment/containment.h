#ifndef BACKENDS_CONTAINMENT_CONTAINMENT_H
#define BACKENDS_CONTAINMENT_CONTAINMENT_H

#include "core/judge/device/safeguards.h"

/*
 * Contains a process that runs candidates, as far as the process itself can ask for it, so that a
 * candidate that has taken over its process can harm nothing else: a kernel on a CPU can read and
 * write all memory of its process.  The judge does the rest: it limits time,
 * memory and the number of processes, and gives the process its folder, environment and session
 * (core/judge/executor/enclosure.h).
 *
 * Nothing here needs privileges.  A safeguard that the machine refuses is left out, and missing in
 * the result.  The restrictions cannot be undone, and child processes inherit them.
 */
struct containment {
    const char *scratch; /* a folder that may be written; NULL for none */
    const char *kept;    /* a second one, which outlives the process; NULL for none */
    /* Folders that may be read besides the system's, separated by colons; NULL for none. */
    const char *readable;
    size_t file_bytes;  /* limit on the size of a file; 0 for the default of 64 MB */
    bool is_under_tool; /* a CUDA tool works in the process, and talks to its other half outside */
};

/*
 * The settings in KFORGE_SCRATCH, KFORGE_KEPT, KFORGE_READABLE and KFORGE_FILE_BYTES; borrowed from
 * the environment.
 */
struct containment containment_from_environment(void);

/*
 * Contain this process.  It also ends with its parent, is the first to be killed when memory runs
 * out, and gives new threads stacks large enough for the private arrays of a work-group.  Threads
 * that already exist are not contained, so call this first.
 */
struct safeguards containment_enter(const struct containment *containment);

/*
 * Two restrictions for a process that runs candidates as its own code. They are permanent, and left
 * out if the machine refuses them. The first refuses writing any file, also in the folders that
 * containment_enter() allows; it holds for this thread and the threads that it starts later, so
 * call it before other threads exist. The second refuses starting processes, programs and threads;
 * it holds for all threads.
 */
void containment_give_up_files(void);
void containment_give_up_processes(void);

/*
 * Contain the judge, which runs no code of candidates but parses what they produce: no network, no
 * new privileges, and writing only in `writable`, folders separated by colons.  Processes that it
 * starts inherit this.
 */
struct safeguards containment_enter_judge(const char *writable);

/*
 * Contain this process and run another program in it, `kforge-worker --contained PROGRAM
 * ARGUMENTS`: for host code, such as a Python interpreter.  The program is searched along PATH and
 * gets its full path in argv[0].  If it cannot be started, the process ends with status 127, as in
 * a shell.
 */
_Noreturn void containment_run(char **argv);

#endif
