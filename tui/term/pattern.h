#ifndef TUI_TERM_PATTERN_H
#define TUI_TERM_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The text that the user searches or filters for. It is plain text, not a regular expression. Case
 * is ignored unless the pattern has a capital letter.
 */

enum { PATTERN_SIZE = 128 };

/* All zeros is the empty pattern, which matches nothing. */
struct pattern {
    char text[PATTERN_SIZE];
    size_t len;
    bool has_capitals;
};

/* Set the text, cut at PATTERN_SIZE - 1 bytes. */
void pattern_set(struct pattern *pattern, const char *text);

/* The byte offset of the first match in the text; `len` if there is none. */
size_t pattern_find(const struct pattern *pattern, const char *text, size_t len);

/* True if the text has a match. */
static inline bool pattern_is_in(const struct pattern *pattern, const char *text, size_t len)
{
    return pattern_find(pattern, text, len) < len;
}

#endif
