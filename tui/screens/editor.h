#ifndef TUI_SCREENS_EDITOR_H
#define TUI_SCREENS_EDITOR_H

#include "core/base/status.h"
#include "core/base/strbuf.h"

/*
 * The engineer's editor ($VISUAL, $EDITOR, else vi) over a text.  The text
 * goes into a file in the temporary folder; while the editor runs, it has the
 * terminal.
 */

/* The file with the text in it; the caller frees the path, and removes the file. */
enum status editor_write(const char *text, char **path, struct error *err) MUST_CHECK;

/* The command line for `path`, for sh -c; the caller frees. */
char *editor_command(const char *path);

/* Read the file back, and remove it. */
enum status editor_read(const char *path, struct strbuf *edited, struct error *err) MUST_CHECK;

/* All of it, waiting for the editor: where no screen is up. */
enum status editor_run(const char *text, struct strbuf *edited, struct error *err) MUST_CHECK;

#endif
