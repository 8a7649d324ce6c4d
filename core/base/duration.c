#include "core/base/duration.h"

#include <stdlib.h>

enum status duration_parse(const char *text, const char *what, int64_t *us, struct error *err)
{
    char *end;
    double seconds = strtod(text, &end);

    if (end == text || *end || !(seconds >= 0.001 && seconds <= 86400))
        return error_set(err, STATUS_INVALID, "%s \"%s\": expected seconds, 0.001 to 86400", what,
                         text);
    *us = (int64_t)(seconds * 1e6);
    return STATUS_OK;
}
