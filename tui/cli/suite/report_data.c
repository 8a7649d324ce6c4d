#include "tui/cli/suite/report_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const phase_names[] = {"waits", "open", "ended", "failed"};

/*
 * Put a number with six digits. No interval justifies more, and rounded output is the same on every
 * machine.
 */
static void put_number(struct json *object, const char *key, double value)
{
    char text[32];

    snprintf(text, sizeof(text), "%.6g", value);
    json_put_number(object, key, strtod(text, NULL));
}

static void put_known(struct json *object, const char *key, double value)
{
    if (value > 0)
        put_number(object, key, value);
}

/* Put value, low and high; an unknown interval is absent. */
static void put_ratio(struct json *object, const char *key, const struct ratio *ratio)
{
    struct json *put;

    if (ratio->value <= 0)
        return;
    put = json_put(object, key, json_object_new());
    put_number(put, "value", ratio->value);
    if (ratio->low > 0 && isfinite(ratio->high)) {
        put_number(put, "low", ratio->low);
        put_number(put, "high", ratio->high);
    }
}

static void put_label(const struct suite_report *report, const struct report_row *row,
                      struct json *object)
{
    struct strbuf label = {0};

    suite_add_label(&report->store->suite, row->at.problem, &label);
    json_put_string(object, "problem", strbuf_cstr(&label));
    json_put_string(object, "arm", report->store->suite.arms.items[row->at.arm].name);
    put_number(object, "repeat", row->at.repeat + 1);
    strbuf_release(&label);
}

static void put_speedups(const struct report_row *row, struct json *object)
{
    struct json *all = row->speedups.count ? json_put(object, "speedups", json_array_new()) : NULL;

    for (size_t i = 0; i < row->speedups.count; i++) {
        struct json *one = json_push(all, json_object_new());

        json_put_string(one, "over", row->speedups.items[i].over);
        put_ratio(one, "speedup", &row->speedups.items[i].ratio);
    }
}

static struct json *encode_row(const struct suite_report *report, const struct report_row *row)
{
    struct json *object = json_object_new();

    put_label(report, row, object);
    json_put_string(object, "state", phase_names[row->phase]);
    json_put_string(object, "trouble", row->trouble);
    if (!row->session[0])
        return object;
    json_put_string(object, "session", row->session);
    json_put_string(object, "device", row->device);
    json_put_bool(object, "correct", row->until_correct > 0);
    put_number(object, "attempts", row->attempts);
    put_known(object, "until_correct", row->until_correct);
    put_known(object, "until_best", row->until_best);
    put_known(object, "median_us", row->time.median_us);
    put_known(object, "low_us", row->time.low_us);
    put_known(object, "high_us", row->time.high_us);
    put_ratio(object, "speedup", &row->speedup);
    json_put_string(object, "over", row->over);
    put_speedups(row, object);
    put_known(object, "bound_fraction", row->bound_fraction);
    if (row->has_usd)
        put_number(object, "usd", row->usd);
    if (row->has_tokens)
        put_number(object, "tokens", row->tokens);
    put_number(object, "minutes", row->minutes);
    return object;
}

/* Add {"<key>": at, "share": share}, unless the share is unknown. */
static void add_point(struct json *curve, const char *key, double at, double share)
{
    struct json *point;

    if (isnan(share))
        return;
    point = json_push(curve, json_object_new());
    put_number(point, key, at);
    put_number(point, "share", share);
}

static void put_curves(const struct report_arm *arm, struct json *object)
{
    struct json *success = json_put(object, "success_after", json_array_new());
    struct json *pass = json_put(object, "pass", json_array_new());
    struct json *fast = json_put(object, "fast", json_array_new());

    for (size_t i = 0; i < REPORT_TRIES; i++) {
        add_point(success, "attempts", report_tries[i], arm->success[i]);
        add_point(pass, "sessions", report_tries[i], arm->pass[i]);
    }
    for (size_t i = 0; i < REPORT_THRESHOLDS; i++)
        add_point(fast, "above", report_thresholds[i], arm->fast[i]);
}

static struct json *encode_arm(const struct suite_report *report, size_t index)
{
    const struct report_arm *arm = &report->arms[index];
    struct json *object = json_object_new();

    json_put_string(object, "arm", report->store->suite.arms.items[index].name);
    put_number(object, "ended", (double)arm->ended);
    put_number(object, "failed", (double)arm->failed);
    put_number(object, "correct", (double)arm->correct);
    put_number(object, "timed", (double)arm->timed);
    put_ratio(object, "speedup", &arm->speedup);
    put_curves(arm, object);
    if (arm->has_usd)
        put_number(object, "usd", arm->usd);
    if (arm->has_tokens)
        put_number(object, "tokens", arm->tokens);
    put_number(object, "minutes", arm->minutes);
    return object;
}

static struct json *encode_cell(const struct suite_report *report, size_t problem, size_t arm)
{
    const struct report_cell cell = suite_report_cell(report, problem, arm);
    struct json *object = json_object_new();
    struct strbuf label = {0};

    suite_add_label(&report->store->suite, problem, &label);
    json_put_string(object, "problem", strbuf_cstr(&label));
    json_put_string(object, "arm", report->store->suite.arms.items[arm].name);
    put_number(object, "ended", (double)cell.ended);
    put_number(object, "correct", (double)cell.correct);
    put_known(object, "until_correct", cell.until_correct);
    put_known(object, "until_best", cell.until_best);
    put_ratio(object, "us", &cell.us);
    put_ratio(object, "speedup", &cell.speedup);
    json_put_string(object, "over", cell.over);
    put_known(object, "bound_fraction", cell.bound_fraction);
    if (cell.has_usd)
        put_number(object, "usd", cell.usd);
    if (cell.has_tokens)
        put_number(object, "tokens", cell.tokens);
    put_number(object, "minutes", cell.minutes);
    strbuf_release(&label);
    return object;
}

static void put_cells(const struct suite_report *report, struct json *object)
{
    const struct suite *suite = &report->store->suite;
    struct json *cells = json_put(object, "cells", json_array_new());

    for (size_t i = 0; i < suite->problems.count; i++)
        for (size_t j = 0; j < suite->arms.count; j++)
            json_push(cells, encode_cell(report, i, j));
}

static struct json *encode_model(const struct suite_report *report,
                                 const struct report_model *model)
{
    struct json *object = json_object_new();

    json_put_string(object, "arm", report->store->suite.arms.items[model->arm].name);
    json_put_string(object, "model", model->agent);
    put_number(object, "sessions", model->sessions);
    put_number(object, "attempts", model->attempts);
    put_number(object, "correct", model->correct);
    put_number(object, "won", model->won);
    put_number(object, "best", model->best);
    put_number(object, "replies", model->replies);
    if (!model->unknown_tokens) {
        put_number(object, "prompt_tokens", model->prompt_tokens);
        put_number(object, "reply_tokens", model->reply_tokens);
    }
    if (!model->unknown_usd)
        put_number(object, "usd", model->usd);
    put_number(object, "minutes", model->minutes);
    return object;
}

static struct json *encode_pair(const struct suite_report *report, const struct report_pair *pair)
{
    const struct suite *suite = &report->store->suite;
    struct json *object = json_object_new();

    json_put_string(object, "arm", suite->arms.items[pair->first].name);
    json_put_string(object, "over", suite->arms.items[pair->second].name);
    put_number(object, "problems", (double)pair->problems);
    put_number(object, "left_out", (double)pair->left_out);
    if (!pair->problems)
        return object;
    put_ratio(object, "ratio", &pair->ratio);
    put_number(object, "p", pair->test.p);
    json_put_bool(object, "exact", pair->test.is_exact);
    put_number(object, "corrected_p", pair->corrected_p);
    put_number(object, "effect", pair->test.effect);
    return object;
}

static struct json *encode_omission(const struct suite_report *report,
                                    const struct report_omission *group)
{
    struct json *object = json_object_new(), *tasks;

    json_put_string(object, "arm", report->store->suite.arms.items[group->arm].name);
    json_put_string(object, "reason", group->reason);
    tasks = json_put(object, "tasks", json_array_new());
    for (size_t i = 0; i < group->tasks.count; i++)
        json_push(tasks, json_number_new((double)group->tasks.items[i] + 1));
    return object;
}

static struct json *encode_machine(const struct report_machine *machine)
{
    struct json *object = json_object_new();

    json_put_string(object, "host", machine->host);
    json_put_string(object, "device", machine->device);
    json_put_string(object, "driver", machine->driver);
    json_put_string(object, "compiler", machine->compiler);
    json_put_string(object, "kforge", machine->version);
    put_number(object, "tasks", (double)machine->tasks);
    return object;
}

struct json *report_data_encode(const struct suite_report *report)
{
    struct json *object = json_object_new(), *tasks, *arms, *models, *pairs, *left_out, *machines;

    put_number(object, "kforge", 1);
    json_put_string(object, "suite", report->store->id);
    json_put_string(object, "name", report->store->suite.name);
    tasks = json_put(object, "tasks", json_array_new());
    for (size_t i = 0; i < report->count; i++)
        json_push(tasks, encode_row(report, &report->rows[i]));
    arms = json_put(object, "arms", json_array_new());
    for (size_t i = 0; i < report->store->suite.arms.count; i++)
        json_push(arms, encode_arm(report, i));
    put_cells(report, object);
    models = json_put(object, "models", json_array_new());
    for (size_t i = 0; i < report->models.count; i++)
        json_push(models, encode_model(report, &report->models.items[i]));
    pairs = json_put(object, "comparisons", json_array_new());
    for (size_t i = 0; i < report->pairs.count; i++)
        json_push(pairs, encode_pair(report, &report->pairs.items[i]));
    left_out = json_put(object, "left_out", json_array_new());
    for (size_t i = 0; i < report->left_out.count; i++)
        json_push(left_out, encode_omission(report, &report->left_out.items[i]));
    machines = json_put(object, "machines", json_array_new());
    for (size_t i = 0; i < report->machines.count; i++)
        json_push(machines, encode_machine(&report->machines.items[i]));
    return object;
}

static void add_field(double value, struct strbuf *out)
{
    strbuf_adds(out, ",");
    if (value > 0 && isfinite(value))
        strbuf_addf(out, "%.6g", value);
}

/*
 * Append a quoted text.  An apostrophe precedes a text that a spreadsheet would take for a formula.
 */
static void add_text(const char *text, struct strbuf *out)
{
    strbuf_adds(out, *text == '=' || *text == '+' || *text == '-' || *text == '@' ? "\"'" : "\"");
    for (; *text; text++)
        strbuf_add(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    strbuf_adds(out, "\"");
}

static void add_csv_row(const struct suite_report *report, const struct report_row *row,
                        struct strbuf *out)
{
    struct strbuf label = {0};

    suite_add_label(&report->store->suite, row->at.problem, &label);
    add_text(strbuf_cstr(&label), out);
    strbuf_addf(out, ",%s,%u,%s,%s,%u", report->store->suite.arms.items[row->at.arm].name,
                row->at.repeat + 1, phase_names[row->phase], row->until_correct ? "yes" : "no",
                row->attempts);
    add_field(row->until_correct, out);
    add_field(row->until_best, out);
    add_field(row->time.median_us, out);
    add_field(row->time.low_us, out);
    add_field(row->time.high_us, out);
    add_field(row->speedup.value, out);
    add_field(row->speedup.low, out);
    add_field(row->speedup.high, out);
    strbuf_adds(out, ",");
    add_text(row->over ? row->over : "", out);
    add_field(row->bound_fraction, out);
    strbuf_adds(out, ",");
    if (row->has_usd)
        strbuf_addf(out, "%.6g", row->usd);
    strbuf_adds(out, ",");
    if (row->has_tokens)
        strbuf_addf(out, "%.0f", row->tokens);
    strbuf_addf(out, ",%.3f,%s,%s\r\n", row->minutes, row->device ? row->device : "", row->session);
    strbuf_release(&label);
}

void report_data_add_csv(const struct suite_report *report, struct strbuf *out)
{
    strbuf_adds(out, "problem,arm,repeat,state,correct,attempts,until_correct,until_best,median_us,"
                     "low_us,high_us,speedup,speedup_low,speedup_high,over,bound_share,usd,tokens,"
                     "minutes,device,session\r\n");
    for (size_t i = 0; i < report->count; i++)
        add_csv_row(report, &report->rows[i], out);
}
