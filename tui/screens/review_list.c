#include "tui/screens/review_list.h"

#include <stdlib.h>
#include <string.h>

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

    return letters[item->decision][item->decider == DECIDER_POLICY];
}

static enum role role_of(const struct review_item *item)
{
    if (item->decision == DECISION_VETOED || (item->is_judged && item->outcome != OUTCOME_CORRECT))
        return ROLE_BAD;
    if (!review_has_gain(item))
        return ROLE_DIM;
    return item->gained > 1 ? ROLE_GOOD : ROLE_WARNING;
}

void review_list_put_heading(struct pen *pen)
{
    pen_putf(pen, ROLE_DIM, "%-11s    %-4s %7s %-10s %-14s %s", "when", "mark", "promise", "gained",
             "problem", "change, tags, device");
}

void review_list_put(const struct review_item *item, struct pen *pen)
{
    char text[FORMAT_SIZE], letters[REVIEW_LETTERS];

    pen_putf(pen, ROLE_DIM, "%.5s %.5s ", item->at + CLOCK_DAY_AT, item->at + CLOCK_TIME_AT);
    pen_putf(pen, item->decision == DECISION_VETOED ? ROLE_BAD : ROLE_GOOD, "%s ",
             letters_of(item));
    pen_putf(pen, item->is_starred ? ROLE_KEY : ROLE_DIM, "%s ", review_letters(item, letters));
    pen_putf(pen, ROLE_TEXT, "%7s ", format_speedup(text, item->promised));
    pen_putf(pen, role_of(item), "%-10.10s ", review_result(item, text));
    pen_putf(pen, ROLE_STRONG, "%-14.14s ", item->problem);
    pen_puts(pen, ROLE_TEXT, item->change);
    pen_putf(pen, ROLE_DIM, "  %s  %s", item->tags ? item->tags : "", item->device);
}
