#ifndef CORE_SESSION_LIVE_MACHINE_H
#define CORE_SESSION_LIVE_MACHINE_H

#include "core/judge/device/backend.h"
#include "core/model/bound.h"

/*
 * The device of a session, and its roofs as far as they were measured: a text
 * that the journal names, so that prompts are rendered from the journal alone.
 */
struct machine {
    struct device_info device;
    struct roofs roofs; /* all zeros: not measured yet */
};

/* To JSON and back: what the event device.described names. */
void machine_print(const struct device_info *device, const struct roofs *roofs, struct strbuf *out);
enum status machine_parse(struct machine *machine, const char *text, size_t len,
                          struct error *err) MUST_CHECK;
void machine_release(struct machine *machine);

#endif
