#ifndef CORE_AGENT_REPLY_REPLY_BLOCK_H
#define CORE_AGENT_REPLY_REPLY_BLOCK_H

#include "core/base/fence.h"
#include "core/base/strbuf.h"

/* The fenced blocks that a reply is made of; shared by the parts of reply.h. */

/* STATUS_NOT_FOUND when there is none, STATUS_INVALID for everything else that is wrong. */
enum status reply_find_kernel(const char *reply, const char *language, struct fence *kernel,
                              struct error *err) MUST_CHECK;
enum status reply_find_plan(const char *reply, struct fence *plan, struct error *err) MUST_CHECK;

/* Append a block, with fences longer than anything like them in `text`. */
void reply_add_block(const char *info, const char *text, struct strbuf *out);

#endif
