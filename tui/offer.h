#ifndef TUI_OFFER_H
#define TUI_OFFER_H

#include "core/judge/bound.h"
#include "tui/page.h"
#include "tui/session_list.h"

/*
 * The problems that there are to begin with: those that ship, those in the
 * working folder, and any that the engineer names.
 */

struct offered_problem {
    char *path;
    char *text; /* the problem that a PyTorch file describes; NULL: the file is it */
    struct problem problem;
    struct graph graph;  /* at the main dimensions; no nodes: the file has none */
    double best_speedup; /* over the reference, in any session that was read; 0: none kept one */
    bool is_linted;
    struct hazard_list findings; /* of the lint */
};

/* All zeros is empty. */
struct offer {
    struct offered_problem *items;
    size_t count, capacity;
};

/* Read the problems of the working folder, then those that ship; what is no problem is left out. */
void offer_open(struct offer *offer);
void offer_release(struct offer *offer);

/* Add the problem of a file, or of a `text` that describes the file; it becomes the last one. */
enum status offer_add(struct offer *offer, const char *path, const char *text,
                      struct error *err) MUST_CHECK;

/* Take note of what a session brought. */
void offer_note_best(struct offer *offer, const struct listed_session *session);

/* The time that no kernel can beat with these roofs; 0 where that is not known. */
double offer_bound_us(const struct offered_problem *problem, const struct roofs *roofs);

/* A problem as a row of a list, and what the columns are; and all about it, as a page. */
void offer_put_row(const struct offered_problem *problem, const struct roofs *roofs,
                   struct pen *pen);
void offer_put_heading(struct pen *pen);
void offer_write(const struct offered_problem *problem, const struct roofs *roofs,
                 struct page *page, int columns);

#endif
