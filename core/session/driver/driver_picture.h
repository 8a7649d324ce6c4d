#ifndef CORE_SESSION_DRIVER_DRIVER_PICTURE_H
#define CORE_SESSION_DRIVER_DRIVER_PICTURE_H

#include "core/session/driver/driver_state.h"

/*
 * Takes a picture of a profiler's window with a correct attempt, by the engineer's command
 * (--picture; FORMATS.md describes its inputs). The command may run the candidate, and it does so
 * with the engineer's rights: kforge itself only starts the command. A command that fails or takes
 * too long leaves the reason in the journal, and the session goes on.
 */

/* The running command that takes a session's picture; all zeros if none runs. */
struct picture_taking;

/* Start the command for session_unpictured(). Its end is recorded as picture.taken. */
enum status driver_take_picture(struct driver *driver, struct error *err) MUST_CHECK;

/* End a command that runs, and record nothing: the picture is taken again when the session goes on.
 */
void driver_cancel_picture(struct driver *driver);

#endif
