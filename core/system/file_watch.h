#ifndef CORE_SYSTEM_FILE_WATCH_H
#define CORE_SYSTEM_FILE_WATCH_H

#include <stddef.h>

#include "core/base/status.h"

struct loop;

/*
 * Reports saves of some files in one folder, by inotify(7).  The folder is watched and not the
 * files, because editors save by renaming a new file over the old one.  A save is several events;
 * the watch calls once, when the folder was quiet for FILE_WATCH_QUIET_US.
 *
 * The watch says only that something happened to a file: it may have been saved without a change,
 * or removed.  The caller reads the files.
 */
struct file_watch;

enum { FILE_WATCH_QUIET_US = 50000 };

/* Borrowed for the call. */
struct file_watch_spec {
    const char *folder;
    const char *const *names; /* names of files in the folder; ended by NULL */
    void (*saved)(void *data);
    void (*lost)(void *data); /* the folder was removed or moved: no more will be heard */
    void *data;
};

/* Begin to watch. STATUS_UNAVAILABLE when the folder cannot be watched. */
enum status file_watch_open(struct loop *loop, const struct file_watch_spec *spec,
                            struct file_watch **watch, struct error *err) MUST_CHECK;

/* End the watch and free it, also from the listener; takes NULL. */
void file_watch_close(struct file_watch *watch);

#endif
