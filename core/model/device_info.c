#include "core/model/device_info.h"

#include <string.h>

#include "core/base/mem.h"
#include "core/base/record.h"
#include "core/base/vec.h"
#include "core/model/language.h"

static const struct field language_row = {.kind = FIELD_TEXT};

static const struct field fields[] = {
    {FIELD(TEXT, struct device_info, id)},
    {FIELD(TEXT, struct device_info, name)},
    {FIELD(TEXT, struct device_info, uuid)},
    {FIELD(TEXT, struct device_info, platform)},
    {FIELD(TEXT, struct device_info, compiler)},
    {FIELD(TEXT, struct device_info, language)},
    {FIELD(LIST, struct device_info, languages), .item = &language_row, .size = sizeof(char *)},
    {FIELD(TEXT, struct device_info, absent)},
    {FIELD(BOOL, struct device_info, is_cpu)},
    {FIELD(BOOL, struct device_info, is_untimed)},
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

bool device_info_takes(const struct device_info *info, const char *language)
{
    for (size_t i = 0; i < info->languages.count; i++)
        if (strcmp(info->languages.items[i], language) == 0)
            return true;
    return info->language && strcmp(info->language, language) == 0;
}

void device_info_add_language(struct device_info *info, const char *language)
{
    if (info->languages.count == 0)
        vec_push(&info->languages, mem_strdup(info->language));
    vec_push(&info->languages, mem_strdup(language));
}

void device_info_list_languages(const struct device_info *info, struct strbuf *out)
{
    if (info->languages.count == 0)
        strbuf_adds(out, language_title(info->language));
    for (size_t i = 0; i < info->languages.count; i++)
        strbuf_add_listed(out, language_title(info->languages.items[i]), i, info->languages.count);
}

enum status device_info_check_language(const struct device_info *info, const char *language,
                                       struct error *err)
{
    struct strbuf taken = {0}, selectors = {0};

    if (device_info_takes(info, language))
        return STATUS_OK;
    device_info_list_languages(info, &taken);
    language_list_selectors(language, &selectors);
    error_set(err, STATUS_INVALID, "%s takes %s, not %s%s%s%s", info->id, strbuf_cstr(&taken),
              language_title(language), selectors.len ? ": " : "", strbuf_cstr(&selectors),
              selectors.len ? " in the environment may hide a device that does" : "");
    strbuf_release(&taken);
    strbuf_release(&selectors);
    return STATUS_INVALID;
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
