#ifndef TUI_PANELS_ANSWER_TABLE_H
#define TUI_PANELS_ANSWER_TABLE_H

#include "core/session/state/round.h"
#include "tui/term/canvas.h"

/*
 * The answers to one prompt (`--attempts N`) side by side: a column for each with its outcome and
 * speed, and above them the chosen one and the reason.
 */

enum { ANSWER_TABLE_H = 8 };

/* The height of the table in lines: ANSWER_TABLE_H, and one more if several agents write. */
int answer_table_height(const struct session *session);

/* True if an attempt is one of several answers to the same prompt. */
bool answer_table_is_needed(const struct session *session, const struct attempt *attempt);

/* Draw the answers to the prompt of an attempt; the column of the attempt is highlighted. */
void answer_table_draw(const struct session *session, const struct attempt *attempt,
                       struct area area);

/* Append, in one line, which answer was chosen and why. */
void answer_table_add_reason(const struct session *session, const struct attempt *attempt,
                             struct strbuf *out);

/*
 * The place of an attempt among the answers to its prompt: 0 the only one, 1 the first, 2 in
 * between, 3 the last.
 */
int answer_table_place(const struct session *session, const struct attempt *attempt);

#endif
