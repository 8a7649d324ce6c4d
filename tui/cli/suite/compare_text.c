#include "tui/cli/suite/compare_text.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/format.h"
#include "core/model/baseline_label.h"
#include "tui/cli/text/report_table.h"

static void add_ratio(struct report_table *table, const struct ratio *ratio)
{
    char value[FORMAT_SIZE], interval[FORMAT_SIZE];

    if (ratio->value <= 0)
        report_table_add(table, "-");
    else if (ratio->low <= 0 || !isfinite(ratio->high))
        report_table_add(table, "%s, interval unknown", format_speedup(value, ratio->value));
    else
        report_table_add(table, "%s %s", format_speedup(value, ratio->value),
                         format_interval(interval, ratio->low, ratio->high));
}

static void add_cell(const struct compared_cell *cell, struct report_table *table)
{
    report_table_add(table, "%s", compared_state_names[cell->state]);
    report_table_add(table, "%s", cell->problem);
    report_table_add(table, "%s", cell->arm);
    report_table_add(table, "%zu of %zu", cell->old_correct, cell->old_ended);
    report_table_add(table, "%zu of %zu", cell->new_correct, cell->new_ended);
    add_ratio(table, &cell->speed.ratio);
    report_table_add(table, "%s", cell->over ? baseline_label(cell->over) : "-");
    if (cell->speed.ratio.low > 0) {
        report_table_add(table, "%.3g", cell->speed.p);
        report_table_add(table, "%.3g", cell->corrected_p);
    } else {
        report_table_add(table, "-");
        report_table_add(table, "-");
    }
    report_table_add(table, "%s", cell->reason);
}

/* Add a table of the cells; those that got worse come first. */
static void add_cells(const struct suite_comparison *comparison, bool as_markdown,
                      struct strbuf *out)
{
    static const enum compared_state order[] = {COMPARED_WORSE, COMPARED_UNKNOWN, COMPARED_BETTER,
                                                COMPARED_SAME};
    struct report_table table = {0};

    strbuf_adds(out, "\nProblems and arms, worst first: speed is new over old, by speedups over "
                     "the same baseline, with the 95 %\ninterval of Welch (for one repeat: of the "
                     "measurements alone), its p, and Holm's over all rows.\n\n");
    report_table_begin(&table,
                       "state|problem|arm|correct, old|new|speed|over|p|corrected p|reason");
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
        for (size_t j = 0; j < comparison->cells.count; j++)
            if (comparison->cells.items[j].state == order[i])
                add_cell(&comparison->cells.items[j], &table);
    report_table_print(&table, as_markdown, out);
}

static void add_usd(struct report_table *table, double usd)
{
    if (isnan(usd))
        report_table_add(table, "unknown");
    else
        report_table_add(table, "$%.3g", usd);
}

static void add_tokens(struct report_table *table, double tokens)
{
    report_table_add(table, isnan(tokens) ? "unknown" : "%.0f", tokens);
}

static void add_arms(const struct suite_comparison *comparison, bool as_markdown,
                     struct strbuf *out)
{
    struct report_table table = {0};

    strbuf_adds(out, "\nEach arm over its problems: geometric mean with the interval of the "
                     "bootstrap over problems, Wilcoxon's\nsigned-rank test with Holm's correction "
                     "over arms, matched-pairs rank-biserial correlation as effect.\n\n");
    report_table_begin(&table, "arm|correct, old|new|problems|speed|p|corrected p|effect|cost, old|"
                               "new|tokens, old|new");
    for (size_t i = 0; i < comparison->arms.count; i++) {
        const struct compared_arm *arm = &comparison->arms.items[i];

        report_table_add(&table, "%s", arm->arm);
        report_table_add(&table, "%zu of %zu", arm->old_correct, arm->old_ended);
        report_table_add(&table, "%zu of %zu", arm->new_correct, arm->new_ended);
        report_table_add(&table, "%zu", arm->problems);
        add_ratio(&table, &arm->ratio);
        report_table_add(&table, arm->problems ? "%.3g" : "-", arm->test.p);
        report_table_add(&table, arm->problems ? "%.3g" : "-", arm->corrected_p);
        report_table_add(&table, arm->problems ? "%+.2f" : "-", arm->test.effect);
        add_usd(&table, arm->old_usd);
        add_usd(&table, arm->new_usd);
        add_tokens(&table, arm->old_tokens);
        add_tokens(&table, arm->new_tokens);
    }
    report_table_print(&table, as_markdown, out);
}

static void add_alone(const struct suite_comparison *comparison, struct strbuf *out)
{
    strbuf_adds(out, comparison->alone.count ? "\nOnly in one report:\n\n" : "");
    for (size_t i = 0; i < comparison->alone.count; i++)
        strbuf_addf(out, "- %s\n", comparison->alone.items[i]);
}

void compare_text_add(const struct suite_comparison *comparison, bool as_markdown,
                      struct strbuf *out)
{
    size_t same =
        comparison->cells.count - comparison->worse - comparison->better - comparison->unknown;

    strbuf_addf(out, "%zu got worse, %zu got better, %zu are the same, %zu are unknown\n",
                comparison->worse, comparison->better, same, comparison->unknown);
    add_cells(comparison, as_markdown, out);
    add_arms(comparison, as_markdown, out);
    add_alone(comparison, out);
}

static void put_ratio(struct json *object, const struct ratio *ratio)
{
    struct json *put;

    if (ratio->value <= 0)
        return;
    put = json_put(object, "speed", json_object_new());
    json_put_number(put, "value", ratio->value);
    if (ratio->low > 0 && isfinite(ratio->high)) {
        json_put_number(put, "low", ratio->low);
        json_put_number(put, "high", ratio->high);
    }
}

static void put_counts(struct json *object, const char *key, size_t correct, size_t ended)
{
    struct json *counts = json_put(object, key, json_object_new());

    json_put_number(counts, "correct", (double)correct);
    json_put_number(counts, "ended", (double)ended);
}

static struct json *encode_cell(const struct compared_cell *cell)
{
    struct json *object = json_object_new();

    json_put_string(object, "problem", cell->problem);
    json_put_string(object, "arm", cell->arm);
    json_put_string(object, "state", compared_state_names[cell->state]);
    json_put_string(object, "reason", cell->reason);
    put_counts(object, "old", cell->old_correct, cell->old_ended);
    put_counts(object, "new", cell->new_correct, cell->new_ended);
    json_put_string(object, "over", cell->over);
    put_ratio(object, &cell->speed.ratio);
    if (cell->speed.ratio.low > 0) {
        json_put_number(object, "p", cell->speed.p);
        json_put_number(object, "corrected_p", cell->corrected_p);
    }
    return object;
}

static struct json *encode_arm(const struct compared_arm *arm)
{
    struct json *object = json_object_new();

    json_put_string(object, "arm", arm->arm);
    put_counts(object, "old", arm->old_correct, arm->old_ended);
    put_counts(object, "new", arm->new_correct, arm->new_ended);
    json_put_number(object, "problems", (double)arm->problems);
    put_ratio(object, &arm->ratio);
    json_put_number(object, "p", arm->test.p);
    json_put_number(object, "corrected_p", arm->corrected_p);
    json_put_number(object, "effect", arm->test.effect);
    return object;
}

struct json *compare_text_encode(const struct suite_comparison *comparison)
{
    struct json *object = json_object_new(), *list;

    json_put_number(object, "kforge", 1);
    json_put_number(object, "worse", (double)comparison->worse);
    json_put_number(object, "better", (double)comparison->better);
    json_put_number(object, "unknown", (double)comparison->unknown);
    list = json_put(object, "cells", json_array_new());
    for (size_t i = 0; i < comparison->cells.count; i++)
        json_push(list, encode_cell(&comparison->cells.items[i]));
    list = json_put(object, "arms", json_array_new());
    for (size_t i = 0; i < comparison->arms.count; i++)
        json_push(list, encode_arm(&comparison->arms.items[i]));
    list = json_put(object, "alone", json_array_new());
    for (size_t i = 0; i < comparison->alone.count; i++)
        json_push(list, json_string_new(comparison->alone.items[i]));
    return object;
}
