#ifndef TUI_CLI_OPTION_TABLE_H
#define TUI_CLI_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"
#include "core/base/strbuf.h"

/*
 * Command-line options as tables. A row has an option's name, the form of its value, its help, and
 * where the value is stored. Parsing, --help, the manual page and the completions for shells all
 * use the same rows.
 */

/* How a value is stored in the field at `offset`. */
enum option_kind {
    OPTION_FLAG,    /* bool: set to true; the option takes no value */
    OPTION_TEXT,    /* const char *, borrowed from argv */
    OPTION_COUNT,   /* unsigned: from 0, or from 1 to `most` when `most` is not 0 */
    OPTION_SIZE,    /* size_t: from 1 to `most` */
    OPTION_SECONDS, /* int64_t, in microseconds */
    OPTION_AMOUNT,  /* double, above 0 */
    OPTION_CUSTOM,  /* anything else: `take` stores it */
};

struct option_row {
    const char *name;  /* without the dashes; NULL ends a table */
    const char *value; /* such as "N", "FILE" or "auto|guided|FILE"; NULL if there is no value */
    const char *help;
    size_t offset; /* in the struct that the table fills */
    size_t most;
    /* Store a value in `field`; `text` is NULL for an option without a value. */
    enum status (*take)(void *field, const char *text, struct error *err);
    enum option_kind kind;
    bool is_value_optional; /* "--name" and "--name=VALUE" */
};

/* Rows that fill a part of a command's own struct, at `offset` in it.  `rows` NULL ends a list. */
struct option_set {
    const struct option_row *rows;
    size_t offset;
};

/* The row at `index` in all sets together; NULL after the last one. */
const struct option_row *option_at(const struct option_set *sets, size_t index);

/* The words of a command line, as main() gets them; items[count] is NULL. */
struct arguments {
    int count;
    char **items;
};

/*
 * Store the options in `target`, and leave the other arguments in `arguments`. Before the call,
 * items[0] is the name of the command, which is not an argument.
 */
enum status option_parse(const struct option_set *sets, void *target, struct arguments *arguments,
                         struct error *err) MUST_CHECK;

/* Parse a whole number, 0 or above; errors begin with `what`. */
enum status option_parse_count(const char *text, const char *what, unsigned *count,
                               struct error *err) MUST_CHECK;

/* Append "[--json] [--keys FILE] ..." in lines. The first line begins at `column`. */
void option_add_synopsis(const struct option_set *sets, size_t column, struct strbuf *out);

/* Append the option as the user types it, with the form of a short value: "--keys FILE". */
void option_add_term(const struct option_row *row, struct strbuf *out);

/* Append a line or more for each option: the option and its help. */
void option_add_help(const struct option_set *sets, struct strbuf *out);

/*
 * Read the next fixed word of a value, for completion: for "auto|openai:MODEL" first "auto", then
 * "openai:". Returns false at the end. `*at` points to the value at first.
 */
bool option_next_word(const char **at, char word[32]);

/* The kind of a value or an argument. Shells complete each kind in a different way. */
enum option_value { OPTION_VALUE_TEXT, OPTION_VALUE_FILE, OPTION_VALUE_SESSION };
enum option_value option_value_of(const char *form);

#endif
