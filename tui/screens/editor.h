#ifndef TUI_SCREENS_EDITOR_H
#define TUI_SCREENS_EDITOR_H

#include "core/base/status.h"
#include "core/base/strbuf.h"

/*
 * Edits a text with the engineer's editor ($VISUAL, $EDITOR, else vi), which uses the terminal
 * while it runs. A candidate is edited as its kernel and its plan (kernel_files.h), another text as
 * one file in Markdown, in a temporary folder.
 */

/* All zeros: no edit is under way. */
struct edit {
    char *folder;
    char *text;     /* before the edit */
    char *language; /* language of the kernel; NULL: the text is edited as it is */
};

/*
 * Write the files of a text. If `language` is given and the text has a candidate, these are the
 * candidate's files.
 */
enum status edit_begin(struct edit *edit, const char *text, const char *language,
                       struct error *err) MUST_CHECK;

/* The command for a shell that opens the files, the kernel first; the caller frees. */
char *edit_command(const struct edit *edit);

/* Append the edited text; the same text if the engineer changed nothing. */
enum status edit_read(const struct edit *edit, struct strbuf *edited, struct error *err) MUST_CHECK;

/* Remove the files; does nothing if no edit is under way. */
void edit_end(struct edit *edit);

/* Forget the files and leave them in place: the engineer may need them. */
void edit_leave(struct edit *edit);

/* Edit a text without a screen: begin, wait for the editor, read and end. */
enum status edit_run(const char *text, const char *language, struct strbuf *edited,
                     struct error *err) MUST_CHECK;

#endif
