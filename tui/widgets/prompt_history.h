#ifndef TUI_WIDGETS_PROMPT_HISTORY_H
#define TUI_WIDGETS_PROMPT_HISTORY_H

/*
 * The lines that were entered at a prompt, in libedit's file format, in kforge's state folder.
 *
 * An entered line is appended to the file. So its cost does not grow with the file, and if kforge
 * runs in two terminals, the lines of both are kept. A file with more than twice
 * PROMPT_HISTORY_LINES lines is cut to the latest ones.
 */
struct prompt_history;

enum { PROMPT_HISTORY_LINES = 1000 };

/* Read the file with a name; a file that cannot be read counts as empty. */
struct prompt_history *prompt_history_new(const char *name);
/* Free the lines in memory; takes NULL. */
void prompt_history_free(struct prompt_history *history);

/* The lines for libedit. */
struct historyW *prompt_history_lines(const struct prompt_history *history);

/* Append a line in UTF-8. An empty line, and one that equals the latest, are left out. */
void prompt_history_add(struct prompt_history *history, const char *line);

#endif
