#include "backends/devices.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/strbuf.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/model/language.h"

static const struct backend_ops *find_backend(const char *name, size_t len)
{
    for (size_t i = 0; backend_list[i]; i++)
        if (strlen(backend_list[i]->name) == len && memcmp(backend_list[i]->name, name, len) == 0)
            return backend_list[i];
    return NULL;
}

/*
 * List the devices in the order of the languages, because the first one is the default device. It
 * says why those before it are absent. `only`: the one back end that is asked; NULL asks all.
 */
static enum status probe(const char *wanted, const struct backend_ops *only,
                         struct device_list *devices, struct error *err)
{
    enum status st = STATUS_OK;

    for (const struct language *language = languages; !st && language->name; language++) {
        const char *name = language->device ? language->device : "";
        const struct backend_ops *backend = find_backend(name, strlen(name));
        bool is_empty = devices->count == 0;

        if (backend && (only ? backend == only : !backend->is_named || text_begins(wanted, name)))
            st = backend->probe(devices, err);
        if (is_empty && devices->count && devices->hidden.len && !*wanted)
            devices->items[0].absent = mem_strdup(strbuf_cstr(&devices->hidden));
    }
    return st;
}

static bool is_wanted(const struct device_info *device, const char *wanted)
{
    size_t len = strlen(wanted);

    return strncmp(device->id, wanted, len) == 0 ||
           (device->uuid && strncmp(device->uuid, wanted, len) == 0);
}

/*
 * Explain why there is no device: no driver is installed, or a variable in the environment hides
 * the devices.
 */
static enum status no_devices(struct error *err)
{
    struct strbuf selectors = {0};

    language_list_selectors(NULL, &selectors);
    if (selectors.len)
        error_set(
            err, STATUS_NOT_FOUND,
            "no device with %s in the environment: unset it; if there is still none, install a "
            "driver, for the CPU the package pocl-opencl-icd or gcc",
            strbuf_cstr(&selectors));
    else
        error_set(err, STATUS_NOT_FOUND,
                  "no device: install a driver, for the CPU the package pocl-opencl-icd or gcc");
    strbuf_release(&selectors);
    return STATUS_NOT_FOUND;
}

static enum status no_device(const struct device_list *devices, const char *wanted,
                             struct error *err)
{
    size_t backend = strcspn(wanted, ":");
    bool is_explained = devices->absent.len > 0;
    struct strbuf known = {0};

    if (devices->count == 0)
        return no_devices(err);
    for (size_t i = 0; i < devices->count; i++) {
        strbuf_add_item(&known, devices->items[i].id);
        is_explained &= strncmp(devices->items[i].id, wanted, backend) != 0;
    }
    error_set(err, STATUS_NOT_FOUND, "no device \"%s\": expected one of %s%s%s", wanted,
              strbuf_cstr(&known), is_explained ? "; " : "",
              is_explained ? strbuf_cstr(&devices->absent) : "");
    strbuf_release(&known);
    return STATUS_NOT_FOUND;
}

/* Move the wanted devices of `all` to `found`; false if there is none. */
static bool take_wanted(struct device_list *all, const char *wanted, struct device_list *found)
{
    size_t before = found->count;

    for (size_t i = 0; i < all->count; i++) {
        if (!is_wanted(&all->items[i], wanted))
            continue;
        vec_push(found, all->items[i]);
        all->items[i] = (struct device_info){0};
    }
    strbuf_adds(&found->absent, strbuf_cstr(&all->absent));
    return found->count > before;
}

/* Find the devices of one back end, or of all if `only` is NULL. */
static enum status find_among(const struct backend_ops *only, const char *wanted,
                              struct device_list *found, struct error *err)
{
    struct device_list all = {0};
    enum status st = probe(wanted, only, &all, err);

    if (!st && !take_wanted(&all, wanted, found))
        st = no_device(&all, wanted, err);
    device_list_release(&all);
    return st;
}

enum status devices_find(const char *wanted, struct device_list *found, struct error *err)
{
    size_t index = 0;
    const struct backend_ops *named = devices_backend(wanted, &index);
    enum status st = find_among(named, wanted, found, err);

    /* the error lists the devices of all back ends */
    return named && st == STATUS_NOT_FOUND ? find_among(NULL, wanted, found, err) : st;
}

const struct backend_ops *devices_backend(const char *id, size_t *index)
{
    size_t len = strcspn(id, ":");
    const struct backend_ops *backend = id[len] ? find_backend(id, len) : NULL;

    if (backend)
        *index = strtoul(id + len + 1, NULL, 10);
    return backend;
}
