#include "core/base/formats/csv.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/strbuf.h"
#include "core/base/vec.h"

/*
 * Append a quoted field, from behind its opening quote, and return the position after it. A quote
 * ends the field only before a separator. A doubled quote stands for one; a single one inside the
 * field stands for itself.
 */
static const char *read_quoted(const char *at, struct strbuf *field)
{
    for (; *at; at++) {
        if (*at == '"' && strchr(",\r\n", at[1]))
            return at + 1;
        at += *at == '"' && at[1] == '"';
        strbuf_add(field, at, 1);
    }
    return at;
}

static const char *read_field(const char *at, struct csv_row *row)
{
    struct strbuf field = {0};
    size_t plain;

    if (*at == '"')
        at = read_quoted(at + 1, &field);
    plain = strcspn(at, ",\r\n");
    strbuf_add(&field, at, plain);
    vec_push(&row->fields, strbuf_take(&field));
    return at + plain;
}

bool csv_next(const char **text, struct csv_row *row)
{
    const char *at = *text;

    csv_row_release(row);
    if (!*at)
        return false;
    at = read_field(at, row);
    while (*at == ',')
        at = read_field(at + 1, row);
    at += *at == '\r';
    at += *at == '\n';
    *text = at;
    return true;
}

size_t csv_find(const struct csv_row *row, const char *name)
{
    size_t i = 0;

    while (i < row->fields.count && strcmp(row->fields.items[i], name) != 0)
        i++;
    return i;
}

const char *csv_field(const struct csv_row *row, size_t index)
{
    return index < row->fields.count ? row->fields.items[index] : "";
}

void csv_row_release(struct csv_row *row)
{
    for (size_t i = 0; i < row->fields.count; i++)
        free(row->fields.items[i]);
    vec_release(&row->fields);
}
