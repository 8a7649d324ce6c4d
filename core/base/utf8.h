#ifndef CORE_BASE_UTF8_H
#define CORE_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/strbuf.h"

/* UTF-8 that comes from outside: it may be invalid or hostile. */

enum { UTF8_REPLACEMENT = 0xFFFD };

/*
 * Decode one code point from the `len` > 0 bytes at `text`, and return the number of bytes that it
 * takes. An invalid sequence (RFC 3629: overlong, surrogate, truncated) takes one byte and decodes
 * to U+FFFD.
 */
size_t utf8_decode(const char *text, size_t len, uint32_t *code);

/*
 * Append a piece of a stream, with invalid bytes as U+FFFD, and return the number of bytes taken.
 * An incomplete code point at the end is left for the next piece, unless this piece is the last.
 */
size_t utf8_add_whole(struct strbuf *out, const char *text, size_t len, int is_last);

/* True when the bytes are plain text: valid UTF-8 without NUL bytes. */
bool utf8_is_text(const char *text, size_t len);

/* Append the encoding of `code`. */
void utf8_encode(struct strbuf *out, uint32_t code);

/*
 * True when printing `code` would affect more than its own cell of the screen: control characters
 * (tab and newline included), bidirectional overrides and isolates, zero-width characters, line and
 * paragraph separators, tags.
 */
int utf8_is_hazardous(uint32_t code);

/*
 * Append `text` with hazardous characters spelled out as `<U+202E>` and invalid bytes as U+FFFD.
 * Newline and tab stay.
 */
void utf8_add_visible(struct strbuf *out, const char *text, size_t len);

/*
 * Append ": " and the last line that is not blank, at most its first `most` bytes, by
 * utf8_add_visible(); nothing if all lines are blank.
 */
void utf8_add_last_line(struct strbuf *out, const char *text, size_t len, size_t most);

#endif
