#ifndef CORE_SESSION_DRIVER_DRIVER_REFERENCE_H
#define CORE_SESSION_DRIVER_DRIVER_REFERENCE_H

#include "core/session/driver/driver_options.h"
#include "core/session/driver/driver_state.h"
#include "core/session/state/event_data.h"

/*
 * Handles the reference, an implementation that the agents are asked to port. It may be any text.
 * If it is a candidate (a kernel with a plan) in a language that the device takes, the judge
 * builds, verifies and times it before the first prompt.
 */

/* Read the reference of a new session, a file or a text that the options name. */
enum status driver_read_reference(struct driver *driver, const struct driver_options *options,
                                  struct error *err) MUST_CHECK;

/*
 * Store the reference in the repository, and set the members of `opened` about it. They borrow
 * texts from the driver and from `ids`. Does nothing if there is no reference.
 */
struct reference_ids {
    char text[OBJECT_ID_SIZE], reply[OBJECT_ID_SIZE];
};
enum status driver_put_reference(struct driver *driver, struct session_opened *opened,
                                 struct reference_ids *ids, struct error *err) MUST_CHECK;

/* Have the reference judged. Returns before the verdict arrives. */
enum status driver_judge_reference(struct driver *driver, struct error *err) MUST_CHECK;

/* True while the judge works on the reference. */
bool driver_awaits_reference(const struct driver *driver);
/* Record the verdict on the reference; a notice tells the engineer if it is not correct. */
enum status driver_take_reference(struct driver *driver, const struct verdict *verdict,
                                  const struct json *encoded, struct error *err) MUST_CHECK;

#endif
