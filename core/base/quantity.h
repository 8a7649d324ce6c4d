#ifndef CORE_BASE_QUANTITY_H
#define CORE_BASE_QUANTITY_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"

/*
 * Parses quantities from a command line. A text that is not such a quantity is STATUS_INVALID;
 * error messages call the quantity `what`.
 */

/* Read seconds, such as "2.5", as microseconds: 0.001 to 86400 seconds. */
enum status quantity_parse_seconds(const char *text, const char *what, int64_t *us,
                                   struct error *err) MUST_CHECK;

/* Read a whole number from 1 to `most`. */
enum status quantity_parse_count(const char *text, const char *what, size_t most, size_t *count,
                                 struct error *err) MUST_CHECK;

#endif
