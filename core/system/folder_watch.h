#ifndef CORE_SYSTEM_FOLDER_WATCH_H
#define CORE_SYSTEM_FOLDER_WATCH_H

#include "core/base/status.h"

struct loop;

/*
 * Reports changes of files in many folders, by inotify(7), while the files are still open for
 * writing, such as growing journals. Nothing is polled, so a program whose folders do not change
 * uses no time. file_watch.h reports files that an editor has saved in one folder.
 *
 * inotify does not report what other machines write to a shared folder.
 */
struct folder_watch;

/*
 * The file or folder `name` in a folder was made, written, closed after writing, moved or removed;
 * `folder` is what folder_watch_add() stored.  `name` is "" when the folder itself went away, and
 * `folder` is -1 when the system dropped changes, so that anything may have changed.
 */
typedef void folder_watch_fn(void *data, int folder, const char *name);

/*
 * Begin to watch, without a folder. STATUS_UNAVAILABLE when the system's limit of watches is
 * reached.
 */
enum status folder_watch_open(struct loop *loop, folder_watch_fn *on_change, void *data,
                              struct folder_watch **watch, struct error *err) MUST_CHECK;

/*
 * Add a folder to the watch. A folder that is added again keeps its number. STATUS_UNAVAILABLE when
 * the folder cannot be watched.
 */
enum status folder_watch_add(struct folder_watch *watch, const char *path, int *folder,
                             struct error *err) MUST_CHECK;

/* No longer watch a folder. */
void folder_watch_remove(struct folder_watch *watch, int folder);

/* End the watch and free it. The listener must not call this. Takes NULL. */
void folder_watch_close(struct folder_watch *watch);

#endif
