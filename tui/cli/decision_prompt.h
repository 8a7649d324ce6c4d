#ifndef TUI_CLI_DECISION_PROMPT_H
#define TUI_CLI_DECISION_PROMPT_H

#include "core/session/driver/driver.h"

/*
 * Decisions from lines on standard input: what is proposed is shown with its
 * evidence, and then a letter says what becomes of it, as the table of answers
 * in decision_prompt.c has them.
 */
struct decision_prompt;

/* The engineer leaves: `step` is NULL; or the input has ended while this step waits. */
typedef void decision_prompt_over_fn(void *data, const struct step *step);

/* Nothing is read before decision_prompt_show(). The driver stays the caller's. */
struct decision_prompt *decision_prompt_new(struct loop *loop, struct driver *driver,
                                            decision_prompt_over_fn *over, void *data);
void decision_prompt_free(struct decision_prompt *prompt);

/* Show the step that waits, and prompt for a decision; the loop hears the answer. */
void decision_prompt_show(struct decision_prompt *prompt, const struct step *step);

#endif
