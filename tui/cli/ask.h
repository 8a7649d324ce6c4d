#ifndef TUI_CLI_ASK_H
#define TUI_CLI_ASK_H

#include "core/session/driver.h"

/*
 * Decisions from lines on standard input: what is proposed is shown with its
 * evidence, then `a` accepts, `e` edits in $EDITOR, `v REASON` vetoes, `s`
 * shows the whole text, `A` accepts and asks no more, `q` leaves the session
 * open.
 */
struct ask;

struct ask *ask_new(struct loop *loop, struct driver *driver);
void ask_free(struct ask *ask);

/* Show the step and prompt for a decision. */
void ask_about(struct ask *ask, const struct step *step);

#endif
