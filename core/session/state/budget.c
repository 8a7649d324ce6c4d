#include "core/session/state/budget.h"

#include <stddef.h>
#include <stdio.h>

const double budget_warning_share = 0.8;

const char *const resource_names[] = {
    [RESOURCE_USD] = "usd",
    [RESOURCE_TOKENS] = "tokens",
    [RESOURCE_MINUTES] = "minutes",
    [RESOURCES] = NULL,
};

void budget_describe(enum resource resource, double amount, char text[BUDGET_TEXT_SIZE])
{
    switch (resource) {
    case RESOURCE_USD:
        snprintf(text, BUDGET_TEXT_SIZE, "$%.3g", amount);
        break;
    case RESOURCE_TOKENS:
        snprintf(text, BUDGET_TEXT_SIZE, "%.0f tokens", amount);
        break;
    case RESOURCE_MINUTES:
        snprintf(text, BUDGET_TEXT_SIZE, "%.3g minutes", amount);
        break;
    }
}
