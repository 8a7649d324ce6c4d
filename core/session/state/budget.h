#ifndef CORE_SESSION_STATE_BUDGET_H
#define CORE_SESSION_STATE_BUDGET_H

/*
 * The resources that a session can have a budget for. Minutes count only while an agent or the
 * judge works, not while the session waits for the engineer.
 */
enum resource { RESOURCE_USD, RESOURCE_TOKENS, RESOURCE_MINUTES };

enum { RESOURCES = 3, BUDGET_TEXT_SIZE = 48 };

/* Names in files, by enum resource; NULL ends the list. */
extern const char *const resource_names[];

/* The engineer is warned when this share of a budget is used. */
extern const double budget_warning_share;

/* Write an amount with its unit: "$1.62", "41200 tokens", "8.2 minutes". */
void budget_describe(enum resource resource, double amount, char text[BUDGET_TEXT_SIZE]);

#endif
