#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/memory_file.h"
#include "tui/term/theme.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Compute every role's colours at each colour depth of a terminal. */
static void use(const struct theme *theme)
{
    for (unsigned depth = DEPTH_MONO; depth <= DEPTH_RGB; depth++)
        for (unsigned role = 0; role < ROLE_COUNT; role++)
            (void)theme_ink(theme, depth, role, ROLE_SELECTED);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct memory_file file = memory_file_open(data, size);
    struct theme theme = theme_builtin(), before = theme;
    struct error err = {0};

    if (theme_read(file.path, &theme, &err) &&
        memcmp(&theme, &before, sizeof(theme)) != 0) /* NOLINT: both are copies of the same */
        abort();                                     /* a broken file changes nothing */
    use(&theme);
    memory_file_close(&file);
    return 0;
}
