#include "tui/cli/text/recommendation_table.h"

static void write_item(const struct review_item *item, struct strbuf *out)
{
    char promised[FORMAT_SIZE], gained[FORMAT_SIZE], letters[REVIEW_LETTERS];

    strbuf_addf(out, "%-20s %4u  %s  %8s  %-16s %-20s %s\n", item->session, item->step,
                review_letters(item, letters), format_speedup(promised, item->promised),
                review_result(item, gained), item->tags ? item->tags : "", item->change);
}

static void write_totals(const struct review_totals *totals, struct strbuf *out)
{
    char promised[FORMAT_SIZE], gained[FORMAT_SIZE];

    strbuf_addf(out, "\n%zu: %zu accepted, %zu edited, %zu vetoed; %zu tried, %zu faster\n",
                totals->count, totals->accepted, totals->edited, totals->vetoed, totals->tried,
                totals->faster);
    if (totals->compared)
        strbuf_addf(out, "promised %s, gained %s (geometric means of %zu)\n",
                    format_speedup(promised, totals->promised),
                    format_speedup(gained, totals->gained), totals->compared);
}

void recommendation_table_write(const struct review *review, const struct review_rows *rows,
                                struct strbuf *out)
{
    const struct review_totals totals = review_total(review, rows);

    strbuf_addf(out, "%-20s %4s  %s  %8s  %-16s %-20s %s\n", "session", "step", "mark", "promised",
                "gained", "tags", "change");
    for (size_t i = 0; i < rows->count; i++)
        write_item(&review->items[rows->items[i]], out);
    write_totals(&totals, out);
}
