#include "tui/screens/review_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "tui/term/table_column.h"

const char *const review_order_names[REVIEW_ORDERS] = {
    [REVIEW_BY_LATEST] = "latest first",
    [REVIEW_BY_PROMISED] = "by promised speedup",
    [REVIEW_BY_GAINED] = "by gained speedup",
    [REVIEW_BY_KEPT] = "by gained over promised speedup",
};

/* The sort key of an order; the highest comes first. */
static double weight_of(const struct review_item *item, enum review_order order)
{
    double gained = review_has_gain(item) ? item->gained : 0;

    switch (order) {
    case REVIEW_BY_PROMISED:
        return item->promised;
    case REVIEW_BY_GAINED:
        return gained;
    case REVIEW_BY_KEPT:
        return item->promised > 0 ? gained / item->promised : 0;
    case REVIEW_BY_LATEST:
    case REVIEW_ORDERS:
        break;
    }
    return 0;
}

struct row_order {
    const struct review_item *items;
    enum review_order order;
};

static int compare_rows(const void *a, const void *b, void *data)
{
    const struct row_order *by = data;
    const struct review_item *one = &by->items[*(const size_t *)a];
    const struct review_item *other = &by->items[*(const size_t *)b];
    double difference = weight_of(other, by->order) - weight_of(one, by->order);

    if (difference != 0)
        return difference > 0 ? 1 : -1;
    return strcmp(other->at, one->at);
}

void review_list_sort(const struct review *review, enum review_order order,
                      struct review_rows *rows)
{
    struct row_order by = {review->items, order};

    if (rows->count)
        qsort_r(rows->items, rows->count, sizeof(*rows->items), compare_rows, &by);
}

/* The decision in two letters, in capitals when the engineer decided. */
static const char *letters_of(const struct review_item *item)
{
    static const char *const letters[][2] = {[DECISION_PENDING] = {"??", "??"},
                                             [DECISION_ACCEPTED] = {"OK", "ok"},
                                             [DECISION_EDITED] = {"ED", "ed"},
                                             [DECISION_VETOED] = {"NO", "no"},
                                             [DECISION_RETRIED] = {"AG", "ag"}};

    if (item->is_undone)
        return "un";
    return letters[item->decision][item->decider == DECIDER_POLICY];
}

static enum role role_of_decision(const struct review_item *item)
{
    if (item->is_undone)
        return ROLE_DIM;
    if (item->decision == DECISION_PENDING)
        return ROLE_WAITING;
    return item->decision == DECISION_VETOED ? ROLE_BAD : ROLE_GOOD;
}

static enum role role_of(const struct review_item *item)
{
    if (item->decision == DECISION_VETOED || (item->is_judged && item->outcome != OUTCOME_CORRECT))
        return ROLE_BAD;
    if (!review_has_gain(item))
        return ROLE_DIM;
    return item->gained > 1 ? ROLE_GOOD : ROLE_WARNING;
}

/* Columns of the problem's name. */
enum { PROBLEM_W = 14 };

void review_list_put_heading(struct pen *pen)
{
    pen_putf(pen, ROLE_DIM, "%-11s    %-4s %7s %-10s %-*s %s", "when", "mark", "promise", "gained",
             PROBLEM_W, "problem", "change, tags, device");
}

void review_list_put(const struct review_item *item, struct pen *pen)
{
    char text[FORMAT_SIZE], letters[REVIEW_LETTERS];

    pen_putf(pen, ROLE_DIM, "%.5s %.5s ", item->at + CLOCK_DAY_AT, item->at + CLOCK_TIME_AT);
    pen_putf(pen, role_of_decision(item), "%s ", letters_of(item));
    pen_putf(pen, item->is_starred ? ROLE_KEY : ROLE_DIM, "%s ", review_letters(item, letters));
    pen_putf(pen, ROLE_TEXT, "%7s ", format_speedup(text, item->promised));
    pen_putf(pen, role_of(item), "%-10.10s ", review_result(item, text));
    pen_put_column(pen, ROLE_STRONG, PROBLEM_W, item->problem);
    pen_putf(pen, ROLE_TEXT, " %s", item->change);
    pen_putf(pen, ROLE_DIM, "  %s  %s", item->tags ? item->tags : "", item->device);
}

/* Put a fact after its separator; false if it has no room and is left out. */
static bool put_fact(struct pen *pen, enum role role, const char *separator, const char *fact)
{
    int columns =
        canvas_text_columns(separator, strlen(separator)) + canvas_text_columns(fact, strlen(fact));

    if (pen->x + columns > pen->area.rect.w)
        return false;
    pen_puts(pen, ROLE_DIM, separator);
    pen_puts(pen, role, fact);
    return true;
}

/* Put the totals.  The gain comes before the counts, so that it is left out last. */
static void put_totals(const struct review_totals *totals, struct pen *pen)
{
    char text[4 * FORMAT_SIZE], promised[FORMAT_SIZE], gained[FORMAT_SIZE];

    snprintf(text, sizeof(text), "%zu:", totals->count);
    put_fact(pen, ROLE_BAR, "", text);
    if (totals->compared) {
        snprintf(text, sizeof(text), "promised %s gained %s",
                 format_speedup(promised, totals->promised),
                 format_speedup(gained, totals->gained));
        put_fact(pen, ROLE_STRONG, " ", text);
    }
    snprintf(text, sizeof(text), "%zu tried %zu faster", totals->tried, totals->faster);
    put_fact(pen, ROLE_BAR, totals->compared ? " | " : " ", text);
    snprintf(text, sizeof(text), "%zu accepted %zu edited %zu vetoed", totals->accepted,
             totals->edited, totals->vetoed);
    put_fact(pen, ROLE_BAR, " | ", text);
}

/* Put for each tag its count, and promised > gained: "vectorize 3 1.30x > 1.12x". */
static void put_tags(const struct review *review, const struct review_filter *shown,
                     struct pen *pen)
{
    struct strbuf names = {0}, fact = {0};
    bool has_room = true;
    char *rest;

    review_add_values(review, REVIEW_TAG, &names);
    rest = names.data;
    pen_puts(pen, ROLE_DIM, "by tag:");
    for (char *name = strsep(&rest, "\n"); has_room && name && *name; name = strsep(&rest, "\n")) {
        struct review_filter filter = *shown;
        struct review_totals totals;
        char promised[FORMAT_SIZE], gained[FORMAT_SIZE];

        filter.values[REVIEW_TAG] = name;
        totals = review_total_of(review, &filter);
        fact.len = 0;
        strbuf_addf(&fact, "%s %zu", name, totals.count);
        if (totals.compared)
            strbuf_addf(&fact, " %s > %s", format_speedup(promised, totals.promised),
                        format_speedup(gained, totals.gained));
        if (totals.count)
            has_room = put_fact(pen, ROLE_BAR, "  ", strbuf_cstr(&fact));
    }
    strbuf_release(&names);
    strbuf_release(&fact);
}

void review_list_draw_totals(const struct review *review, const struct review_rows *rows,
                             const struct review_filter *filter, struct area area)
{
    const struct review_totals totals = review_total(review, rows);
    struct pen pen = area_pen(area, 1, 0);

    put_totals(&totals, &pen);
    pen = area_pen(area, 1, 1);
    put_tags(review, filter, &pen);
}

/*
 * Heights of the header, the totals, and the message and key lines. On a screen at least BESIDE_W
 * wide, the selected recommendation is at the right of the list, which takes LIST_PERCENT of the
 * width. If there are fewer than ROOM_FOR_TOTALS lines between header and message, the totals are
 * left out; if there are fewer than ROOM_FOR_ITEM on a narrow screen, only the list is shown.
 */
enum { HEADER_H = 1, TOTALS_H = 2, BELOW_H = 2, BESIDE_W = 110, LIST_PERCENT = 58 };
enum { ROOM_FOR_TOTALS = 14, ROOM_FOR_ITEM = 10 };

struct review_places review_list_places(int w, int h)
{
    int room = h - HEADER_H - BELOW_H, totals_h = room >= ROOM_FOR_TOTALS ? TOTALS_H : 0;
    int list_h = room - totals_h;
    struct review_places places = {.header = {0, 0, w, HEADER_H},
                                   .list = {0, HEADER_H, w, list_h},
                                   .totals = {0, HEADER_H + list_h, w, totals_h},
                                   .message = {0, h - BELOW_H, w, 1},
                                   .keys = {0, h - 1, w, 1}};

    if (w >= BESIDE_W) {
        places.list.w = w * LIST_PERCENT / 100;
        places.item = (struct rect){places.list.w, HEADER_H, w - places.list.w, list_h};
    } else if (list_h >= ROOM_FOR_ITEM) {
        places.list.h = list_h / 2;
        places.item = (struct rect){0, HEADER_H + list_h / 2, w, list_h - list_h / 2};
    }
    return places;
}

char *review_list_value_after(const char *lines, const char *value)
{
    size_t len = value ? strlen(value) : 0;

    while (value && *lines && (strncmp(lines, value, len) != 0 || lines[len] != '\n'))
        lines += strcspn(lines, "\n") + 1;
    if (value && *lines)
        lines += len + 1;
    return *lines ? mem_strndup(lines, strcspn(lines, "\n")) : NULL;
}
