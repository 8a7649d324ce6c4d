#include "tui/manual/synopsis.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/base/array.h"

/* Up to the bracket that closes the one which is open, or to the option that may stand instead. */
static size_t value_length(const char *text)
{
    static const char instead[] = " | --";
    size_t len = 0;

    for (int depth = 1; text[len]; len++) {
        if (depth == 1 && strncmp(text + len, instead, strlen(instead)) == 0)
            break;
        depth += (text[len] == '[') - (text[len] == ']');
        if (depth == 0)
            break;
    }
    return len;
}

bool synopsis_next(const char **at, struct synopsis_option *option)
{
    const char *name = strstr(*at, "--");
    size_t len, value, blank;

    if (!name)
        return false;
    name += 2;
    len = strcspn(name, " []");
    value = value_length(name + len);
    snprintf(option->name, sizeof(option->name), "%.*s", (int)len, name);
    blank = value > 0 && name[len] == ' ';
    snprintf(option->value, sizeof(option->value), "%.*s",
             name[len] == '[' ? 0 : (int)(value - blank), name + len + blank);
    *at = name + len + value;
    return true;
}

bool synopsis_next_word(const char **at, char word[32])
{
    while (**at) {
        size_t len = 0, choice;

        *at += strspn(*at, " |\n");
        choice = strcspn(*at, "|\n");
        while (len < choice && (islower((unsigned char)(*at)[len]) || strchr("-:", (*at)[len])))
            len++;
        snprintf(word, 32, "%.*s", (int)len, *at);
        *at += choice;
        if (len)
            return true;
    }
    return false;
}

enum synopsis_kind synopsis_kind(const char *value)
{
    static const char *const files[] = {"PROBLEM", "KERNEL", "DIR", "FOLDER", "FILE", "PATH"};

    if (strncmp(value, "SESSION", strlen("SESSION")) == 0)
        return SYNOPSIS_SESSION;
    for (size_t i = 0; i < COUNT(files); i++)
        if (strstr(value, files[i]))
            return SYNOPSIS_FILE;
    return SYNOPSIS_TEXT;
}
