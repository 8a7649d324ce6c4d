#ifndef CORE_SESSION_DRIVER_DEVICE_DESCRIPTION_H
#define CORE_SESSION_DRIVER_DEVICE_DESCRIPTION_H

#include "core/judge/device/backend.h"
#include "core/model/bound.h"

/*
 * The device of a session, and its roofs as far as they were measured: a text
 * that the journal names, so that prompts are rendered from the journal alone.
 */
struct device_description {
    struct device_info device;
    struct roofs roofs; /* all zeros: not measured yet */
};

/* To JSON and back: what the event device.described names. */
void device_description_print(const struct device_info *device, const struct roofs *roofs,
                              struct strbuf *out);
enum status device_description_parse(struct device_description *description, const char *text,
                                     size_t len, struct error *err) MUST_CHECK;
void device_description_release(struct device_description *description);

#endif
