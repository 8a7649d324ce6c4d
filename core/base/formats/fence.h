#ifndef CORE_BASE_FORMATS_FENCE_H
#define CORE_BASE_FORMATS_FENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"
#include "core/base/strbuf.h"

/*
 * Finds fenced code blocks in Markdown (CommonMark 0.31, section 4.5). A block opens with three or
 * more backticks or tildes and an info string, whose first word names the language. It ends at a
 * line with at least as many of the same character, or at the end of the text.
 */
struct fence {
    const char *start, *end; /* start and end of the block with its fences */
    size_t line;             /* line of the opening fence, from 1 */
    const char *info;        /* the first word of the info string; may be empty */
    size_t info_len;
    const char *text; /* the lines between the fences */
    size_t len;
    bool is_closed;
};

/*
 * Find the only block of a kind. `kinds` is a NULL-terminated list of first words, compared without
 * regard to case. STATUS_NOT_FOUND when there is no such block; STATUS_INVALID when there are
 * several, or when a block of any kind is not closed. The author of the text can act on the error
 * message.
 */
enum status fence_find(const char *text, const char *const *kinds, struct fence *fence,
                       struct error *err) MUST_CHECK;

/* Append the text with every line ending turned into "\n". */
void fence_add_lines(const char *start, const char *end, struct strbuf *out);

/*
 * Append the prose around blocks: it becomes one paragraph, without blank lines before or after it.
 * The first line keeps its indentation, because an indented fence does not open a block.
 */
void fence_add_prose(const char *start, const char *end, struct strbuf *out);

/* Append a fence for `text`: at least three backticks, and more than the text has in a row. */
void fence_add_marks(const char *text, struct strbuf *out);

#endif
