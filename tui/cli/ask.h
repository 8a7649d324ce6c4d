#ifndef TUI_CLI_ASK_H
#define TUI_CLI_ASK_H

#include "core/session/live/driver.h"

/*
 * Decisions from lines on standard input: what is proposed is shown with its
 * evidence, and then a letter says what becomes of it, as the table of answers
 * in ask.c has them.
 */
struct ask;

/* The engineer leaves: `step` is NULL; or the input has ended while this step waits. */
typedef void ask_over_fn(void *data, const struct step *step);

/* Nothing is read before ask_about(). The driver stays the caller's. */
struct ask *ask_new(struct loop *loop, struct driver *driver, ask_over_fn *over, void *data);
void ask_free(struct ask *ask);

/* Show the step that waits, and prompt for a decision; the loop hears the answer. */
void ask_about(struct ask *ask, const struct step *step);

#endif
