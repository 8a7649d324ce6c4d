#include "core/model/sanitizing.h"

static const struct field error_fields[] = {
    {FIELD(TEXT, struct access_error, kind)},      {FIELD(TEXT, struct access_error, kernel)},
    {FIELD(UNSIGNED, struct access_error, line)},  {FIELD(TEXT, struct access_error, address)},
    {FIELD(UNSIGNED, struct access_error, count)}, {0},
};
static const struct field error_row = {.kind = FIELD_RECORD, .fields = error_fields};

const struct field sanitizing_fields[] = {
    {FIELD(TEXT, struct sanitizing, tool)},
    {FIELD(TEXT, struct sanitizing, missing)},
    {FIELD(LIST, struct sanitizing, errors), .item = &error_row,
     .size = sizeof(struct access_error)},
    {0},
};

void sanitizing_release(struct sanitizing *sanitizing)
{
    record_release(sanitizing_fields, sanitizing);
    *sanitizing = (struct sanitizing){0};
}
