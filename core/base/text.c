#include "core/base/text.h"

#include <ctype.h>
#include <string.h>

const char *text_after(const char *text, const char *beginning)
{
    size_t len = strlen(beginning);

    return strncmp(text, beginning, len) == 0 ? text + len : NULL;
}

bool text_begins(const char *text, const char *beginning)
{
    return text_after(text, beginning) != NULL;
}

bool text_is(const char *bytes, size_t len, const char *word)
{
    return strlen(word) == len && memcmp(bytes, word, len) == 0;
}

bool text_equals(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

bool text_is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}
