#ifndef TUI_SCREENS_RECOMMENDATION_PAGE_H
#define TUI_SCREENS_RECOMMENDATION_PAGE_H

#include "core/session/recorded/review.h"
#include "tui/widgets/page.h"

/* Write all facts of a recommendation: the result, the decision, then the evidence. */
void recommendation_page_write(const struct review_item *item, struct page *page, int columns);

#endif
