#ifndef CORE_SUITE_SUITE_BUDGET_H
#define CORE_SUITE_SUITE_BUDGET_H

#include "core/suite/suite_store.h"

/*
 * The part of a suite's budget that its sessions have used, from their journals, which may be in
 * use. A use that is unknown may be all that there is.
 */
struct suite_budget {
    const struct suite_store *store; /* borrowed */
    double (*uses)[RESOURCES];       /* of each task's session; NULL: the suite has no budget */
    double used[RESOURCES];          /* their sum */
};

/* No session is read yet; the store outlives the budget. */
void suite_budget_open(struct suite_budget *budget, const struct suite_store *store);
void suite_budget_close(struct suite_budget *budget);

/* Read what the session of a task has used by now, in place of what was read before. */
void suite_budget_count(struct suite_budget *budget, size_t task);

enum { SUITE_BUDGET_REASON = 128 };

/* True if the budget of a resource is used up; `reason` says of which. */
bool suite_budget_is_spent(const struct suite_budget *budget, char reason[SUITE_BUDGET_REASON]);

#endif
