#include "tui/panels/candidate_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/vec.h"
#include "core/session/state/scale.h"

/* The number of verdicts that are read for one frame; the number of columns left for the title. */
enum { READ_AT_ONCE = 16, TITLE_COLUMNS = 14 };

/* The columns that need no verdict; those of candidate_measures follow. */
enum own_column { TIME, SPEED, OVER_PARENT, OVER_BEST, BOUND, OWN_COLUMNS };

static const struct {
    const char *name, *heading;
    int width;
    int better;
} own_columns[OWN_COLUMNS] = {
    [TIME] = {"time", "time", 8, -1},
    [SPEED] = {"speedup", "speedup", 9, 1},
    [OVER_PARENT] = {"parent", "over its parent", 22, 1},
    [OVER_BEST] = {"best", "over the best", 22, 1},
    [BOUND] = {"bound", "bound", 7, 1},
};

/* Columns of a measure. */
enum { MEASURE_WIDTH = 9 };

static const char *const presets[] = {
    "speedup parent best bound time",
    "speedup registers spills local private occupancy build",
    "speedup occupancy dram l2 l1 fma tensor",
};

const char *candidate_table_name(unsigned column)
{
    if (column < OWN_COLUMNS)
        return own_columns[column].name;
    return column < OWN_COLUMNS + CANDIDATE_MEASURES ? candidate_measures[column - OWN_COLUMNS].name
                                                     : NULL;
}

static const char *heading_of(unsigned column)
{
    return column < OWN_COLUMNS ? own_columns[column].heading
                                : candidate_measures[column - OWN_COLUMNS].heading;
}

static int width_of(unsigned column)
{
    return column < OWN_COLUMNS ? own_columns[column].width : MEASURE_WIDTH;
}

static int better_of(unsigned column)
{
    return column < OWN_COLUMNS ? own_columns[column].better
                                : candidate_measures[column - OWN_COLUMNS].better;
}

bool candidate_table_find(const char *name, size_t len, unsigned *column)
{
    for (unsigned i = 0; candidate_table_name(i); i++) {
        if (strlen(candidate_table_name(i)) == len &&
            memcmp(candidate_table_name(i), name, len) == 0) {
            *column = i;
            return true;
        }
    }
    return false;
}

bool candidate_table_is_measure(unsigned column)
{
    return column >= OWN_COLUMNS;
}

/* Like candidate_table_find(); an unknown name is also reported in `note`. */
static bool find_column(struct candidate_table *table, const char *name, size_t len,
                        unsigned *column)
{
    if (candidate_table_find(name, len, column))
        return true;
    snprintf(table->note, sizeof(table->note), "no column \"%.*s\"", len < 20 ? (int)len : 20,
             name);
    return false;
}

/* Replace the columns; false if a name is unknown. */
static bool set_columns(struct candidate_table *table, const char *names)
{
    unsigned columns[TABLE_COLUMNS_MAX] = {0};
    size_t count = 0;

    for (names += strspn(names, " "); *names; names += strspn(names, " ")) {
        size_t len = strcspn(names, " ");

        if (count == TABLE_COLUMNS_MAX || !find_column(table, names, len, &columns[count]))
            return false;
        count++;
        names += len;
    }
    memcpy(table->columns, columns, count * sizeof(columns[0]));
    table->column_count = count;
    return true;
}

void candidate_table_open(struct candidate_table *table)
{
    set_columns(table, presets[0]);
}

void candidate_table_choose(struct candidate_table *table, const char *names)
{
    table->note[0] = '\0';
    if (*names) {
        set_columns(table, names);
        return;
    }
    table->preset = (table->preset + 1) % COUNT(presets);
    set_columns(table, presets[table->preset]);
}

void candidate_table_sort(struct candidate_table *table, const char *name)
{
    unsigned column = 0;
    size_t next = 0;

    table->note[0] = '\0';
    if (*name) {
        if (find_column(table, name, strlen(name), &column))
            table->sort = column + 1;
        return;
    }
    while (table->sort && next < table->column_count && table->columns[next++] + 1 != table->sort)
        continue;
    table->sort = next < table->column_count ? table->columns[next] + 1 : 0;
}

static double or_unknown(double value)
{
    return value > 0 ? value : (double)NAN;
}

/*
 * The attempt with whose speed a column divides; NULL if there is none or it is the attempt itself.
 */
static const struct attempt *partner_of(const struct session *session,
                                        const struct attempt *attempt, unsigned column)
{
    const struct attempt *partner =
        session_attempt(session, column == OVER_BEST ? session->now.best : attempt->parent);

    return partner == attempt ? NULL : partner;
}

static double width_of_interval(const struct ratio *ratio)
{
    return ratio->low > 0 && isfinite(ratio->high) ? log(ratio->high / ratio->low)
                                                   : (double)INFINITY;
}

/*
 * The ratio of two speeds. If both attempts were timed in turn, its interval was measured.
 * Otherwise the variances of both logarithms are added, which overestimates if their chains of
 * ratios share a part.
 */
static struct ratio ratio_of(const struct session *session, size_t index, unsigned column)
{
    const struct attempt *attempt = &session->attempts.items[index];
    const struct attempt *other = partner_of(session, attempt, column);
    struct ratio ratio = {(double)NAN, 0, 0};
    double width;

    if (!other || attempt->speed.value <= 0 || other->speed.value <= 0)
        return ratio;
    ratio.value = attempt->speed.value / other->speed.value;
    if (attempt->timed_with == other->number)
        return (struct ratio){ratio.value, attempt->gain_low, attempt->gain_high};
    width = exp(hypot(width_of_interval(&attempt->speed), width_of_interval(&other->speed)) / 2);
    if (isfinite(width))
        ratio = (struct ratio){ratio.value, ratio.value / width, ratio.value * width};
    return ratio;
}

double candidate_table_value(const struct candidate_table *table, const struct session *session,
                             size_t attempt, unsigned column)
{
    switch (column) {
    case TIME:
        return or_unknown(session->attempts.items[attempt].time.median_us);
    case SPEED:
        return or_unknown(scale_speedup(session, &session->attempts.items[attempt]));
    case BOUND:
        return or_unknown(session->attempts.items[attempt].bound_fraction);
    case OVER_PARENT:
    case OVER_BEST:
        return ratio_of(session, attempt, column).value;
    default:
        return candidate_measures_value(&table->measures, attempt, column - OWN_COLUMNS);
    }
}

/* Sort in ascending order, unknown values last, equal values by number. */
static int compare(const void *a, const void *b)
{
    const struct table_row *x = a, *y = b;

    if (isnan(x->key) != isnan(y->key))
        return isnan(x->key) ? 1 : -1;
    if (x->key < y->key || x->key > y->key)
        return x->key < y->key ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

static void sort(struct candidate_table *table, const struct session *session)
{
    int sign = table->sort && better_of(table->sort - 1) > 0 ? -1 : 1;

    table->order.count = 0;
    if (!table->sort && !table->is_reversed)
        return;
    for (size_t i = 0; i < session->attempts.count; i++) {
        double key =
            table->sort ? candidate_table_value(table, session, i, table->sort - 1) : (double)i;
        struct table_row row = {(table->is_reversed ? -sign : sign) * key, i};

        vec_push(&table->order, row);
    }
    qsort(table->order.items, table->order.count, sizeof(table->order.items[0]), compare);
}

size_t candidate_table_attempt(const struct candidate_table *table, size_t row)
{
    return row < table->order.count ? table->order.items[row].index : row;
}

size_t candidate_table_row(const struct candidate_table *table, size_t attempt)
{
    for (size_t row = 0; row < table->order.count; row++)
        if (table->order.items[row].index == attempt)
            return row;
    return attempt;
}

static bool needs_measures(const struct candidate_table *table)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (candidate_table_is_measure(table->columns[i]))
            return true;
    return false;
}

/*
 * Read the missing measures of these rows, at most `*left` verdicts; false if some are still
 * missing.
 */
static bool read_rows(struct candidate_table *table, const struct view_model *view_model,
                      struct table_view rows, size_t *left)
{
    const struct session *session = view_model->session;

    for (size_t row = rows.top; row < rows.top + rows.height && row < session->attempts.count;
         row++) {
        size_t attempt = candidate_table_attempt(table, row);

        if (attempt >= session->attempts.count ||
            !candidate_measures_are_missing(&table->measures, session, attempt))
            continue;
        if (*left == 0)
            return false;
        candidate_measures_read(&table->measures, view_model, attempt);
        --*left;
    }
    return true;
}

void candidate_table_update(struct candidate_table *table, const struct view_model *view_model,
                            struct table_view in_view)
{
    const struct table_view all = {0, view_model->session->attempts.count};
    bool is_sorted_by_measure = table->sort > OWN_COLUMNS;
    size_t left = READ_AT_ONCE;
    bool is_read = true;

    trajectory_read(&table->trajectory, view_model->session);
    candidate_measures_fit(&table->measures, view_model->session);
    if (needs_measures(table))
        is_read = read_rows(table, view_model, in_view, &left);
    if (is_sorted_by_measure || table->needs_all)
        is_read = read_rows(table, view_model, all, &left) && is_read;
    table->is_loading = !is_read;
    sort(table, view_model->session);
}

/* True if the pen has room for a column and for the title. */
static bool has_room(const struct pen *pen, unsigned column)
{
    return pen->x + width_of(column) + 1 + TITLE_COLUMNS <= pen->area.rect.w;
}

void candidate_table_put_headings(const struct candidate_table *table, struct pen *pen)
{
    for (size_t i = 0; i < table->column_count && has_room(pen, table->columns[i]); i++) {
        unsigned column = table->columns[i];
        bool is_sorting = table->sort == column + 1;
        struct strbuf text = {0};

        strbuf_addf(&text, "%s%s", heading_of(column),
                    !is_sorting          ? ""
                    : table->is_reversed ? " ^"
                                         : " v");
        pen_putf(pen, is_sorting ? ROLE_STRONG : ROLE_DIM, "%*s ", width_of(column),
                 strbuf_cstr(&text));
        strbuf_release(&text);
    }
}

static void put_ratio(const struct ratio *ratio, int width, struct pen *pen)
{
    enum role role = ratio->low > 1                       ? ROLE_GOOD
                     : ratio->high > 0 && ratio->high < 1 ? ROLE_WARNING
                                                          : ROLE_TEXT;
    char text[2 * FORMAT_SIZE], gain[FORMAT_SIZE], interval[FORMAT_SIZE] = "";

    if (ratio->low > 0 && isfinite(ratio->high))
        format_gain_interval(interval, ratio->value, ratio->low, ratio->high);
    snprintf(text, sizeof(text), "%s%s%s",
             isnan(ratio->value) ? "-" : format_gain(gain, ratio->value), *interval ? " " : "",
             interval);
    pen_putf(pen, role, "%*.*s ", width, width, text);
}

static const char *format_value(char text[FORMAT_SIZE], double value, unsigned column)
{
    char share[FORMAT_SIZE];

    switch (column) {
    case TIME:
        return format_time(text, value);
    case SPEED:
        return format_speedup(text, value);
    case BOUND:
        format_share(share, value);
        snprintf(text, FORMAT_SIZE, "%.8s%%", share);
        return text;
    default:
        return candidate_measures[column - OWN_COLUMNS].format(text, value);
    }
}

void candidate_table_put(const struct candidate_table *table, const struct session *session,
                         size_t attempt, struct pen *pen)
{
    for (size_t i = 0; i < table->column_count && has_room(pen, table->columns[i]); i++) {
        unsigned column = table->columns[i];
        int width = width_of(column);

        if (column == OVER_PARENT || column == OVER_BEST) {
            struct ratio ratio = ratio_of(session, attempt, column);

            put_ratio(&ratio, width, pen);
        } else {
            double value = candidate_table_value(table, session, attempt, column);
            char text[FORMAT_SIZE];

            pen_putf(pen, column == SPEED ? ROLE_STRONG : ROLE_TEXT, "%*s ", width,
                     isnan(value) ? "-" : format_value(text, value, column));
        }
    }
}

void candidate_table_release(struct candidate_table *table)
{
    trajectory_release(&table->trajectory);
    candidate_measures_release(&table->measures);
    vec_release(&table->order);
}
