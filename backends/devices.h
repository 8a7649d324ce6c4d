#ifndef BACKENDS_DEVICES_H
#define BACKENDS_DEVICES_H

#include "core/judge/device/backend.h"

/*
 * Append all devices whose ids or UUIDs begin with `wanted`. If it names a back end, as "host:0"
 * does, the drivers of others are not loaded: one that crashes would end the process.
 * STATUS_NOT_FOUND if there is none; the error lists the devices of this machine.
 */
enum status devices_find(const char *wanted, struct device_list *found,
                         struct error *err) MUST_CHECK;

/*
 * The back end of the device called `id`, and the device's index in it; NULL if no back end has
 * such an id.
 */
const struct backend_ops *devices_backend(const char *id, size_t *index);

#endif
