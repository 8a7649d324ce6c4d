#include "tui/screens/recommendation_page.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"

static void add_heading(struct page *page, const char *name)
{
    page_add(page, ROLE_DIM, "%s", "");
    page_add(page, ROLE_HUNK, "%s", name);
}

static void add_part(struct page *page, const char *name, const char *text, int columns)
{
    if (!text || !*text)
        return;
    add_heading(page, name);
    page_add_wrapped(page, ROLE_TEXT, text, columns);
}

/* The pieces of the evidence are separated by semicolons; each gets its own line. */
static void add_evidence(struct page *page, const char *evidence, int columns)
{
    if (!evidence || !*evidence)
        return;
    add_heading(page, "evidence");
    while (*evidence) {
        size_t len = strcspn(evidence, ";");
        char *piece = mem_strndup(evidence, len);

        page_add_wrapped(page, ROLE_TEXT, piece, columns);
        free(piece);
        evidence += len;
        evidence += strspn(evidence, "; ");
    }
}

static void add_decision(struct page *page, const struct review_item *item, int columns)
{
    struct strbuf text = {0};

    strbuf_adds(&text, item->is_undone ? "undone" : decision_name(item->decision));
    if (item->decision != DECISION_PENDING && !item->is_undone)
        strbuf_addf(&text, " by the %s", item->decider == DECIDER_ENGINEER ? "engineer" : "policy");
    if (item->reason && *item->reason)
        strbuf_addf(&text, ": %s", item->reason);
    add_part(page, "decision", strbuf_cstr(&text), columns);
    strbuf_release(&text);
}

static void add_outcome(struct page *page, const struct review_item *item, int columns)
{
    char promised[FORMAT_SIZE], result[FORMAT_SIZE], time[FORMAT_SIZE];
    struct strbuf text = {0};

    strbuf_addf(&text, "%s promised, %s", format_speedup(promised, item->promised),
                review_result(item, result));
    if (review_has_gain(item))
        strbuf_addf(&text, " gained over the best by attempt %u: %s", item->follower,
                    format_time(time, item->median_us));
    else if (item->follower)
        strbuf_addf(&text, ": attempt %u", item->follower);
    add_part(page, "result", strbuf_cstr(&text), columns);
    strbuf_release(&text);
}

/* The engineer's marks. */
static void add_marks(struct page *page, const struct review_item *item, int columns)
{
    if (item->is_starred || item->is_reviewed || item->is_kept)
        page_add(page, ROLE_KEY, "%s%s%s", item->is_starred ? "* starred  " : "",
                 item->is_reviewed ? "r reviewed  " : "",
                 item->is_kept && !item->is_undone ? "k kept" : "");
    add_part(page, "note", item->note, columns);
}

static void add_place(struct page *page, const struct review_item *item, int columns)
{
    struct strbuf text = {0};

    strbuf_addf(&text, "session %s, step %u: %s on %s by %s", item->session, item->step,
                item->problem, item->device, item->agent);
    add_part(page, "Enter goes to", strbuf_cstr(&text), columns);
    strbuf_release(&text);
}

void recommendation_page_write(const struct review_item *item, struct page *page, int columns)
{
    page_add_wrapped(page, ROLE_STRONG, item->change, columns);
    add_marks(page, item, columns);
    add_outcome(page, item, columns);
    add_decision(page, item, columns);
    add_part(page, "bottleneck", item->bottleneck, columns);
    add_evidence(page, item->evidence, columns);
    add_part(page, "tags", item->tags, columns);
    add_place(page, item, columns);
}
