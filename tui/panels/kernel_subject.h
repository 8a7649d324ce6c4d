#ifndef TUI_PANELS_KERNEL_SUBJECT_H
#define TUI_PANELS_KERNEL_SUBJECT_H

#include "tui/panels/view_model.h"

/* The texts that the kernel pane can show, and the attempts that it can compare. Borrows all. */

/* Parts that the pane shows. The key `p` cycles through the first three; others are listings. */
enum part {
    PART_KERNEL,
    PART_PLAN,
    PART_REFERENCE,
    PART_TURNED,
    PART_LISTINGS = PART_TURNED,
    PART_PTX = PART_LISTINGS,
    PART_SASS
};

enum base { BASE_BEST, BASE_PARENT, BASE_CHOSEN, BASE_COUNT };

/* The attempt that a base names; its number is 0 if there is none. */
const struct subject *kernel_base(const struct view_model *view_model, enum base base);

/* True if the attempt in view can be compared with the base: there is one, and it is another. */
bool kernel_base_is_comparable(const struct view_model *view_model, enum base base);

/* The listing's form by its name: "ptx" or "sass". */
const char *kernel_listing_form(enum part part);

/* The query for this listing of the attempt in view, answered or not; NULL if there was none. */
const struct candidate_query *kernel_listing(const struct view_model *view_model, enum part part);

/* The kernel or the plan of an attempt. */
const char *kernel_part_of(const struct subject *subject, enum part part);

/* The text of a part for the attempt in view; "" if it is not known. */
const char *kernel_text(const struct view_model *view_model, enum part part);

/* True if a part of both attempts has the same text. */
bool kernel_is_same(const struct subject *a, const struct subject *b, enum part part);

#endif
