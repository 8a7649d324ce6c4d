#ifndef CORE_LLM_LEDGER_H
#define CORE_LLM_LEDGER_H

#include "core/llm/provider.h"

/*
 * What replies cost, by list prices: prompts/prices.json ships, and what
 * prices.json in kforge's config folder says comes first.  Both name agents,
 * "openai:gpt-5", or all of a provider, "recorded".  An agent that is in
 * neither has no known price, which is not the price 0.
 */
struct price {
    bool is_known;
    double prompt, reply; /* $ per million tokens */
};

/* `agent` is "builtin" or "<provider>:<model>".  Fails when a table cannot be read. */
enum status ledger_find_price(const char *agent, struct price *price, struct error *err) MUST_CHECK;

/* False when the price is not known, or the tokens are not. */
bool ledger_cost(const struct price *price, const struct usage *usage, double *usd);

#endif
