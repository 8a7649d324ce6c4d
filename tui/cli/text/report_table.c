#include "tui/cli/text/report_table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"

void report_table_begin(struct report_table *table, const char *titles)
{
    while (*titles) {
        size_t len = strcspn(titles, "|");

        report_table_add(table, "%.*s", (int)len, titles);
        table->columns++;
        titles += len + (titles[len] == '|');
    }
}

void report_table_add(struct report_table *table, const char *fmt, ...)
{
    struct strbuf text = {0};
    va_list args;

    va_start(args, fmt);
    strbuf_vaddf(&text, fmt, args);
    va_end(args);
    vec_push(&table->cells, strbuf_take(&text));
}

static const char *cell(const struct report_table *table, size_t row, size_t column)
{
    const char *text = table->cells.items[row * table->columns + column];

    return text ? text : "";
}

/* Add a cell in Markdown. A bar inside a cell is escaped, because it would end the cell. */
static void add_markdown(const char *text, struct strbuf *out)
{
    for (; *text; text++)
        strbuf_add(out, *text == '|' ? "\\|" : text, *text == '|' ? 2 : 1);
}

static void print_markdown(const struct report_table *table, struct strbuf *out)
{
    size_t rows = table->cells.count / table->columns;

    for (size_t row = 0; row < rows; row++) {
        for (size_t column = 0; column < table->columns; column++) {
            strbuf_adds(out, "| ");
            add_markdown(cell(table, row, column), out);
            strbuf_adds(out, column + 1 == table->columns ? " |\n" : " ");
        }
        for (size_t column = 0; row == 0 && column < table->columns; column++)
            strbuf_adds(out, column + 1 == table->columns ? "| --- |\n" : "| --- ");
    }
}

static int width_of(const struct report_table *table, size_t column)
{
    size_t rows = table->cells.count / table->columns, widest = 0;

    for (size_t row = 0; row < rows; row++) {
        size_t len = strlen(cell(table, row, column));

        widest = len > widest ? len : widest;
    }
    return (int)widest;
}

static void print_columns(const struct report_table *table, struct strbuf *out)
{
    size_t rows = table->cells.count / table->columns;
    int *widths = mem_alloc_zeroed(table->columns, sizeof(*widths));

    for (size_t column = 0; column < table->columns; column++)
        widths[column] = width_of(table, column);
    for (size_t row = 0; row < rows; row++) {
        for (size_t column = 0; column + 1 < table->columns; column++)
            strbuf_addf(out, "%-*s  ", widths[column], cell(table, row, column));
        strbuf_addf(out, "%s\n", cell(table, row, table->columns - 1));
    }
    free(widths);
}

void report_table_print(struct report_table *table, bool as_markdown, struct strbuf *out)
{
    (as_markdown ? print_markdown : print_columns)(table, out);
    for (size_t i = 0; i < table->cells.count; i++)
        free(table->cells.items[i]);
    vec_release(&table->cells);
    table->columns = 0;
}
