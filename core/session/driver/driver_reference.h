#ifndef CORE_SESSION_DRIVER_DRIVER_REFERENCE_H
#define CORE_SESSION_DRIVER_DRIVER_REFERENCE_H

#include "core/session/driver/driver_options.h"
#include "core/session/driver/driver_state.h"
#include "core/session/state/event_data.h"

/*
 * The reference: an implementation that the agents are to port. It may be any text. Where it is a
 * candidate (a kernel with a plan) in a language that the device takes, the judge builds, verifies
 * and times it before the first prompt.
 */

/* Read the reference that the options name, a file or a text, of a new session. */
enum status driver_read_reference(struct driver *driver, const struct driver_options *options,
                                  struct error *err) MUST_CHECK;

/*
 * Store the reference, and set its members of `opened`, whose texts are then borrowed from the
 * driver and from `ids`. Does nothing without a reference.
 */
struct reference_ids {
    char text[OBJECT_ID_SIZE], reply[OBJECT_ID_SIZE];
};
enum status driver_put_reference(struct driver *driver, struct session_opened *opened,
                                 struct reference_ids *ids, struct error *err) MUST_CHECK;

/* Have the reference judged. Returns before the verdict arrives. */
enum status driver_judge_reference(struct driver *driver, struct error *err) MUST_CHECK;

/* True while the verdict that is awaited is that on the reference. */
bool driver_awaits_reference(const struct driver *driver);
enum status driver_take_reference(struct driver *driver, const struct verdict *verdict,
                                  const struct json *encoded, struct error *err) MUST_CHECK;

#endif
