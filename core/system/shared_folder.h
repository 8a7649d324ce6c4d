#ifndef CORE_SYSTEM_SHARED_FOLDER_H
#define CORE_SYSTEM_SHARED_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Folders on file systems that several machines may write to. inotify(7) does not report what
 * another machine writes there, so programs check such folders at intervals.
 */
enum { SHARED_FOLDER_LOOK_US = 5000000 };

/* True for a folder on such a file system (statfs(2)). */
bool shared_folder_is(const char *path);

#endif
