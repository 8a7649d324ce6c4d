#include "core/session/recorded/review_report.h"

#include <string.h>

#include "core/base/json.h"
#include "core/system/file.h"

static const char *decider_of(const struct review_item *item)
{
    return item->decider == DECIDER_ENGINEER ? "engineer" : "policy";
}

static void put_result(const struct review_item *item, struct json *object)
{
    if (item->promised > 0)
        json_put_number(object, "promised", item->promised);
    if (item->follower)
        json_put_number(object, "attempt", item->follower);
    if (item->is_judged)
        json_put_string(object, "outcome", outcome_name(item->outcome));
    if (review_has_gain(item))
        json_put_number(object, "gained", item->gained);
    json_put_bool(object, "kept", item->is_kept && !item->is_undone);
}

static struct json *encode(const struct review_item *item)
{
    struct json *object = json_object_new();

    json_put_string(object, "session", item->session);
    json_put_number(object, "step", item->step);
    json_put_string(object, "at", item->at);
    json_put_string(object, "problem", item->problem);
    json_put_string(object, "device", item->device);
    json_put_string(object, "agent", item->agent);
    json_put_string(object, "bottleneck", item->bottleneck);
    json_put_string(object, "evidence", item->evidence);
    json_put_string(object, "change", item->change);
    json_put_string(object, "tags", item->tags);
    json_put_string(object, "decision", decision_name(item->decision));
    if (item->decision != DECISION_PENDING)
        json_put_string(object, "by", decider_of(item));
    json_put_string(object, "reason", item->reason);
    put_result(item, object);
    json_put_bool(object, "reviewed", item->is_reviewed);
    json_put_bool(object, "starred", item->is_starred);
    if (*item->note)
        json_put_string(object, "note", item->note);
    return object;
}

void review_report_json(const struct review *review, const struct review_rows *rows,
                        struct strbuf *out)
{
    for (size_t i = 0; i < rows->count; i++) {
        struct json *object = encode(&review->items[rows->items[i]]);

        json_print(object, out);
        strbuf_adds(out, "\n");
        json_free(object);
    }
}

/* Add text on one line; a vertical bar would end a cell of the table. */
static void add_text(struct strbuf *out, const char *text)
{
    for (; text && *text; text++) {
        if (*text == '|')
            strbuf_adds(out, "\\");
        strbuf_add(out, *text == '\n' || *text == '\r' ? " " : text, 1);
    }
}

static void add_row(const struct review_item *item, struct strbuf *out)
{
    char promised[FORMAT_SIZE], result[FORMAT_SIZE];

    strbuf_addf(out, "| %s | %u | ", item->session, item->step);
    add_text(out, item->problem);
    strbuf_adds(out, " | ");
    add_text(out, item->change);
    strbuf_addf(out, " | %s | %s | %s | %s | %s%s |\n", format_speedup(promised, item->promised),
                review_result(item, result), decision_name(item->decision),
                item->is_kept && !item->is_undone ? "yes" : "", item->is_starred ? "star" : "",
                item->is_reviewed ? (item->is_starred ? ", reviewed" : "reviewed") : "");
}

static void add_line(struct strbuf *out, const char *name, const char *text)
{
    if (!text || !*text)
        return;
    strbuf_addf(out, "- %s: ", name);
    add_text(out, text);
    strbuf_adds(out, "\n");
}

static void add_result(const struct review_item *item, struct strbuf *out)
{
    char text[FORMAT_SIZE];

    if (item->promised > 0)
        strbuf_addf(out, "- promised: %s\n", format_speedup(text, item->promised));
    strbuf_addf(out, "- result: %s", review_result(item, text));
    if (item->follower)
        strbuf_addf(out, ", attempt %u", item->follower);
    strbuf_adds(out, item->is_kept && !item->is_undone ? ", kept\n" : "\n");
}

static void add_section(const struct review_item *item, struct strbuf *out)
{
    strbuf_adds(out, "\n## ");
    add_text(out, item->change);
    strbuf_addf(out, "\n\n- session: %s, step %u, %s\n", item->session, item->step, item->at);
    strbuf_addf(out, "- problem: %s on %s by %s\n", item->problem, item->device, item->agent);
    strbuf_addf(out, "- decision: %s", decision_name(item->decision));
    if (item->decision != DECISION_PENDING)
        strbuf_addf(out, " by the %s", decider_of(item));
    strbuf_adds(out, "\n");
    add_line(out, "reason", item->reason);
    add_result(item, out);
    add_line(out, "bottleneck", item->bottleneck);
    add_line(out, "evidence", item->evidence);
    add_line(out, "tags", item->tags);
    add_line(out, "note", item->note);
}

static void add_totals(const struct review *review, const struct review_rows *rows,
                       struct strbuf *out)
{
    const struct review_totals t = review_total(review, rows);
    char promised[FORMAT_SIZE], gained[FORMAT_SIZE];

    strbuf_addf(out, "%zu: %zu accepted, %zu edited, %zu vetoed; %zu tried, %zu faster.\n", t.count,
                t.accepted, t.edited, t.vetoed, t.tried, t.faster);
    if (t.compared)
        strbuf_addf(out, "Promised %s, gained %s (geometric means of %zu).\n",
                    format_speedup(promised, t.promised), format_speedup(gained, t.gained),
                    t.compared);
}

void review_report_markdown(const struct review *review, const struct review_rows *rows,
                            struct strbuf *out)
{
    strbuf_adds(out, "# Recommendations\n\n");
    add_totals(review, rows, out);
    strbuf_adds(out,
                "\n| session | step | problem | change | promised | result | decision | kept | "
                "marks |\n|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < rows->count; i++)
        add_row(&review->items[rows->items[i]], out);
    for (size_t i = 0; i < rows->count; i++)
        add_section(&review->items[rows->items[i]], out);
}

static bool ends_with(const char *path, const char *ending)
{
    size_t len = strlen(path), of = strlen(ending);

    return len > of && strcmp(path + len - of, ending) == 0;
}

enum status review_report_save(const struct review *review, const struct review_rows *rows,
                               const char *path, struct error *err)
{
    struct strbuf text = {0};
    enum status st;

    if (file_exists(path))
        return error_set(err, STATUS_INVALID, "%s: already exists: name another file", path);
    if (ends_with(path, ".md"))
        review_report_markdown(review, rows, &text);
    else if (ends_with(path, ".json") || ends_with(path, ".jsonl"))
        review_report_json(review, rows, &text);
    else
        return error_set(err, STATUS_INVALID, "%s: name a file that ends with .md, .json or .jsonl",
                         path);
    st = file_write(path, strbuf_cstr(&text), text.len, err);
    strbuf_release(&text);
    return st;
}
