#ifndef CORE_SYSTEM_FILE_WATCH_H
#define CORE_SYSTEM_FILE_WATCH_H

#include <stddef.h>

#include "core/base/status.h"

struct loop;

/*
 * Reports saves of some files in one folder, by inotify(7). The folder is watched instead of the
 * files, because editors save by renaming a new file over the old one. A save causes several
 * events; the listener is called once, when the folder has been quiet for FILE_WATCH_QUIET_US.
 *
 * The watch only reports that something happened to a file: it may have been saved without a
 * change, or removed. The caller reads the files.
 */
struct file_watch;

enum { FILE_WATCH_QUIET_US = 50000 };

/* Borrowed for the call. */
struct file_watch_spec {
    const char *folder;
    const char *const *names; /* names of files in the folder; ended by NULL */
    void (*saved)(void *data);
    void (*lost)(void *data); /* the folder was removed or moved: the watch reports nothing more */
    void *data;
};

/* Begin to watch. STATUS_UNAVAILABLE when the folder cannot be watched. */
enum status file_watch_open(struct loop *loop, const struct file_watch_spec *spec,
                            struct file_watch **watch, struct error *err) MUST_CHECK;

/* End the watch and free it. The listener may call this. Takes NULL. */
void file_watch_close(struct file_watch *watch);

#endif
