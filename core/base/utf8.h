#ifndef CORE_BASE_UTF8_H
#define CORE_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/strbuf.h"

/* UTF-8 as text from outside comes: perhaps broken, perhaps hostile. */

enum { UTF8_REPLACEMENT = 0xFFFD };

/*
 * Decode one code point of the `len` > 0 bytes at `text`, and return how many
 * bytes it took.  An invalid sequence (RFC 3629: overlong, surrogate, cut
 * off) takes one byte and decodes to U+FFFD.
 */
size_t utf8_decode(const char *text, size_t len, uint32_t *code);

/*
 * Append `text`, a piece of a stream, with invalid bytes as U+FFFD, and return
 * how many bytes were taken: those at the end that begin a code point are
 * left for the next piece, unless this is the last.
 */
size_t utf8_add_whole(struct strbuf *out, const char *text, size_t len, int is_last);

/* Whether the bytes are text as it stands in files: all valid, and none of them NUL. */
bool utf8_is_text(const char *text, size_t len);

/* Append `code` encoded. */
void utf8_encode(struct strbuf *out, uint32_t code);

/*
 * Whether showing `code` would change more than its own cell: control
 * characters (tab and newline too), bidirectional overrides and isolates,
 * zero-width characters, line and paragraph separators, tags.
 */
int utf8_is_hazardous(uint32_t code);

/* Append `text` with hazards as `<U+202E>` and invalid bytes as U+FFFD; newline and tab are kept.
 */
void utf8_add_visible(struct strbuf *out, const char *text, size_t len);

#endif
