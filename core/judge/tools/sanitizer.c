#include "core/judge/tools/sanitizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/base/strbuf.h"
#include "core/base/text.h"

const char *const sanitizer_tools[] = {"memcheck", "racecheck", "initcheck", "synccheck", NULL};

bool sanitizer_is_tool(const char *name)
{
    for (size_t i = 0; sanitizer_tools[i]; i++)
        if (strcmp(sanitizer_tools[i], name) == 0)
            return true;
    return false;
}

/* False for lines about the whole run, and for calls that fail because a kernel has failed. */
static bool is_finding(const char *text)
{
    static const char *const others[] = {
        "COMPUTE-SANITIZER", "ERROR SUMMARY",      "RACECHECK SUMMARY",  "LEAK SUMMARY",
        "Program hit",       "Target application", "Process terminated", "Error: process",
        "Internal",          "Warning: Maximum"};

    if (!*text || *text == ' ')
        return false;
    for (size_t i = 0; i < COUNT(others); i++)
        if (text_begins(text, others[i]))
            return false;
    return true;
}

/*
 * Read a place: "over(float *, int)+0x90 in kernel.cu:5"; before version 2023 "0x90 in
 * kernel.cu:5:over(float *)", and without line information "0x90 in over(float *)".
 */
static void read_place(const char *place, struct access_error *found)
{
    const char *in = strstr(place, " in "), *colon = in ? strchr(in, ':') : NULL;
    const char *name = text_begins(place, "0x") ? NULL : place, *last;

    if (colon)
        found->line = (unsigned)strtoul(colon + 1, NULL, 10);
    last = colon ? strchr(colon + 1, ':') : NULL;
    if (!name && last)
        name = last + 1;
    else if (!name && in && !colon)
        name = in + strlen(" in ");
    if (name)
        found->kernel = mem_strndup(name, strcspn(name, "(+ \n"));
}

/* Start the finding that begins with this line. For a race the line includes the place. */
static struct access_error read_first(const char *text)
{
    struct access_error found = {.count = 1};
    const char *at = strstr(text, " at ");

    found.kind = mem_strndup(text, at ? (size_t)(at - text) : strlen(text));
    if (at)
        read_place(at + strlen(" at "), &found);
    return found;
}

static void read_detail(const char *text, struct access_error *found)
{
    text += strspn(text, " ");
    if (!found->kernel && !found->line && text_begins(text, "at "))
        read_place(text + strlen("at "), found);
    if (!found->address && (text_begins(text, "Address ") || text_begins(text, "Access to ")))
        found->address = mem_strndup(text, strlen(text));
}

void sanitizer_read(const char *log, struct sanitizing *sanitizing)
{
    static const char mark[] = "=========";
    char *copy = mem_strdup(log), *rest = copy;
    struct access_error found = {0};
    const char *line;

    while ((line = strsep(&rest, "\n"))) {
        const char *text = text_begins(line, mark) ? line + strlen(mark) : "";

        text += *text == ' ';
        if (*text == ' ' && found.kind) {
            read_detail(text, &found);
            continue;
        }
        sanitizing_take(sanitizing, &found);
        if (is_finding(text))
            found = read_first(text);
    }
    sanitizing_take(sanitizing, &found);
    free(copy);
}
