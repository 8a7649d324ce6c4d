#ifndef CORE_LLM_ANTHROPIC_H
#define CORE_LLM_ANTHROPIC_H

#include "core/llm/chat.h"

/*
 * Anthropic's messages API, version 2023-06-01.
 *
 *	ANTHROPIC_BASE_URL  the address up to "/v1/messages" (https://api.anthropic.com)
 *	ANTHROPIC_API_KEY   required at the default address; elsewhere sent when set
 */
extern const struct provider_ops anthropic_provider;

/* The protocol, for tests. */
extern const struct chat_protocol anthropic_protocol;

#endif
