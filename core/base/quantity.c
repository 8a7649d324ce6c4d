#include "core/base/quantity.h"

#include <ctype.h>
#include <stdlib.h>

enum status quantity_parse_seconds(const char *text, const char *what, int64_t *us,
                                   struct error *err)
{
    char *end;
    double seconds = strtod(text, &end);

    if (end == text || *end || !(seconds >= 0.001 && seconds <= 86400))
        return error_set(err, STATUS_INVALID, "%s \"%s\": expected seconds, 0.001 to 86400", what,
                         text);
    *us = (int64_t)(seconds * 1e6);
    return STATUS_OK;
}

enum status quantity_parse_count(const char *text, const char *what, size_t most, size_t *count,
                                 struct error *err)
{
    char *end;
    unsigned long long value = strtoull(text, &end, 10);

    if (!isdigit((unsigned char)*text) || *end || value < 1 || value > most)
        return error_set(err, STATUS_INVALID, "%s \"%s\": expected a number from 1 to %zu", what,
                         text, most);
    *count = (size_t)value;
    return STATUS_OK;
}
