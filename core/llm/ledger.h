#ifndef CORE_LLM_LEDGER_H
#define CORE_LLM_LEDGER_H

#include "core/llm/provider.h"

/*
 * The list prices of replies, and the context sizes of models.
 *
 * Two tables hold them: prices.json in kforge's config folder, which takes
 * precedence, and prompts/prices.json, which ships.  An entry is for an agent,
 * "openai:gpt-5", or for a whole provider, "recorded".  An agent without an
 * entry has an unknown price, which is not the price 0.
 */
struct terms {
    bool has_price;
    double prompt, cached, reply; /* $ per million tokens; cached: read from the server's cache */
    unsigned context;             /* tokens of prompt and reply together; 0 if unknown */
};

/* Find the terms of `agent`, "builtin" or "<provider>:<model>". Fails if a table cannot be read. */
enum status ledger_find_terms(const char *agent, struct terms *terms, struct error *err) MUST_CHECK;

/* The cost of a reply in dollars; false when the price or the tokens are unknown. */
bool ledger_cost(const struct terms *terms, const struct usage *usage, double *usd);

#endif
