#ifndef TUI_SCREENS_PROBLEM_LIST_H
#define TUI_SCREENS_PROBLEM_LIST_H

#include "core/model/bound.h"
#include "tui/screens/session_list.h"
#include "tui/widgets/page.h"

/*
 * The problems that there are to begin with: those that ship, those in the
 * working folder, and any that the engineer names.
 */

struct listed_problem {
    char *path;
    char *text; /* the problem that a PyTorch file describes; NULL: the file is it */
    struct problem problem;
    struct graph graph;  /* at the main dimensions; no nodes: the file has none */
    double best_speedup; /* over the plain kernel, in any session that was read; 0: none kept one */
    bool is_linted;
    struct hazard_list findings; /* of the lint */
};

/* All zeros is empty. */
struct problem_list {
    struct listed_problem *items;
    size_t count, capacity;
};

/* Read the problems of the working folder, then those that ship; what is no problem is left out. */
void problem_list_open(struct problem_list *problem_list);
void problem_list_release(struct problem_list *problem_list);

/* Add the problem of a file, or of a `text` that describes the file; it becomes the last one. */
enum status problem_list_add(struct problem_list *problem_list, const char *path, const char *text,
                             struct error *err) MUST_CHECK;

/* Take note of what a session brought. */
void problem_list_note_best(struct problem_list *problem_list,
                            const struct listed_session *session);

/* The time that no kernel can beat with these roofs; 0 where that is not known. */
double problem_list_bound_us(const struct listed_problem *problem, const struct roofs *roofs);

/* A problem as a row of a list, and what the columns are; and all about it, as a page. */
void problem_list_put_row(const struct listed_problem *problem, const struct roofs *roofs,
                          struct pen *pen);
void problem_list_put_heading(struct pen *pen);
void problem_list_write(const struct listed_problem *problem, const struct roofs *roofs,
                        struct page *page, int columns);

#endif
