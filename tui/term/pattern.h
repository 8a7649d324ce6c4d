#ifndef TUI_TERM_PATTERN_H
#define TUI_TERM_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

/*
 * What the user searches or filters for: plain text.  Small letters stand
 * for capitals too, unless the pattern itself has a capital.
 */

enum { PATTERN_SIZE = 128 };

/* All zeros is empty, and is found nowhere. */
struct pattern {
    char text[PATTERN_SIZE];
    size_t len;
    bool has_capitals;
};

/* A text that is too long is cut. */
void pattern_set(struct pattern *pattern, const char *text);

/* Where the pattern first is in the text; `len` where it is not. */
size_t pattern_find(const struct pattern *pattern, const char *text, size_t len);

static inline bool pattern_is_in(const struct pattern *pattern, const char *text, size_t len)
{
    return pattern_find(pattern, text, len) < len;
}

#endif
