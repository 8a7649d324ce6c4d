#ifndef CORE_LLM_LEDGER_H
#define CORE_LLM_LEDGER_H

#include "core/llm/provider.h"

/*
 * What replies cost by list prices, and how much a model takes at once:
 * prompts/prices.json ships, and what prices.json in kforge's config folder
 * says comes first.  Both name agents, "openai:gpt-5", or all of a provider,
 * "recorded".  An agent that is in neither has no known price, which is not
 * the price 0.
 */
struct terms {
    bool has_price;
    double prompt, cached, reply; /* $ per million tokens; cached: read from the server's cache */
    unsigned context;             /* tokens of prompt and reply together; 0: not known */
};

/* `agent` is "builtin" or "<provider>:<model>".  Fails when a table cannot be read. */
enum status ledger_find_terms(const char *agent, struct terms *terms, struct error *err) MUST_CHECK;

/* False when the price is not known, or the tokens are not. */
bool ledger_cost(const struct terms *terms, const struct usage *usage, double *usd);

#endif
