#include "tui/screens/suite/inbox_list.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/format.h"
#include "core/base/vec.h"
#include "tui/term/table_column.h"

/* Compare by gain, the greatest first; items of equal gain stay in the order of the tasks. */
static int compare_items(const void *a, const void *b)
{
    const struct inbox_item *one = a, *other = b;

    if (task_facts_gains_more(one->facts, other->facts))
        return -1;
    if (task_facts_gains_more(other->facts, one->facts))
        return 1;
    if (one->suite != other->suite)
        return strcmp(other->suite->id, one->suite->id);
    return (one->task > other->task) - (one->task < other->task);
}

static void add_items(struct inbox_list *list, const struct listed_suite *suite)
{
    const struct suite_follow *follow = suite->follow;

    for (size_t i = 0; follow && i < follow->store.state.count; i++) {
        const struct session *session = suite_follow_session(follow, i);

        if (session && suite_follow_asks(follow, i))
            vec_push(list, ((struct inbox_item){suite, session, &follow->tasks[i].facts, i}));
    }
}

void inbox_list_read(struct inbox_list *list, const struct suite_overview *overview)
{
    list->count = 0;
    for (size_t i = 0; i < overview->count; i++)
        add_items(list, &overview->items[i]);
    if (list->count)
        qsort(list->items, list->count, sizeof(*list->items), compare_items);
}

const char *inbox_list_session(const struct inbox_item *item)
{
    return item->suite->follow->store.state.tasks[item->task].session;
}

size_t inbox_list_find(const struct inbox_list *list, const char *session)
{
    size_t i = 0;

    while (i < list->count && strcmp(inbox_list_session(&list->items[i]), session) != 0)
        i++;
    return i;
}

/* Columns of names that may be longer. */
enum { LABEL_W = 20, ARM_W = 10 };

void inbox_list_put_titles(struct pen *pen)
{
    pen_putf(pen, ROLE_DIM, "%-10s %-7s ", "could gain", "step");
    pen_put_column(pen, ROLE_DIM, LABEL_W, "problem");
    pen_puts(pen, ROLE_DIM, " ");
    pen_put_column(pen, ROLE_DIM, ARM_W, "arm");
    pen_putf(pen, ROLE_DIM, " %-9s %s", "best", "title, suite");
}

/*
 * Put the gain: "1.30x" if it was measured, "1.20x?" if it is promised, "<3.1x" for the limit that
 * the bound gives.
 */
static void put_gain(const struct task_facts *facts, struct pen *pen)
{
    static const char *const marks[] = {
        [GAIN_UNKNOWN] = " ", [GAIN_MEASURED] = "=", [GAIN_PROMISED] = "~", [GAIN_AT_MOST] = "<"};
    char gain[FORMAT_SIZE];

    pen_putf(pen, facts->gain > 1 ? ROLE_GOOD : ROLE_DIM, "%3s%6s  ", marks[facts->gain_source],
             format_speedup(gain, facts->gain));
}

void inbox_list_put(const struct inbox_item *item, struct pen *pen)
{
    static const char *const kinds[] = {[STEP_PROMPT] = "prompt",
                                        [STEP_CANDIDATE] = "kernel",
                                        [STEP_KEEP] = "keep",
                                        [STEP_RECOMMENDATION] = "advice"};
    const struct suite *suite = &item->suite->follow->store.suite;
    struct suite_task at = suite_task_at(suite, item->task);
    struct strbuf label = {0};
    char best[FORMAT_SIZE];

    suite_add_label(suite, at.problem, &label);
    put_gain(item->facts, pen);
    pen_putf(pen, ROLE_WAITING, "%-7s ", kinds[item->facts->kind]);
    pen_put_column(pen, ROLE_STRONG, LABEL_W, strbuf_cstr(&label));
    pen_puts(pen, ROLE_TEXT, " ");
    pen_put_column(pen, ROLE_TEXT, ARM_W, suite->arms.items[at.arm].name);
    pen_putf(pen, ROLE_TEXT, " %-9s ", format_speedup(best, item->facts->speedup.value));
    pen_putf(pen, ROLE_TEXT, "%s", item->facts->title ? item->facts->title : "");
    pen_putf(pen, ROLE_DIM, "  %s, repeat %u", item->suite->name, at.repeat + 1);
    strbuf_release(&label);
}
