#ifndef CORE_SESSION_RECORDED_PORT_H
#define CORE_SESSION_RECORDED_PORT_H

#include "core/session/recorded/fork.h"

/*
 * Makes a new session on the problem of a recorded one, for another language or another device,
 * with the best kernel of the recorded one as the reference to port. Times of two devices and
 * kernels in two languages are not compared, so the new session shares no steps: its journal begins
 * with the problem, and names its parent.
 */
struct port_target {
    const char *language; /* a name in language.h; NULL: the parent's, or the device's own */
    const char *device;   /* id, or the beginning of one; NULL: the parent's */
};

/*
 * `kforge resume` continues it. STATUS_INVALID if the parent has no kept kernel, or if the language
 * of a device is not known from the beginning of its id.
 */
enum status port_session(const struct recording *parent, const struct port_target *target,
                         const struct fork_options *options, char id[CATALOG_ID_SIZE],
                         struct error *err) MUST_CHECK;

#endif
