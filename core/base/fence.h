#ifndef CORE_BASE_FENCE_H
#define CORE_BASE_FENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"
#include "core/base/strbuf.h"

/*
 * Fenced blocks of code in Markdown, as CommonMark 0.31 section 4.5 has them:
 * three or more backticks or tildes, with what is in the block as first word
 * after them, up to as many of the same or the end of the text.
 */
struct fence {
    const char *start, *end; /* of the block, fences included */
    size_t line;             /* of its first fence, counting from 1 */
    const char *info;        /* the first word, perhaps empty */
    size_t info_len;
    const char *text; /* the lines between the fences */
    size_t len;
    bool is_closed;
};

/*
 * The one block of a kind.  `kinds` is a NULL-terminated list of first words,
 * which match without regard to case.  STATUS_NOT_FOUND when there is none,
 * STATUS_INVALID when there are several or a block of any kind is not
 * closed; the error can be sent to the author of the text.
 */
enum status fence_find(const char *text, const char *const *kinds, struct fence *fence,
                       struct error *err) MUST_CHECK;

/* Append text with "\n" at the ends of lines, whatever its system ends them with. */
void fence_add_lines(const char *start, const char *end, struct strbuf *out);

/*
 * The same for prose around blocks: a paragraph of its own, without blank lines about it.  The
 * first line stays indented: what looks like a fence there is none.
 */
void fence_add_prose(const char *start, const char *end, struct strbuf *out);

#endif
