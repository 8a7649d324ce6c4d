#ifndef TUI_PANELS_ANSWER_TABLE_H
#define TUI_PANELS_ANSWER_TABLE_H

#include "core/session/state/round.h"
#include "tui/term/canvas.h"

/*
 * The answers that were asked for at the same time (`--attempts N`) side by
 * side: a column for each, what came of it and how fast it is, and above them
 * which one was chosen and why.
 */

enum { ANSWER_TABLE_H = 8 };

/* Whether an attempt is one of several answers to the same prompt. */
bool answer_table_is_needed(const struct session *session, const struct attempt *attempt);

/* Draw the round of an attempt into ANSWER_TABLE_H lines; the attempt's own column is marked. */
void answer_table_draw(const struct session *session, const struct attempt *attempt,
                       struct area area);

/* Append in a line which answer was chosen and why. */
void answer_table_add_reason(const struct session *session, const struct attempt *attempt,
                             struct strbuf *out);

/* How an attempt hangs together with its neighbours in a list: 0 alone, 1 first, 2 amid, 3 last. */
int answer_table_place(const struct session *session, const struct attempt *attempt);

#endif
