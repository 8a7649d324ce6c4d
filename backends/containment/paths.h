#ifndef BACKENDS_CONTAINMENT_PATHS_H
#define BACKENDS_CONTAINMENT_PATHS_H

#include <stdbool.h>

/*
 * Restrict this process permanently to the files that it needs (Landlock, landlock(7)).  It may
 * write only in the folders `scratch` and `kept` and to the devices of GPUs.  It may read the
 * system's folders, the program's own folder, the folders in $LD_LIBRARY_PATH, the drivers
 * that $OCL_ICD_VENDORS, $OCL_ICD_FILENAMES or $OPENCL_VENDOR_PATH name, and the folders in
 * `readable` (paths separated by colons), but no home or temporary folders.  Each argument may be
 * NULL.
 *
 * Landlock also prevents the process from tracing processes outside of it, and so from reading
 * their memory and environment in /proc.
 *
 * Returns true if the restriction is in force: the kernel may lack Landlock, or a container may
 * refuse it.  PR_SET_NO_NEW_PRIVS must be set.
 */
bool paths_restrict(const char *scratch, const char *kept, const char *readable);

/*
 * Restrict this process and those that it starts to writing in `folders` (separated by colons), to
 * the devices of GPUs, and to the files in /dev/shm and /proc.  Processes that it starts may
 * restrict themselves further.  Result and precondition as above.
 */
bool paths_restrict_writing(const char *folders);

#endif
