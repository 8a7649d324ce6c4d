#ifndef CORE_AGENT_REPLY_REPLY_BLOCK_H
#define CORE_AGENT_REPLY_REPLY_BLOCK_H

#include "core/base/formats/fence.h"
#include "core/base/strbuf.h"

/* The fenced blocks of a reply, which reply.c and reply_derive.c read. */

struct reply_kernel {
    struct fence fence;
    const char *language; /* the wanted name, or one of the table (language.h) */
};

/*
 * Find the block of the kernel, or of the plan.  STATUS_NOT_FOUND if there is none, STATUS_INVALID
 * for any other fault.  Without a block in the wanted language, a single one that is marked with
 * the name of another language counts, unless several languages have that mark.
 */
enum status reply_find_kernel(const char *reply, const char *wanted, struct reply_kernel *kernel,
                              struct error *err) MUST_CHECK;
enum status reply_find_plan(const char *reply, struct fence *plan, struct error *err) MUST_CHECK;

/* Append a fenced block.  Its fences are longer than any row of backticks in `text`. */
void reply_add_block(const char *info, const char *text, struct strbuf *out);

#endif
