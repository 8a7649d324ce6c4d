#include "core/judge/tools/oclgrind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/strbuf.h"
#include "core/base/text.h"

/* Ends before the executor's limit on what a run may print. */
#define MAX_ERRORS "500"

void oclgrind_options(const char *tool, const struct device_info *device,
                      struct oclgrind_command *command)
{
    const char **option = command->options;

    snprintf(command->texts[0], OCLGRIND_TEXT, "%lld", (long long)device->memory_bytes);
    snprintf(command->texts[1], OCLGRIND_TEXT, "%lld", (long long)device->local_bytes);
    snprintf(command->texts[2], OCLGRIND_TEXT, "%zu", device->max_work_group);
    *option++ = "--max-errors";
    *option++ = MAX_ERRORS;
    *option++ = "--global-mem-size";
    *option++ = command->texts[0];
    *option++ = "--local-mem-size";
    *option++ = command->texts[1];
    *option++ = "--max-wgsize";
    *option++ = command->texts[2];
    if (strcmp(tool, "racecheck") == 0)
        *option++ = "--data-races";
    if (strcmp(tool, "initcheck") == 0)
        *option++ = "--uninitialized";
    *option = NULL;
}

/* "Invalid write of size 4 at global memory address 0x10": the kind, and the address apart. */
static struct access_error read_first(const char *line)
{
    struct access_error found = {.count = 1};
    const char *address = strstr(line, " address 0x");
    size_t len = address ? (size_t)(address - line) : strlen(line);
    struct strbuf kind = {0};

    strbuf_add(&kind, line, len);
    found.kind = strbuf_take(&kind);
    found.address = address ? mem_strdup(address + 1) : NULL;
    return found;
}

/* A race has two places, in either order: the first line of both is its place. */
static void read_detail(const char *text, struct access_error *found)
{
    const char *kernel = text_after(text, "Kernel:"), *place = text_after(text, "At line ");
    unsigned line = place ? (unsigned)strtoul(place, NULL, 10) : 0;

    if (kernel && !found->kernel)
        found->kernel = mem_strdup(kernel + strspn(kernel, " "));
    if (line && (!found->line || line < found->line))
        found->line = line;
}

/* A finding is a line that is followed by one with its kernel. */
static bool begins_finding(const char *line, const char *next)
{
    return *line && *line != '\t' && next && text_after(next, "\tKernel:");
}

void oclgrind_read(const char *printed, struct sanitizing *sanitizing)
{
    char *copy = mem_strdup(printed), *rest = copy;
    const char *line = strsep(&rest, "\n");
    struct access_error found = {0};

    while (line) {
        const char *next = strsep(&rest, "\n");

        if (begins_finding(line, next)) {
            sanitizing_take(sanitizing, &found);
            found = read_first(line);
        } else if (*line == '\t' && found.kind) {
            read_detail(line + 1, &found);
        }
        line = next;
    }
    sanitizing_take(sanitizing, &found);
    free(copy);
}
