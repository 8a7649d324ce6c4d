#include "core/model/device_info.h"

#include "core/base/record.h"
#include "core/base/strbuf.h"

static const struct field fields[] = {
    {FIELD(TEXT, struct device_info, id)},
    {FIELD(TEXT, struct device_info, name)},
    {FIELD(TEXT, struct device_info, uuid)},
    {FIELD(TEXT, struct device_info, platform)},
    {FIELD(TEXT, struct device_info, compiler)},
    {FIELD(TEXT, struct device_info, language)},
    {FIELD(BOOL, struct device_info, is_cpu)},
    {FIELD(UNSIGNED, struct device_info, compute_units)},
    {FIELD(UNSIGNED, struct device_info, vector_width_f32)},
    {FIELD(SIZE, struct device_info, max_work_group)},
    {FIELD(INT64, struct device_info, memory_bytes)},
    {FIELD(INT64, struct device_info, max_buffer_bytes)},
    {FIELD(INT64, struct device_info, local_bytes)},
    {0},
};

void device_info_release(struct device_info *info)
{
    record_release(fields, info);
    *info = (struct device_info){0};
}

/* RFC 4122, section 3. */
char *device_info_uuid(const unsigned char bytes[DEVICE_UUID_BYTES])
{
    struct strbuf text = {0};

    strbuf_adds(&text, "GPU-");
    for (size_t i = 0; i < DEVICE_UUID_BYTES; i++)
        strbuf_addf(&text, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", bytes[i]);
    return strbuf_take(&text);
}

struct json *device_info_encode(const struct device_info *info)
{
    return record_encode(fields, info);
}

enum status device_info_decode(struct device_info *info, const struct json_ref *at,
                               struct error *err)
{
    struct device_info read = {0};
    enum status st = record_decode(fields, &read, at, err);

    if (!st && !(read.id && read.name && read.platform && read.language))
        st = json_ref_error(at, err,
                            "a device needs \"id\", \"name\", \"platform\" and \"language\"");
    if (st)
        device_info_release(&read);
    else
        *info = read;
    return st;
}
