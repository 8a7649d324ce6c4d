#include "tui/cli/eval_language.h"

#include "core/agent/reply/reply_block.h"
#include "core/model/language.h"

const char *eval_language(const char *path, const char *reply, const struct device_info *device)
{
    const struct language *of_file = language_of_file(path);
    struct reply_kernel kernel;

    if (of_file)
        return of_file->name;
    for (size_t i = 0; i < device->languages.count; i++)
        if (!reply_find_kernel(reply, device->languages.items[i], &kernel, NULL))
            return device->languages.items[i];
    return device->language;
}

enum status eval_language_check(const char *path, const struct device_info *device,
                                struct error *why)
{
    const struct language *language = language_of_file(path);
    struct strbuf taken = {0};

    if (!language || device_info_takes(device, language->name))
        return STATUS_OK;
    device_info_list_languages(device, &taken);
    error_set(why, STATUS_INVALID, "is in %s, and %s runs %s: choose another with --device",
              language->title, device->id, strbuf_cstr(&taken));
    strbuf_release(&taken);
    return STATUS_INVALID;
}
