#ifndef TUI_PANELS_ROUND_TABLE_H
#define TUI_PANELS_ROUND_TABLE_H

#include "core/session/state/round.h"
#include "tui/term/canvas.h"

/*
 * The answers that were asked for at the same time (`--attempts N`) side by
 * side: a column for each, what came of it and how fast it is, and above them
 * which one was chosen and why.
 */

enum { ROUND_TABLE_H = 8 };

/* Whether an attempt is one of several answers to the same prompt. */
bool round_table_is_needed(const struct session *session, const struct attempt *attempt);

/* Draw the round of an attempt into ROUND_TABLE_H lines; the attempt's own column is marked. */
void round_table_draw(const struct session *session, const struct attempt *attempt,
                      struct area area);

/* Append in a line which answer was chosen and why. */
void round_table_add_reason(const struct session *session, const struct attempt *attempt,
                            struct strbuf *out);

/* How an attempt hangs together with its neighbours in a list: 0 alone, 1 first, 2 amid, 3 last. */
int round_table_place(const struct session *session, const struct attempt *attempt);

#endif
