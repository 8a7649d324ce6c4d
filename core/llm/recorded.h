#ifndef CORE_LLM_RECORDED_H
#define CORE_LLM_RECORDED_H

#include "core/llm/provider.h"

/*
 * A recorded session as a model: `recorded:FOLDER` gives its replies again.
 * FOLDER is what `kforge export --recording` writes (events.jsonl, and the
 * texts it names under texts/), or the name of a recording that ships.
 *
 * The replies come in their order, whatever is asked; `recorded:strict:FOLDER`
 * answers a prompt only with what the same prompt, byte for byte, was answered
 * with, and fails where there was none.
 */
extern const struct provider_ops recorded_provider;

#endif
