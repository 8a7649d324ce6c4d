#ifndef TUI_PANELS_STEP_FACTS_H
#define TUI_PANELS_STEP_FACTS_H

#include "core/session/state/session.h"
#include "tui/widgets/page.h"

/* The facts of a step, as lines of a page that is `columns` wide. */

/* Append its kind, title, decision with reason, outcome and cost. */
void step_facts_add(struct page *page, const struct session *session, const struct step *step,
                    int columns);

/* Append time, tokens and price of a reply, as far as they are known. */
void step_facts_add_effort(struct page *page, const struct effort *effort, int columns);

#endif
