#ifndef CORE_MODEL_AWAITED_H
#define CORE_MODEL_AWAITED_H

#include <stdbool.h>

#include "core/base/strbuf.h"

/* A baseline that is still being compiled, and its time in an earlier session. */
struct awaited {
    char *name;
    bool has_earlier;
    double earlier_us;
    char *earlier_day; /* "2026-11-20" */
};

/*
 * Append "being compiled; 41.2 us on 2026-11-20", or "being compiled" if no earlier time is known.
 */
void awaited_describe(const struct awaited *awaited, struct strbuf *out);

#endif
