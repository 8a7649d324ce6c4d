#ifndef CORE_SUITE_SUITE_BUDGET_H
#define CORE_SUITE_SUITE_BUDGET_H

#include "core/suite/suite_store.h"

/*
 * The part of a suite's budget that its sessions have used.  It is read from their journals, which
 * may be in use.  An unknown cost counts as the whole budget, because it may have used it up.
 */
struct suite_budget {
    const struct suite_store *store; /* borrowed */
    /* what each task's session has used; NULL if the suite has no budget */
    double (*uses)[RESOURCES];
    double used[RESOURCES]; /* the sum over all tasks */
};

/* Begin without reading any session; the store must outlive the budget. */
void suite_budget_open(struct suite_budget *budget, const struct suite_store *store);
void suite_budget_close(struct suite_budget *budget);

/* Read what the session of a task has used so far; it replaces what was read before. */
void suite_budget_count(struct suite_budget *budget, size_t task);

enum { SUITE_BUDGET_REASON = 128 };

/* True if the budget of some resource is used up; `reason` names the resource. */
bool suite_budget_is_spent(const struct suite_budget *budget, char reason[SUITE_BUDGET_REASON]);

#endif
