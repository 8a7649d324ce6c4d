#ifndef BACKENDS_CONTAINMENT_CONTAINMENT_H
#define BACKENDS_CONTAINMENT_CONTAINMENT_H

#include "core/judge/device/safeguards.h"

/*
 * What keeps a candidate that has taken over its process from harming more
 * than that, as far as the process itself can ask for it: kernels on a CPU
 * reach all of their process, and host code is theirs to begin with.  The
 * judge does the rest: it watches time, memory and the number of processes,
 * and gives the process its folder, environment and session
 * (core/judge/executor/enclosure.h).
 *
 * Nothing here needs privileges.  What this machine refuses is left out, and
 * missing in the result.  There is no way back, and children inherit all of it.
 */
struct containment {
    const char *scratch; /* the only folder to write in; NULL for none */
    /* Folders to read beside the system's, separated by colons; NULL for none. */
    const char *readable;
    size_t file_bytes; /* of the largest file; 0 for what an executor needs */
    bool is_watched;   /* a tool is in the process, and speaks to its other half outside */
};

/* As the environment says: KFORGE_SCRATCH, KFORGE_READABLE, KFORGE_FILE_BYTES. Borrowed from it. */
struct containment containment_from_environment(void);

/*
 * Enter.  Also: end with the judge, be the first to go when the machine is out
 * of memory, and give threads a stack in which a work-group's private arrays
 * have room.  Threads that exist already stay outside, so this comes first.
 */
struct safeguards containment_enter(const struct containment *containment);

/*
 * The same for the judge, which runs nothing that a stranger wrote but reads what comes of it: no
 * network, no new privileges, and nothing written but in `writable`, folders separated by colons.
 * What it starts is held by this as well.
 */
struct safeguards containment_enter_judge(const char *writable);

/*
 * Enter, and become another program: what starts host code, an interpreter
 * say, as `kforge-worker --contained PROGRAM ARGUMENTS`, found along PATH and told
 * its whole path in argv[0].  Where that cannot be started, this one ends with the exit status of a
 * shell for it.
 */
_Noreturn void containment_run(char **argv);

#endif
