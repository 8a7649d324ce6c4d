#ifndef CORE_LLM_RECORDED_H
#define CORE_LLM_RECORDED_H

#include "core/llm/provider.h"

/*
 * Uses a recorded session as a model: `recorded:FOLDER` gives its replies
 * again.  FOLDER is written by `kforge export --recording` (events.jsonl, and
 * the texts that it names in texts/), or is the name of a recording that ships.
 *
 * The replies come in the recorded order, whatever the prompts are.
 * `recorded:strict:FOLDER` gives only the reply to the same prompt, byte for
 * byte, and fails if the recording has none.
 */
extern const struct provider_ops recorded_provider;

#endif
