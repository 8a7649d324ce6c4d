#ifndef TUI_MANUAL_SYNOPSIS_H
#define TUI_MANUAL_SYNOPSIS_H

#include <stdbool.h>
#include <stddef.h>

#include "tui/cli/command.h"

/*
 * What the synopsis of a command says about its options: the completions are
 * read from the same line that the user reads.  "[--policy auto|guided]" is
 * an option with two words to choose from, "[--keys FILE]" one with a value
 * of which the shell knows what it is, "[--ask]" one without; so is
 * "[--sanitize[=TOOL]]", whose value may be left out.  "[--ptx | --sass]" are two.
 */

struct synopsis_option {
    char name[32];   /* without the dashes */
    char value[256]; /* what follows it, perhaps over several lines; "": nothing has to */
};

/* Read the option that comes next; false at the end.  `at` begins as the synopsis. */
bool synopsis_next(const char **at, struct synopsis_option *option);

/*
 * Read the next of the words that a value may be, "openai:MODEL" as "openai:"; false at the end.
 * `at` begins as the value.
 */
bool synopsis_next_word(const char **at, char word[32]);

/* What a value or an argument stands for, by its name. */
enum synopsis_kind { SYNOPSIS_TEXT, SYNOPSIS_FILE, SYNOPSIS_SESSION };

/* FILE, FOLDER and the like are files, SESSION is a session, anything else is text. */
enum synopsis_kind synopsis_kind(const char *value);

#endif
