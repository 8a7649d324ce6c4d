#include "core/session/driver/driver_language.h"

enum status driver_check_language(const struct driver *driver, const char *language,
                                  struct error *err)
{
    struct error why;

    if (!device_info_check_language(evaluator_device(driver->evaluator), language, &why))
        return STATUS_OK;
    return error_set(err, STATUS_INVALID, "%s: choose another --language or --device", why.text);
}
