#include "tui/term/pattern.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

void pattern_set(struct pattern *pattern, const char *text)
{
    *pattern = (struct pattern){0};
    snprintf(pattern->text, sizeof(pattern->text), "%s", text);
    pattern->len = strlen(pattern->text);
    for (size_t i = 0; i < pattern->len; i++)
        pattern->has_capitals |= isupper((unsigned char)pattern->text[i]) != 0;
}

size_t pattern_find(const struct pattern *pattern, const char *text, size_t len)
{
    for (size_t at = 0; pattern->len && at + pattern->len <= len; at++) {
        bool is_here = pattern->has_capitals
                           ? memcmp(text + at, pattern->text, pattern->len) == 0
                           : strncasecmp(text + at, pattern->text, pattern->len) == 0;

        if (is_here)
            return at;
    }
    return len;
}
