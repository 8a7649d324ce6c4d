#ifndef CORE_SYSTEM_FOLDER_WATCH_H
#define CORE_SYSTEM_FOLDER_WATCH_H

#include "core/base/status.h"

struct loop;

/*
 * Reports changes of files in many folders, by inotify(7), while they are still open for writing:
 * journals that grow.  Nothing is polled, so a program whose folders are quiet uses no time.
 * file_watch.h reports files that an editor has saved in one folder.
 *
 * inotify does not hear of what other machines write to a shared folder.
 */
struct folder_watch;

/*
 * The file or folder `name` in a folder was made, written, closed after writing, moved or removed;
 * `folder` is what folder_watch_add() stored.  `name` is "" when the folder itself went away, and
 * `folder` is -1 when the system dropped changes, so that anything may have changed.
 */
typedef void folder_watch_fn(void *data, int folder, const char *name);

/* Begin to watch, without a folder; STATUS_UNAVAILABLE at the system's limit. */
enum status folder_watch_open(struct loop *loop, folder_watch_fn *heard, void *data,
                              struct folder_watch **watch, struct error *err) MUST_CHECK;

/* Watch a folder too.  A folder that is added again keeps its number. */
enum status folder_watch_add(struct folder_watch *watch, const char *path, int *folder,
                             struct error *err) MUST_CHECK;

/* No longer watch a folder. */
void folder_watch_remove(struct folder_watch *watch, int folder);

/* End the watch and free it, not from the listener; takes NULL. */
void folder_watch_close(struct folder_watch *watch);

#endif
