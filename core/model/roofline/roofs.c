#include "core/model/roofline/roofs.h"

static const struct field memory_fields[] = {
    {FIELD(REAL, struct memory_roof, bytes)},
    {FIELD(REAL, struct memory_roof, bytes_per_us)},
    {0},
};
static const struct field memory_row = {.kind = FIELD_RECORD, .fields = memory_fields};

const struct field roofs_fields[] = {
    {FIELD(ARRAY, struct roofs, memory), .other = offsetof(struct roofs, memory_count),
     .item = &memory_row, .size = sizeof(struct memory_roof), .max = ROOFS_MEMORY_LEVELS},
    {FIELD(REAL, struct roofs, flops_per_us)},
    {FIELD(REAL, struct roofs, matrix_flops_per_us)},
    {FIELD(REAL, struct roofs, launch_us)},
    {FIELD(REAL, struct roofs, busy_cores)},
    {0},
};

struct json *roofs_encode(const struct roofs *roofs)
{
    return roofs->memory_count ? record_encode(roofs_fields, roofs) : json_null_new();
}

void roofs_decode(struct roofs *roofs, const struct json *encoded)
{
    struct json_ref root = json_ref_root(encoded, "roofs");
    struct roofs decoded = {0};

    if (record_decode(roofs_fields, &decoded, &root, NULL))
        decoded = (struct roofs){0};
    *roofs = decoded;
}
