#ifndef TUI_SCREENS_RECOMMENDATION_PAGE_H
#define TUI_SCREENS_RECOMMENDATION_PAGE_H

#include "core/session/recorded/review.h"
#include "tui/widgets/page.h"

/* Write all that is known of a recommendation: what came of it first, then on what it was founded.
 */
void recommendation_page_write(const struct review_item *item, struct page *page, int columns);

#endif
