#ifndef CORE_AGENT_REPLY_REPLY_BLOCK_H
#define CORE_AGENT_REPLY_REPLY_BLOCK_H

#include "core/base/fence.h"
#include "core/base/strbuf.h"

/* The fenced blocks of a reply, which reply.c and reply_derive.c read. */

/* Find the block of the kernel, or of the plan.  STATUS_NOT_FOUND if there is none, STATUS_INVALID
 * for any other fault. */
enum status reply_find_kernel(const char *reply, const char *language, struct fence *kernel,
                              struct error *err) MUST_CHECK;
enum status reply_find_plan(const char *reply, struct fence *plan, struct error *err) MUST_CHECK;

/* Append a fenced block.  Its fences are longer than any row of backticks in `text`. */
void reply_add_block(const char *info, const char *text, struct strbuf *out);

#endif
