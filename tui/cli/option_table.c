#include "tui/cli/option_table.h"

#include <ctype.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/base/quantity.h"
#include "core/base/text.h"

/* Layout of a synopsis and of the list of options. */
enum { LINE_W = 92, SYNOPSIS_INDENT = 11, TERM_W = 21, SHORT_VALUE = 12 };

enum { NAME_MAX_BYTES = 64, FIRST_ID = 256 };

static size_t count_rows(const struct option_set *sets)
{
    size_t count = 0;

    while (option_at(sets, count))
        count++;
    return count;
}

/* The set of the row at `*index`, which becomes the index in that set. */
static const struct option_set *set_of(const struct option_set *sets, size_t *index)
{
    for (; sets->rows; sets++) {
        size_t count = 0;

        while (sets->rows[count].name)
            count++;
        if (*index < count)
            return sets;
        *index -= count;
    }
    return NULL;
}

const struct option_row *option_at(const struct option_set *sets, size_t index)
{
    const struct option_set *set = set_of(sets, &index);

    return set ? &set->rows[index] : NULL;
}

enum status option_parse_count(const char *text, const char *what, unsigned *count,
                               struct error *err)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);

    if (*end || !isdigit((unsigned char)*text) || value > 100000000)
        return error_set(err, STATUS_INVALID, "%s \"%s\": expected a whole number", what, text);
    *count = (unsigned)value;
    return STATUS_OK;
}

static enum status parse_amount(const char *text, const char *what, double *amount,
                                struct error *err)
{
    char *end;
    double value = strtod(text, &end);

    if (*end || end == text || !(value > 0 && isfinite(value)))
        return error_set(err, STATUS_INVALID, "%s \"%s\": expected a number above 0", what, text);
    *amount = value;
    return STATUS_OK;
}

static enum status parse_count(const struct option_row *row, const char *text, const char *what,
                               unsigned *count, struct error *err)
{
    size_t value;
    enum status st;

    if (!row->most)
        return option_parse_count(text, what, count, err);
    st = quantity_parse_count(text, what, row->most, &value, err);
    if (!st)
        *count = (unsigned)value;
    return st;
}

static enum status store(const struct option_row *row, char *field, const char *text,
                         struct error *err)
{
    char what[NAME_MAX_BYTES];

    snprintf(what, sizeof(what), "--%s", row->name);
    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)(void *)field = true;
        return STATUS_OK;
    case OPTION_TEXT:
        *(const char **)(void *)field = text;
        return STATUS_OK;
    case OPTION_COUNT:
        return parse_count(row, text, what, (unsigned *)(void *)field, err);
    case OPTION_SIZE:
        return quantity_parse_count(text, what, row->most, (size_t *)(void *)field, err);
    case OPTION_SECONDS:
        return quantity_parse_seconds(text, what, (int64_t *)(void *)field, err);
    case OPTION_AMOUNT:
        return parse_amount(text, what, (double *)(void *)field, err);
    case OPTION_CUSTOM:
        break;
    }
    return row->take(field, text, err);
}

/* The rows in the form of getopt_long(); the id of a row is FIRST_ID + its index. */
static struct option *make_getopt_rows(const struct option_set *sets)
{
    size_t count = count_rows(sets);
    struct option *rows = mem_alloc_zeroed(count + 1, sizeof(*rows));

    for (size_t i = 0; i < count; i++) {
        const struct option_row *row = option_at(sets, i);

        rows[i] = (struct option){.name = row->name,
                                  .has_arg = row->is_value_optional ? optional_argument
                                             : row->value           ? required_argument
                                                                    : no_argument,
                                  .val = FIRST_ID + (int)i};
    }
    return rows;
}

static enum status take(const struct option_set *sets, void *target, int id, struct error *err)
{
    size_t index = (size_t)(id - FIRST_ID);
    const struct option_set *set = set_of(sets, &index);
    const struct option_row *row = &set->rows[index];

    return store(row, (char *)target + set->offset + row->offset, optarg, err);
}

/* getopt_long() moves the arguments behind the options. */
enum status option_parse(const struct option_set *sets, void *target, struct arguments *arguments,
                         struct error *err)
{
    struct option *rows = make_getopt_rows(sets);
    char **words = arguments->items;
    enum status st = STATUS_OK;
    int id;

    opterr = 0;
    optind = 1;
    while (!st && (id = getopt_long(arguments->count, words, ":", rows, NULL)) != -1) {
        if (id == ':')
            st = error_set(err, STATUS_INVALID, "%s: %s needs a value: see kforge %s --help",
                           words[0], words[optind - 1], words[0]);
        else if (id == '?')
            st = error_set(err, STATUS_INVALID, "%s: no option \"%s\": see kforge %s --help",
                           words[0], words[optind - 1], words[0]);
        else
            st = take(sets, target, id, err);
    }
    arguments->items += optind;
    arguments->count -= optind;
    free(rows);
    return st;
}

static void add_option(const struct option_row *row, struct strbuf *out)
{
    strbuf_addf(out, "--%s", row->name);
    if (row->value)
        strbuf_addf(out, row->is_value_optional ? "[=%s]" : " %s", row->value);
}

/* Append a word of a synopsis; one that is too long for a line is broken after a bar. */
static void add_word(const char *word, size_t *column, struct strbuf *out)
{
    size_t len = strlen(word);

    while (*column + len > LINE_W) {
        size_t bar = *column < LINE_W ? LINE_W - *column : 0;

        while (bar > 0 && word[bar - 1] != '|')
            bar--;
        strbuf_add(out, word, bar);
        strbuf_addf(out, "\n%*s", SYNOPSIS_INDENT, "");
        *column = SYNOPSIS_INDENT;
        word += bar;
        len -= bar;
    }
    strbuf_add(out, word, len);
    *column += len;
}

void option_add_synopsis(const struct option_set *sets, size_t column, struct strbuf *out)
{
    const struct option_row *row;

    for (size_t i = 0; (row = option_at(sets, i)) != NULL; i++) {
        struct strbuf word = {0};

        strbuf_adds(&word, "[");
        add_option(row, &word);
        strbuf_adds(&word, "]");
        if (i > 0 && column + 1 + word.len > LINE_W && word.len + SYNOPSIS_INDENT <= LINE_W) {
            strbuf_addf(out, "\n%*s", SYNOPSIS_INDENT, "");
            column = SYNOPSIS_INDENT;
        } else if (i > 0) {
            strbuf_adds(out, " ");
            column++;
        }
        add_word(strbuf_cstr(&word), &column, out);
        strbuf_release(&word);
    }
}

void option_add_term(const struct option_row *row, struct strbuf *out)
{
    if (row->value && strlen(row->value) <= SHORT_VALUE)
        add_option(row, out);
    else
        strbuf_addf(out, "--%s", row->name);
}

void option_add_help(const struct option_set *sets, struct strbuf *out)
{
    const struct option_row *row;

    for (size_t i = 0; (row = option_at(sets, i)) != NULL; i++) {
        struct strbuf term = {0};
        const char *help = row->help;

        option_add_term(row, &term);
        if (term.len > TERM_W)
            strbuf_addf(out, "  %s\n%*s", strbuf_cstr(&term), TERM_W + 4, "");
        else
            strbuf_addf(out, "  %-*s  ", TERM_W, strbuf_cstr(&term));
        while (*help) {
            size_t len = strcspn(help, "\n");

            strbuf_addf(out, "%.*s\n", (int)len, help);
            help += len + (help[len] == '\n');
            if (*help)
                strbuf_addf(out, "%*s", TERM_W + 4, "");
        }
        strbuf_release(&term);
    }
}

bool option_next_word(const char **at, char word[32])
{
    while (**at) {
        size_t len = 0, choice;

        *at += strspn(*at, "|");
        choice = strcspn(*at, "|");
        while (len < choice && (islower((unsigned char)(*at)[len]) ||
                                isdigit((unsigned char)(*at)[len]) || strchr("-:", (*at)[len])))
            len++;
        snprintf(word, 32, "%.*s", (int)len, *at);
        *at += choice;
        if (len)
            return true;
    }
    return false;
}

enum option_value option_value_of(const char *form)
{
    static const char *const files[] = {"PROBLEM", "KERNEL", "DIR", "FOLDER", "FILE", "PATH"};

    if (text_begins(form + strspn(form, "["), "SESSION"))
        return OPTION_VALUE_SESSION;
    for (size_t i = 0; i < COUNT(files); i++)
        if (strstr(form, files[i]))
            return OPTION_VALUE_FILE;
    return OPTION_VALUE_TEXT;
}
