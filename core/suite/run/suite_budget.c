#include "core/suite/run/suite_budget.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/suite/suite_session.h"

void suite_budget_open(struct suite_budget *budget, const struct suite_store *store)
{
    bool has_budget = false;

    *budget = (struct suite_budget){.store = store};
    for (size_t i = 0; i < RESOURCES; i++)
        has_budget |= store->suite.budget[i] > 0;
    if (has_budget)
        budget->uses = mem_alloc_zeroed(suite_task_count(&store->suite), sizeof(*budget->uses));
}

void suite_budget_close(struct suite_budget *budget)
{
    free(budget->uses);
    *budget = (struct suite_budget){0};
}

void suite_budget_count(struct suite_budget *budget, size_t task)
{
    const double *limits = budget->store->suite.budget;
    const char *id = budget->store->state.tasks[task].session;
    struct session session = {0};
    struct error err;

    if (!budget->uses || !id[0])
        return;
    if (!suite_session_read(id, &session, &err)) {
        for (size_t i = 0; i < RESOURCES; i++) {
            double used = session.unknown[i] && limits[i] > 0 ? limits[i] : session.used[i];

            budget->used[i] += used - budget->uses[task][i];
            budget->uses[task][i] = used;
        }
    }
    session_release(&session);
}

bool suite_budget_is_spent(const struct suite_budget *budget, char reason[SUITE_BUDGET_REASON])
{
    for (size_t i = 0; i < RESOURCES; i++) {
        double limit = budget->store->suite.budget[i];
        char text[BUDGET_TEXT_SIZE];

        if (limit > 0 && budget->used[i] >= limit) {
            budget_describe((enum resource)i, limit, text);
            snprintf(reason, SUITE_BUDGET_REASON,
                     "the suite's budget of %s is used up, or the cost of a session is unknown",
                     text);
            return true;
        }
    }
    return false;
}
