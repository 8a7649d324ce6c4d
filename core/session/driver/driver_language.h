#ifndef CORE_SESSION_DRIVER_DRIVER_LANGUAGE_H
#define CORE_SESSION_DRIVER_DRIVER_LANGUAGE_H

#include "core/session/driver/driver_state.h"

/* The language that a session's agents write, against those that its device takes. */

/* STATUS_INVALID, with the languages that it takes, if the session's device does not take it. */
enum status driver_check_language(const struct driver *driver, const char *language,
                                  struct error *err) MUST_CHECK;

#endif
