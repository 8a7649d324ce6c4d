#ifndef TUI_SCREENS_EDITOR_H
#define TUI_SCREENS_EDITOR_H

#include "core/base/status.h"
#include "core/base/strbuf.h"

/*
 * Edits a text with the engineer's editor ($VISUAL, $EDITOR, else vi).  The text
 * is written to a temporary file; the editor has the terminal while it runs.
 */

/* Write the text to a new file.  The caller frees the path; editor_read() removes the file. */
enum status editor_write(const char *text, char **path, struct error *err) MUST_CHECK;

/* The command line that edits `path`, for sh -c; the caller frees it. */
char *editor_command(const char *path);

/* Read the file, and remove it. */
enum status editor_read(const char *path, struct strbuf *edited, struct error *err) MUST_CHECK;

/* Write, edit and read, and wait for the editor: for use without a screen. */
enum status editor_run(const char *text, struct strbuf *edited, struct error *err) MUST_CHECK;

#endif
