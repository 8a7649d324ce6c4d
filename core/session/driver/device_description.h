#ifndef CORE_SESSION_DRIVER_DEVICE_DESCRIPTION_H
#define CORE_SESSION_DRIVER_DEVICE_DESCRIPTION_H

#include "core/judge/device/backend.h"
#include "core/model/roofline/bound.h"

/*
 * The device of a session with its roofs.  The event device.described names it as a text, so that
 * prompts are rendered from the journal alone, without the judge.
 */
struct device_description {
    struct device_info device;
    struct roofs roofs; /* all zeros if not measured yet */
};

/* Append the description as JSON. */
void device_description_print(const struct device_info *device, const struct roofs *roofs,
                              struct strbuf *out);
/* Parse the JSON of device_description_print(); the caller releases the description. */
enum status device_description_parse(struct device_description *description, const char *text,
                                     size_t len, struct error *err) MUST_CHECK;
/* Free the contents and leave it empty. */
void device_description_release(struct device_description *description);

#endif
