#ifndef TUI_PANELS_ANSWER_TABLE_H
#define TUI_PANELS_ANSWER_TABLE_H

#include "core/session/state/round.h"
#include "tui/term/canvas.h"

/*
 * The answers to one prompt (`--attempts N`) side by side: a column for each with its outcome and
 * speed, and above them the chosen one and the reason.
 */

enum { ANSWER_TABLE_H = 8 };

/* The lines that the table takes: ANSWER_TABLE_H, and one for the agents if several write. */
int answer_table_height(const struct session *session);

/* True if an attempt is one of several answers to the same prompt. */
bool answer_table_is_needed(const struct session *session, const struct attempt *attempt);

/* Draw the answers beside an attempt; its own column is highlighted. */
void answer_table_draw(const struct session *session, const struct attempt *attempt,
                       struct area area);

/* Append, in one line, which answer was chosen and why. */
void answer_table_add_reason(const struct session *session, const struct attempt *attempt,
                             struct strbuf *out);

/* The place of an attempt among its answers: 0 the only one, 1 first, 2 in between, 3 last. */
int answer_table_place(const struct session *session, const struct attempt *attempt);

#endif
