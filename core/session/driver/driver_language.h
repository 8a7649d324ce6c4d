#ifndef CORE_SESSION_DRIVER_DRIVER_LANGUAGE_H
#define CORE_SESSION_DRIVER_DRIVER_LANGUAGE_H

#include "core/session/driver/driver_state.h"

/* Checks the language that a session's agents are asked to write. */

/*
 * STATUS_INVALID if the session's device does not take the language, or one of its agents does not
 * write it; the error lists those that it takes or writes.
 */
enum status driver_check_language(const struct driver *driver, const char *language,
                                  struct error *err) MUST_CHECK;

#endif
