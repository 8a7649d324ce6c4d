#include "core/session/driver/driver_language.h"

#include "core/model/language.h"

enum status driver_check_language(const struct driver *driver, const char *language,
                                  struct error *err)
{
    const struct device_info *device = evaluator_device(driver->evaluator);
    struct strbuf taken = {0};

    if (device_info_takes(device, language))
        return STATUS_OK;
    device_info_list_languages(device, &taken);
    error_set(err, STATUS_INVALID, "%s takes %s, not %s: choose another language or --device",
              device->id, strbuf_cstr(&taken), language_title(language));
    strbuf_release(&taken);
    return STATUS_INVALID;
}
