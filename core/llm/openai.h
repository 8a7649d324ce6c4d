#ifndef CORE_LLM_OPENAI_H
#define CORE_LLM_OPENAI_H

#include "core/llm/chat.h"

/*
 * OpenAI's API "chat completions".  Most servers of open models offer it too
 * (vLLM, llama.cpp, SGLang, Ollama, gateways).
 *
 *	OPENAI_BASE_URL  the address up to "/chat/completions" (https://api.openai.com/v1)
 *	OPENAI_API_KEY   required at the default address; elsewhere sent when set
 */
extern const struct provider_ops openai_provider;

/* The protocol, for tests. */
extern const struct chat_protocol openai_protocol;

#endif
