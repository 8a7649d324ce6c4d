#ifndef CORE_AGENT_PROMPT_ATTACHMENT_H
#define CORE_AGENT_PROMPT_ATTACHMENT_H

#include "core/agent/brief.h"

/*
 * Files that an engineer attaches for the analyst: what a profiler printed,
 * or a picture of its window.
 */

/* A text may be longer than this only by being shortened before it is attached. */
enum { ATTACHMENT_MAX_TEXT_BYTES = 1 << 20 };

/* Whether models can be given this: an image, or a text.  The error names the file. */
enum status attachment_check(const struct brief_attachment *attachment,
                             struct error *err) MUST_CHECK;

/* By its media type; what is no image is a text. */
bool attachment_is_image(const struct brief_attachment *attachment);

#endif
