#include "core/session/state/limits.h"

#include <stddef.h>

const char *const closing_names[] = {
    [CLOSING_NOT] = "unknown",       [CLOSING_BOUND] = "bound", [CLOSING_FUNCTIONAL] = "functional",
    [CLOSING_OPTIMIZE] = "optimize", [CLOSING_FLAT] = "flat",   [CLOSING_EXHAUSTED] = "exhausted",
    [CLOSING_BUDGET] = "budget",     [CLOSING_ASKED] = "asked", NULL,
};

const struct limits limits_default = {.functional = 5, .optimize = 12, .flat = 4};
