#ifndef CORE_SESSION_DRIVER_DRIVER_PICTURE_H
#define CORE_SESSION_DRIVER_DRIVER_PICTURE_H

#include "core/session/driver/driver_state.h"

/*
 * Takes a picture of a profiler's window with a correct attempt, by the engineer's command
 * (--picture; FORMATS.md describes its inputs). The command may run the candidate, and it does so
 * with the engineer's rights: kforge itself only starts the command. If the command fails or takes
 * too long, the reason is recorded in the journal, and the session continues.
 */

/* The running command that takes a session's picture; the driver holds NULL if none runs. */
struct picture_taking;

/* Start the command for session_unpictured(). Its end is recorded as picture.taken. */
enum status driver_take_picture(struct driver *driver, struct error *err) MUST_CHECK;

/*
 * End the running command, if any, and record nothing: the picture is taken when the session
 * continues.
 */
void driver_cancel_picture(struct driver *driver);

#endif
