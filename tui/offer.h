#ifndef TUI_OFFER_H
#define TUI_OFFER_H

#include "tui/session_list.h"

/* The problems that there are to begin with: those that ship and those in the working folder. */

struct offered_problem {
    char *path, *name, *summary;
    char *dims;          /* "M=512 N=1024" */
    double best_speedup; /* over the reference, in any session that was read; 0: none kept one */
};

/* All zeros is empty. */
struct offer {
    struct offered_problem *items;
    size_t count, capacity;
};

void offer_open(struct offer *offer);
void offer_release(struct offer *offer);

/* Take note of what a session brought. */
void offer_note_best(struct offer *offer, const struct listed_session *session);

#endif
