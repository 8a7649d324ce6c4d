#include "tui/panels/candidate_filter.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/text.h"

static const char *const state_names[FILTER_STATES] = {[FILTER_FAILED] = "failed",
                                                       [FILTER_CORRECT] = "correct",
                                                       [FILTER_KEPT] = "kept",
                                                       [FILTER_UNDONE] = "undone"};

/* Longer operators come first, because "<=" begins with "<". */
static const struct {
    const char *text;
    enum filter_comparison comparison;
} comparisons[] = {
    {"<=", FILTER_AT_MOST}, {">=", FILTER_AT_LEAST}, {"<", FILTER_BELOW}, {">", FILTER_ABOVE}};

/*
 * Units that may follow a number, and the factor that converts to the unit of the columns:
 * microseconds, bytes or, for shares and counters, percent.
 */
static const struct {
    const char *name;
    double factor;
} units[] = {{"", 1},    {"x", 1}, {"%", 1},    {"us", 1},   {"ms", 1e3},
             {"s", 1e6}, {"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}};

/* The columns that hold a ratio but are shown in percent: "bound>40", "parent>5%". */
static double to_column(const char *name, const char *unit, double value)
{
    bool is_difference = strcmp(name, "parent") == 0 || strcmp(name, "best") == 0;

    if (strcmp(name, "bound") == 0)
        return value / 100;
    return is_difference && strcmp(unit, "%") == 0 ? 1 + value / 100 : value;
}

/*
 * Parse "1.5x" and convert it to the unit of a column; false if it is not a number with a known
 * unit.
 */
static bool parse_value(const char *text, const char *column, double *value)
{
    char *unit;
    double number = strtod(text, &unit);

    for (size_t i = 0; unit > text && i < COUNT(units); i++) {
        if (strcmp(unit, units[i].name) != 0)
            continue;
        *value = to_column(column, unit, number * units[i].factor);
        return isfinite(*value);
    }
    return false;
}

/* Parse "speedup>1.5", whose operator begins at `at`. */
static bool parse_comparison(struct candidate_filter *filter, const char *term, const char *at,
                             struct filter_condition *condition)
{
    size_t i = 0;

    while (i < COUNT(comparisons) && !text_begins(at, comparisons[i].text))
        i++;
    if (i == COUNT(comparisons)) {
        snprintf(filter->trouble, sizeof(filter->trouble),
                 "%.30s: compare with <, <=, > or >=", term);
    } else if (!candidate_table_find(term, (size_t)(at - term), &condition->column)) {
        snprintf(filter->trouble, sizeof(filter->trouble), "no column \"%.*s\"",
                 at - term < 20 ? (int)(at - term) : 20, term);
    } else if (!parse_value(at + strlen(comparisons[i].text),
                            candidate_table_name(condition->column), &condition->value)) {
        snprintf(filter->trouble, sizeof(filter->trouble),
                 "%.30s: expected a number, such as 1.5, 40%%, 12us or 4kB", term);
    } else {
        condition->comparison = comparisons[i].comparison;
        return true;
    }
    return false;
}

static void parse_term(struct candidate_filter *filter, const char *term)
{
    struct filter_condition condition = {.kind = FILTER_WORD};
    const char *at = term + strcspn(term, "<>=");

    if (*at) {
        condition.kind = FILTER_COLUMN;
        if (!parse_comparison(filter, term, at, &condition))
            return;
    }
    for (enum filter_state state = 0; state < FILTER_STATES; state++) {
        if (strcmp(term, state_names[state]) == 0) {
            condition.kind = FILTER_STATE;
            condition.state = state;
        }
    }
    pattern_set(&condition.word, term);
    if (filter->count < FILTER_CONDITIONS)
        filter->conditions[filter->count++] = condition;
    else
        snprintf(filter->trouble, sizeof(filter->trouble), "more than %d conditions",
                 FILTER_CONDITIONS);
}

static bool is_plain(const struct candidate_filter *filter)
{
    for (size_t i = 0; i < filter->count; i++)
        if (filter->conditions[i].kind != FILTER_WORD)
            return false;
    return true;
}

void candidate_filter_parse(struct candidate_filter *filter, const char *text)
{
    char terms[PATTERN_SIZE], *rest = terms;

    if (strcmp(filter->text, text) == 0)
        return;
    *filter = (struct candidate_filter){0};
    snprintf(filter->text, sizeof(filter->text), "%s", text);
    snprintf(terms, sizeof(terms), "%s", text);
    for (char *term = strsep(&rest, " "); term && !filter->trouble[0]; term = strsep(&rest, " "))
        if (*term)
            parse_term(filter, term);
    if (filter->trouble[0]) {
        filter->count = 0;
    } else if (is_plain(filter)) {
        filter->count = 1;
        filter->conditions[0] = (struct filter_condition){.kind = FILTER_WORD};
        pattern_set(&filter->conditions[0].word, text);
    }
}

bool candidate_filter_needs_measures(const struct candidate_filter *filter)
{
    for (size_t i = 0; i < filter->count; i++)
        if (filter->conditions[i].kind == FILTER_COLUMN &&
            candidate_table_is_measure(filter->conditions[i].column))
            return true;
    return false;
}

/* Comparisons with NaN, an unknown value, are false. */
static bool compares(const struct filter_condition *condition, double value)
{
    switch (condition->comparison) {
    case FILTER_BELOW:
        return value < condition->value;
    case FILTER_AT_MOST:
        return value <= condition->value;
    case FILTER_ABOVE:
        return value > condition->value;
    case FILTER_AT_LEAST:
        return value >= condition->value;
    }
    return false;
}

static bool is_in_state(const struct attempt *attempt, enum filter_state state)
{
    switch (state) {
    case FILTER_FAILED:
        return attempt->is_evaluated && attempt->outcome != OUTCOME_CORRECT;
    case FILTER_CORRECT:
        return attempt->is_evaluated && attempt->outcome == OUTCOME_CORRECT;
    case FILTER_KEPT:
        return attempt->is_kept;
    case FILTER_UNDONE:
        return attempt->is_undone;
    case FILTER_STATES:
        break;
    }
    return false;
}

bool candidate_filter_passes(const struct candidate_filter *filter,
                             const struct candidate_table *table, const struct session *session,
                             size_t attempt, const struct strbuf *text)
{
    for (size_t i = 0; i < filter->count; i++) {
        const struct filter_condition *condition = &filter->conditions[i];
        bool is_met;

        if (condition->kind == FILTER_WORD)
            is_met = pattern_is_in(&condition->word, strbuf_cstr(text), text->len);
        else if (condition->kind == FILTER_STATE)
            is_met = is_in_state(&session->attempts.items[attempt], condition->state);
        else
            is_met = compares(condition,
                              candidate_table_value(table, session, attempt, condition->column));
        if (!is_met)
            return false;
    }
    return true;
}
