#include "backends/devices.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/strbuf.h"
#include "core/base/vec.h"

static enum status probe_all(struct device_list *devices, struct error *err)
{
    for (size_t i = 0; backend_list[i]; i++) {
        enum status st = backend_list[i]->probe(devices, err);

        if (st)
            return st;
    }
    return STATUS_OK;
}

static bool is_wanted(const struct device_info *device, const char *wanted)
{
    return strncmp(device->id, wanted, strlen(wanted)) == 0;
}

static enum status no_device(const struct device_list *devices, const char *wanted,
                             struct error *err)
{
    struct strbuf known = {0};

    if (devices->count == 0)
        return error_set(err, STATUS_NOT_FOUND,
                         "no OpenCL device: install a driver, for the CPU the package "
                         "pocl-opencl-icd");
    for (size_t i = 0; i < devices->count; i++)
        strbuf_add_item(&known, devices->items[i].id);
    error_set(err, STATUS_NOT_FOUND, "no device \"%s\": there is %s", wanted, strbuf_cstr(&known));
    strbuf_release(&known);
    return STATUS_NOT_FOUND;
}

enum status devices_find(const char *wanted, struct device_list *found, struct error *err)
{
    struct device_list all = {0};
    size_t before = found->count;
    enum status st = probe_all(&all, err);

    for (size_t i = 0; !st && i < all.count; i++) {
        if (!is_wanted(&all.items[i], wanted))
            continue;
        vec_push(found, all.items[i]);
        all.items[i] = (struct device_info){0};
    }
    if (!st && found->count == before)
        st = no_device(&all, wanted, err);
    device_list_release(&all);
    return st;
}

const struct backend_ops *devices_backend(const char *id, size_t *index)
{
    for (size_t i = 0; backend_list[i]; i++) {
        size_t len = strlen(backend_list[i]->name);

        if (strncmp(id, backend_list[i]->name, len) != 0 || id[len] != ':')
            continue;
        *index = strtoul(id + len + 1, NULL, 10);
        return backend_list[i];
    }
    return NULL;
}
