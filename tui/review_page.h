#ifndef TUI_REVIEW_PAGE_H
#define TUI_REVIEW_PAGE_H

#include "core/session/review.h"
#include "tui/page.h"

/* Write all that is known of a recommendation: what came of it first, then on what it was founded.
 */
void review_page_write(const struct review_item *item, struct page *page, int columns);

#endif
