#ifndef CORE_SESSION_STATE_BUDGET_H
#define CORE_SESSION_STATE_BUDGET_H

/*
 * What a session may use up.  Minutes are those in which agents and judge
 * work; an engineer who thinks costs nothing.
 */
enum resource { RESOURCE_USD, RESOURCE_TOKENS, RESOURCE_MINUTES };

enum { RESOURCES = 3, BUDGET_TEXT_SIZE = 48 };

/* As in files, by value, with NULL after the last. */
extern const char *const resource_names[];

/* From this share of a budget on, the engineer is warned. */
extern const double budget_warning_share;

/* "$1.62", "41200 tokens", "8.2 minutes". */
void budget_describe(enum resource resource, double amount, char text[BUDGET_TEXT_SIZE]);

#endif
