#ifndef CORE_LLM_MANUAL_H
#define CORE_LLM_MANUAL_H

#include "core/llm/provider.h"

/*
 * A model whose text a person copies by hand, for example to and from a chat window.
 * `manual:FOLDER` writes each prompt to FOLDER/prompt-<digest>.md and to the clipboard, and waits
 * for FOLDER/reply-<digest>.md. The default folder is "manual" in kforge's data folder.
 *
 * The digest is the prompt's. So kforge finds a reply that was written while it was not running,
 * and never takes a reply that was written for another prompt. A reply that is pasted into kforge
 * (answer() of its operations) is written to the same file. Images are written to files in the same
 * folder, which the prompt names. The files stay: the same prompt gets the same reply until its
 * file is deleted.
 */
extern const struct provider_ops manual_provider;

#endif
