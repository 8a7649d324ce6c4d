#ifndef CORE_BASE_DURATION_H
#define CORE_BASE_DURATION_H

#include <stdint.h>

#include "core/base/status.h"

/* Times as people write them on a command line. */

/* Seconds, "2.5", as microseconds: 0.001 to 86400.  `what` is what the error calls it. */
enum status duration_parse(const char *text, const char *what, int64_t *us,
                           struct error *err) MUST_CHECK;

#endif
