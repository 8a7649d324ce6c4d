#ifndef TUI_CLI_DECISION_PROMPT_H
#define TUI_CLI_DECISION_PROMPT_H

#include "core/session/driver/driver.h"

/*
 * Decisions on standard input (--ask): prints a waiting step with its evidence,
 * then reads a line that begins with a letter for the decision.  The letters
 * are in the table `answers` in decision_prompt.c.
 */
struct decision_prompt;

/*
 * Called at the end. `step` is NULL if the engineer leaves; if the input has ended, it is the step
 * that still waits.
 */
typedef void decision_prompt_over_fn(void *data, const struct step *step);

/* `loop` and `driver` are borrowed.  Reading starts with decision_prompt_show(). */
struct decision_prompt *decision_prompt_new(struct loop *loop, struct driver *driver,
                                            decision_prompt_over_fn *over, void *data);
void decision_prompt_free(struct decision_prompt *prompt);

/* Print the waiting step and the question; the loop reads the answer. */
void decision_prompt_show(struct decision_prompt *prompt, const struct step *step);

#endif
