#ifndef CORE_SYSTEM_FILE_H
#define CORE_SYSTEM_FILE_H

#include <glob.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"
#include "core/base/strbuf.h"

/* Reads and writes whole files, and finds their folders by the XDG base directory specification. */

/*
 * Describe a call of the system that failed, by errno: "PATH: cannot VERB: REASON; REMEDY". Returns
 * STATUS_NOT_FOUND when a file or folder is missing, else STATUS_IO.
 */
enum status file_fail(struct error *err, const char *verb, const char *path);

/*
 * Append the contents of the file to `out`. A file over `max_bytes` is an error; it is not
 * truncated. STATUS_NOT_FOUND when there is no file, STATUS_INVALID when it is too large, a folder
 * or not permitted, STATUS_IO when the disk fails.
 */
enum status file_read(const char *path, size_t max_bytes, struct strbuf *out,
                      struct error *err) MUST_CHECK;

/*
 * Replace the file atomically (write another file in the folder, fsync, rename): a reader gets the
 * old contents or the new ones. On failure the old file stays: STATUS_NOT_FOUND if the folder is
 * missing, else STATUS_IO.
 */
enum status file_write(const char *path, const void *bytes, size_t len,
                       struct error *err) MUST_CHECK;

/*
 * The same without fsync, which takes milliseconds: after a crash of the machine the file may be
 * damaged. For files that can be made again.
 */
enum status file_write_soon(const char *path, const void *bytes, size_t len,
                            struct error *err) MUST_CHECK;

/* Write a text into the file `name` of a folder, atomically like file_write(). */
enum status file_write_text(const char *folder, const char *name, const char *text,
                            struct error *err) MUST_CHECK;

/* Create the folder and its parents. STATUS_IO if that fails; an existing folder is success. */
enum status file_make_folder(const char *path, struct error *err) MUST_CHECK;

/*
 * Find the files and folders that match a pattern of glob(3), in the order of their last change,
 * oldest first. Finds none on failure. The caller releases `found` by globfree().
 */
void file_find_oldest_first(const char *pattern, glob_t *found);

/* Remove the folder with everything in it. Symbolic links are removed, not followed. */
void file_remove_folder(const char *path);

/* Write all `len` bytes to a descriptor, repeating write(2) as needed. STATUS_IO on failure. */
enum status file_write_all(int fd, const void *bytes, size_t len, struct error *err) MUST_CHECK;

/* True when a file or folder exists at `path`, as far as this process can see. */
bool file_exists(const char *path);

/* True if the folder exists and is empty. */
bool file_is_empty_folder(const char *path);

/* True when the file system of `path` has room for `bytes`, or its room is unknown. */
bool file_has_room(const char *path, size_t bytes);

/* `folder/name`; the caller frees. */
char *file_join(const char *folder, const char *name);

/* The part of `path` after the last slash; borrowed from `path`. */
const char *file_name(const char *path);

/*
 * Expand "~" and "~/name" as a shell does, with $HOME or else the home folder from the system's
 * user database. The caller frees the result.
 */
char *file_expand_home(const char *path);

/* True when the path ends with `ending` and has a character before it: "model.py" with ".py". */
bool file_has_ending(const char *path, const char *ending);

/* $TMPDIR when it is an absolute path, else /tmp. Borrowed from the environment. */
const char *file_temporary_folder(void);

/*
 * Make a new folder there whose name begins with `prefix`, for this user alone. The caller frees
 * its path and removes the folder. NULL on failure.
 */
char *file_make_temporary_folder(const char *prefix, struct error *err);

enum file_place { FILE_DATA, FILE_CONFIG, FILE_CACHE, FILE_STATE };

/*
 * kforge's folder for this kind of file, such as $XDG_DATA_HOME/kforge or ~/.local/share/kforge.
 * The caller frees it.
 */
char *file_place_folder(enum file_place place);

/*
 * Create that folder and check that it is writable. Otherwise STATUS_UNAVAILABLE, and the error
 * names the variable that moves it.
 */
enum status file_make_place(enum file_place place, struct error *err) MUST_CHECK;

/*
 * The path of a file that ships with kforge (prompts, themes). The caller frees it. It is below
 * $KFORGE_ROOT when that is set; otherwise in the first of these places that has the file:
 * share/kforge beside the folder of the program, the source tree that kforge was built from, the
 * data folder of the installation.
 */
char *file_shipped(const char *name);

#endif
