#include "backends/cuda/ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/strbuf.h"
#include "core/base/vec.h"

#define NAME_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$"

/* Read block sizes such as "16, 1, 1". */
static void read_block(const char *text, size_t block[LAUNCH_MAX_RANK])
{
    char *end;

    for (size_t axis = 0; axis < LAUNCH_MAX_RANK; axis++) {
        block[axis] = strtoul(text, &end, 10);
        block[axis] = end == text ? 1 : block[axis]; /* axes that are left out */
        text = end + strspn(end, ", ");
    }
}

/*
 * The type is the first word that begins with a point, except ".align": ".param .align 64 .b8
 * map[128]".
 */
static struct ptx_parameter read_parameter(const char *declaration)
{
    struct ptx_parameter read = {0};
    const char *array = strchr(declaration, '[');

    for (const char *word = declaration; !*read.type && (word = strstr(word, " .")); word += 2)
        if (strncmp(word, " .align", 7) != 0)
            snprintf(read.type, sizeof(read.type), "%.*s", (int)strspn(word + 2, NAME_LETTERS),
                     word + 2);
    if (array)
        read.length = strtoul(array + 1, NULL, 10);
    return read;
}

static struct ptx_entry read_entry(const char *name)
{
    struct strbuf text = {0};

    strbuf_add(&text, name, strspn(name, NAME_LETTERS));
    return (struct ptx_entry){.name = strbuf_take(&text)};
}

/* A header consists of the name, the parameters, one to a line, and directives; "{" ends it. */
static void read_line(struct ptx_entries *found, const char *line, bool *in_header)
{
    const char *entry = strstr(line, ".entry "), *demand = strstr(line, ".reqntid ");
    const char *parameter = strstr(line, ".param ");

    if (entry && strspn(entry + strlen(".entry "), NAME_LETTERS) > 0) {
        vec_push(found, read_entry(entry + strlen(".entry ")));
        *in_header = true;
    }
    if (*in_header && parameter)
        vec_push(&found->items[found->count - 1].parameters, read_parameter(parameter));
    if (*in_header && demand)
        read_block(demand + strlen(".reqntid "), found->items[found->count - 1].required_block);
    if (strchr(line, '{'))
        *in_header = false;
}

void ptx_read(const char *text, struct ptx_entries *found)
{
    char *copy = mem_strdup(text), *rest = copy;
    bool in_header = false;
    const char *line;

    while ((line = strsep(&rest, "\n")))
        read_line(found, line, &in_header);
    free(copy);
}

void ptx_entries_release(struct ptx_entries *entries)
{
    for (size_t i = 0; i < entries->count; i++) {
        free(entries->items[i].name);
        vec_release(&entries->items[i].parameters);
    }
    vec_release(entries);
}
