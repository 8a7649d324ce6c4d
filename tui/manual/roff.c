#include "tui/manual/roff.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/text.h"

void roff_begin(struct strbuf *page, const char *name, int section)
{
    strbuf_addf(page, ".TH %s %d \"\" \"kforge %s\" \"kforge\"\n", name, section, KFORGE_VERSION);
}

void roff_section(struct strbuf *page, const char *title)
{
    strbuf_addf(page, ".SH \"%s\"\n", title);
}

void roff_subsection(struct strbuf *page, const char *title)
{
    strbuf_addf(page, ".SS \"%s\"\n", title);
}

/* Append a character that does not begin a line. */
static void add_character(struct strbuf *page, char c)
{
    switch (c) {
    case '\\':
        strbuf_adds(page, "\\e");
        break;
    case '-':
        strbuf_adds(page, "\\-");
        break;
    default:
        strbuf_add(page, &c, 1);
    }
}

/* Protect a dot or a quote at the start of a line, which roff takes for a request. */
static void guard_line(struct strbuf *page, char first)
{
    if (first == '.' || first == '\'')
        strbuf_adds(page, "\\&");
}

static void add_literal(struct strbuf *page, const char *text)
{
    for (size_t i = 0; text[i]; i++) {
        if (i == 0 || text[i - 1] == '\n')
            guard_line(page, text[i]);
        add_character(page, text[i]);
    }
}

static void add_text(struct strbuf *page, const char *text)
{
    static const char *const fonts[] = {"\\fR", "\\fB"};
    bool is_code = false;

    for (size_t i = 0; text[i]; i++) {
        if (i == 0 || text[i - 1] == '\n')
            guard_line(page, text[i]);
        if (text[i] == '`') {
            is_code = !is_code;
            strbuf_adds(page, fonts[is_code]);
        } else {
            add_character(page, text[i]);
        }
    }
    strbuf_adds(page, "\n");
}

void roff_paragraph(struct strbuf *page, const char *text)
{
    strbuf_adds(page, ".PP\n");
    add_text(page, text);
}

void roff_item(struct strbuf *page, const char *term, const char *text)
{
    strbuf_adds(page, ".TP\n\\fB");
    add_literal(page, term);
    strbuf_adds(page, "\\fR\n");
    add_text(page, text);
}

void roff_code(struct strbuf *page, const char *text)
{
    strbuf_adds(page, ".PP\n.EX\n");
    add_literal(page, text);
    strbuf_adds(page, "\n.EE\n");
}

enum block { BLOCK_NONE, BLOCK_PARAGRAPH, BLOCK_ITEM, BLOCK_CODE, BLOCK_TABLE };

static enum block block_of(const char *line, enum block before)
{
    if (text_begins(line, "    ") && before != BLOCK_PARAGRAPH && before != BLOCK_ITEM)
        return BLOCK_CODE;
    if (text_begins(line, "- "))
        return BLOCK_ITEM;
    if (text_begins(line, "| "))
        return BLOCK_TABLE;
    return before == BLOCK_ITEM && text_begins(line, "  ") ? BLOCK_ITEM : BLOCK_PARAGRAPH;
}

/* True if a line continues the block of the line before it. */
static bool is_joined(const char *line, enum block block, enum block before)
{
    return block == before && !text_begins(line, "- ");
}

static void open_block(struct strbuf *page, enum block block, enum block before)
{
    static const char *const opening[] = {[BLOCK_NONE] = "",
                                          [BLOCK_PARAGRAPH] = ".PP\n",
                                          [BLOCK_ITEM] = ".IP \\(bu 2\n",
                                          [BLOCK_CODE] = ".PP\n.EX\n",
                                          [BLOCK_TABLE] = ""};

    if (before == BLOCK_CODE)
        strbuf_adds(page, ".EE\n");
    strbuf_adds(page, opening[block]);
}

static void drop_backquotes(char *text)
{
    for (char *tick; (tick = strchr(text, '`')) != NULL;)
        memmove(tick, tick + 1, strlen(tick));
}

static void add_heading(struct strbuf *page, char *title)
{
    bool is_section = text_begins(title, "## ");

    title += strspn(title, "# ");
    drop_backquotes(title);
    if (is_section)
        roff_section(page, title);
    else
        roff_subsection(page, title);
}

enum { MAX_COLUMNS = 8 };

/* The cells of a table's row, cut in place; returns how many there are. */
static size_t split_row(char *row, char *cells[MAX_COLUMNS])
{
    size_t count = 0;

    while (*row && count < MAX_COLUMNS) {
        char *cell = row + strspn(row, "| "), *end = strstr(cell, " |");

        if (!end)
            break;
        *end = '\0';
        cells[count++] = cell;
        row = end + 1;
    }
    return count;
}

/*
 * Add a row as an item, because man(7) has no tables that fit every width. The first cell is the
 * term; in a table of two columns, the second cell is its text. In a wider table, each further cell
 * comes after the title of its column.
 */
static void add_row(struct strbuf *page, const char *titles, char *row)
{
    char *names[MAX_COLUMNS] = {0}, *cells[MAX_COLUMNS] = {0};
    char *copy = mem_strdup(titles);
    size_t columns = split_row(copy, names), count = split_row(row, cells);
    struct strbuf text = {0};

    for (size_t i = 1; i < count && i < columns; i++) {
        if (!*cells[i])
            continue;
        strbuf_adds(&text, text.len ? "; " : "");
        if (columns > 2)
            strbuf_addf(&text, "%s: ", names[i]);
        strbuf_adds(&text, cells[i]);
    }
    if (count) {
        drop_backquotes(cells[0]);
        roff_item(page, cells[0], strbuf_cstr(&text));
    }
    strbuf_release(&text);
    free(copy);
}

static void add_block_line(struct strbuf *page, char *line, enum block block)
{
    if (block == BLOCK_CODE) {
        add_literal(page, line);
        strbuf_adds(page, "\n");
    } else if (text_begins(line, "##")) { /* a single # is the title, which the page has */
        add_heading(page, line);
    } else if (block == BLOCK_PARAGRAPH || block == BLOCK_ITEM) {
        line += strspn(line, " ") + (text_begins(line, "- ") ? 2 : 0);
        add_text(page, line);
    }
}

/* Add a line. `*titles` is the heading row of the open table; NULL outside of a table. */
static enum block add_line(struct strbuf *page, char *line, enum block before, char **titles)
{
    enum block block = BLOCK_NONE;

    if (*line && *line != '#')
        block = block_of(line, before);
    if (before == BLOCK_CODE && !*line) {
        strbuf_adds(page, "\n");
        return before;
    }
    if (!is_joined(line, block, before))
        open_block(page, block, before);
    if (block != BLOCK_TABLE) {
        *titles = NULL;
        add_block_line(page, line, block);
    } else if (!*titles) {
        *titles = line;
    } else if (!text_begins(line, "| ---")) {
        add_row(page, *titles, line);
    }
    return block;
}

void roff_markdown(struct strbuf *page, const char *text)
{
    struct strbuf copy = {0};
    enum block block = BLOCK_NONE;
    char *rest, *titles = NULL;

    strbuf_adds(&copy, text);
    rest = copy.data;
    for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n"))
        block = add_line(page, line, block, &titles);
    open_block(page, BLOCK_NONE, block);
    strbuf_release(&copy);
}
