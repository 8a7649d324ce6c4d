#ifndef CORE_LLM_MANUAL_H
#define CORE_LLM_MANUAL_H

#include "core/llm/provider.h"

/*
 * A model that a person carries the text to and fro for: a chat window, or
 * another program.  `manual:FOLDER` writes each prompt to
 * FOLDER/prompt-<digest>.md and to the clipboard, and waits until
 * FOLDER/reply-<digest>.md has been written.  Without a folder it is "manual"
 * in kforge's data folder.  The digest is the prompt's, so a reply that
 * was written while kforge was not running is found, and no reply is taken
 * for that to another prompt.  A reply that is pasted into kforge
 * (provider_answer) is written to that file.  Images lie beside the prompt,
 * which names them.  The files stay: the same prompt gets the same
 * reply until somebody deletes it.
 */
extern const struct provider_ops manual_provider;

#endif
