#ifndef CORE_SYSTEM_FILE_H
#define CORE_SYSTEM_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"
#include "core/base/strbuf.h"

/* Whole files, and where the desktop's conventions (XDG base directories) put them. */

/*
 * Append the file's bytes to `out`.  A file over `max_bytes` is an error, not a cut.  A path that
 * is no file for us to read is STATUS_INVALID, or STATUS_NOT_FOUND; a disk that fails STATUS_IO.
 */
enum status file_read(const char *path, size_t max_bytes, struct strbuf *out,
                      struct error *err) MUST_CHECK;

/* Replace the file in one step (write beside it, fsync, rename): a reader sees old or new. */
enum status file_write(const char *path, const void *bytes, size_t len,
                       struct error *err) MUST_CHECK;

/* Make the folder and those above it. */
enum status file_make_folder(const char *path, struct error *err) MUST_CHECK;

/* Remove the folder with all that is in it; links are removed, not followed. */
void file_remove_folder(const char *path);

/* Write all `len` bytes to a descriptor, whatever it takes. */
enum status file_write_all(int fd, const void *bytes, size_t len, struct error *err) MUST_CHECK;

/* Whether there is a file or folder at `path` that this process can see. */
bool file_exists(const char *path);

/* False where there is no such folder. */
bool file_is_empty_folder(const char *path);

/* Whether the file system of `path` has room for so much; true as well where that cannot be told.
 */
bool file_has_room(const char *path, size_t bytes);

/* `folder/name`; the caller frees. */
char *file_join(const char *folder, const char *name);

/* The part of `path` after the last slash; borrowed from `path`. */
const char *file_name(const char *path);

/*
 * As a shell reads it: "~" and "~/name" begin with $HOME, or the home folder that the system knows
 * of where that is not set.  The caller frees.
 */
char *file_expand_home(const char *path);

/* Whether the name ends so, and has something before it: "model.py" in ".py". */
bool file_has_ending(const char *path, const char *ending);

/* $TMPDIR where it is a whole path, else /tmp.  Borrowed from the environment. */
const char *file_temporary_folder(void);

enum file_place { FILE_DATA, FILE_CONFIG, FILE_CACHE, FILE_STATE };

/* kforge's own folder for `place`, e.g. $XDG_DATA_HOME/kforge or ~/.local/share/kforge. */
char *file_place_folder(enum file_place place);

/* Make that folder, and see that it can be written to: STATUS_UNAVAILABLE, with the remedy. */
enum status file_make_place(enum file_place place, struct error *err) MUST_CHECK;

/*
 * Where the program finds what ships with it (prompts, themes): $KFORGE_ROOT, else the first that
 * exists of share/kforge beside the program's own folder, the source tree that it was built from,
 * and the data folder of an installation.
 */
char *file_shipped(const char *name);

#endif
