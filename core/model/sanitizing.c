#include "core/model/sanitizing.h"

#include <stdlib.h>

#include "core/base/text.h"
#include "core/base/vec.h"

static const struct field error_fields[] = {
    {FIELD(TEXT, struct access_error, kind)},      {FIELD(TEXT, struct access_error, kernel)},
    {FIELD(UNSIGNED, struct access_error, line)},  {FIELD(TEXT, struct access_error, address)},
    {FIELD(UNSIGNED, struct access_error, count)}, {0},
};
static const struct field error_row = {.kind = FIELD_RECORD, .fields = error_fields};

const struct field sanitizing_fields[] = {
    {FIELD(TEXT, struct sanitizing, tool)},
    {FIELD(TEXT, struct sanitizing, program)},
    {FIELD(TEXT, struct sanitizing, dims)},
    {FIELD(TEXT, struct sanitizing, missing)},
    {FIELD(LIST, struct sanitizing, errors), .item = &error_row,
     .size = sizeof(struct access_error)},
    {0},
};

static void release(struct access_error *error)
{
    free(error->kind);
    free(error->kernel);
    free(error->address);
}

static struct access_error *find(const struct sanitizing *sanitizing,
                                 const struct access_error *found)
{
    for (size_t i = 0; i < sanitizing->errors.count; i++) {
        struct access_error *known = &sanitizing->errors.items[i];

        if (known->line == found->line && text_equals(known->kernel, found->kernel) &&
            text_equals(known->kind, found->kind))
            return known;
    }
    return NULL;
}

void sanitizing_take(struct sanitizing *sanitizing, struct access_error *found)
{
    struct access_error *known = found->kind ? find(sanitizing, found) : NULL;

    if (known)
        known->count++;
    if (found->kind && !known && sanitizing->errors.count < SANITIZING_MAX_PLACES)
        vec_push(&sanitizing->errors, *found);
    else
        release(found);
    *found = (struct access_error){0};
}

void sanitizing_release(struct sanitizing *sanitizing)
{
    record_release(sanitizing_fields, sanitizing);
    *sanitizing = (struct sanitizing){0};
}
