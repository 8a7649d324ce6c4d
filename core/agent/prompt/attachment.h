#ifndef CORE_AGENT_PROMPT_ATTACHMENT_H
#define CORE_AGENT_PROMPT_ATTACHMENT_H

#include "core/agent/brief.h"

/*
 * Checks the files that the engineer attaches for the analyst: the output of a
 * profiler, or an image of its window.
 */

/* The longest text that can be attached. */
enum { ATTACHMENT_MAX_TEXT_BYTES = 1 << 20 };

/* Fails unless the file is an image or a text that a model can read.  The error names the file. */
enum status attachment_check(const struct brief_attachment *attachment,
                             struct error *err) MUST_CHECK;

/* Decides by the media type.  An attachment that is no image is a text. */
bool attachment_is_image(const struct brief_attachment *attachment);

#endif
