#include "tui/cli/screen_options.h"

#include <unistd.h>

const struct option_row screen_option_rows[] = {
    {.name = "headless",
     .help = "print lines instead of opening the screen, even on a terminal",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct screen_options, headless)},
    {.name = "json",
     .help = "print JSON instead, one object on each line, and nothing else",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct screen_options, as_json)},
    {.name = "theme",
     .value = "NAME",
     .help = "the colours of the screen",
     .kind = OPTION_TEXT,
     .offset = offsetof(struct screen_options, theme)},
    {.name = "keys",
     .value = "FILE",
     .help = "play a key script on the screen",
     .kind = OPTION_TEXT,
     .offset = offsetof(struct screen_options, keys)},
    {0},
};

bool screen_options_want_screen(const struct screen_options *options)
{
    return !options->headless && !options->as_json &&
           (options->keys || (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)));
}
