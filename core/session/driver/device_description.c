#include "core/session/driver/device_description.h"

void device_description_print(const struct device_info *device, const struct roofs *roofs,
                              struct strbuf *out)
{
    struct json *object = json_object_new();

    json_put(object, "device", device_info_encode(device));
    json_put(object, "roofs", roofs_encode(roofs));
    json_print_pretty(object, out);
    json_free(object);
}

enum status device_description_parse(struct device_description *description, const char *text,
                                     size_t len, struct error *err)
{
    struct json *object = json_parse(text, len, err);
    struct json_ref root = json_ref_root(object, "device.described");
    struct json_ref device = json_ref_member(&root, "device");
    struct device_description read = {0};
    enum status st = object ? device_info_decode(&read.device, &device, err) : STATUS_INVALID;

    if (!st) {
        roofs_decode(&read.roofs, json_get(object, "roofs"));
        *description = read;
    }
    json_free(object);
    return st;
}

void device_description_release(struct device_description *description)
{
    device_info_release(&description->device);
    description->roofs = (struct roofs){0};
}
