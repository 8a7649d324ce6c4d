#ifndef BACKENDS_CONTAINMENT_PATHS_H
#define BACKENDS_CONTAINMENT_PATHS_H

#include <stdbool.h>

/*
 * Restrict this process, for good, to files that it needs (Landlock,
 * landlock(7)): it writes in `scratch` and to GPUs alone, and reads what the
 * system consists of, but neither home nor temporary folders, and of these no
 * more than the program's own folder, $LD_LIBRARY_PATH, and `readable`, paths
 * separated by colons.  Both may be NULL.
 *
 * Landlock also keeps a process from tracing those outside, and so from their
 * memory and their environment in /proc.
 *
 * Returns whether that is in force: the kernel may lack Landlock, or a
 * container refuse it.  PR_SET_NO_NEW_PRIVS has to be set.
 */
bool paths_restrict(const char *scratch, const char *readable);

/*
 * Restrict this process, and what it will start, to writing in the folders,
 * which colons separate, to devices and to the files of processes in /proc.
 * What is started may restrict itself further.  Otherwise likewise.
 */
bool paths_restrict_writing(const char *folders);

#endif
