#include "tui/manual/roff.h"

#include <stdbool.h>
#include <string.h>

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

/* One character within a line. */
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

/* A line that begins with a dot or a quote would be a request. */
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

/* Markdown. */

enum block { BLOCK_NONE, BLOCK_PARAGRAPH, BLOCK_ITEM, BLOCK_CODE };

static bool begins(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

static enum block block_of(const char *line, enum block before)
{
    if (begins(line, "    ") && before != BLOCK_PARAGRAPH && before != BLOCK_ITEM)
        return BLOCK_CODE;
    if (begins(line, "- "))
        return BLOCK_ITEM;
    return before == BLOCK_ITEM && begins(line, "  ") ? BLOCK_ITEM : BLOCK_PARAGRAPH;
}

/* Whether a line goes on with the block before it. */
static bool is_joined(const char *line, enum block block, enum block before)
{
    return block == before && !begins(line, "- ");
}

static void open_block(struct strbuf *page, enum block block, enum block before)
{
    static const char *const opening[] = {[BLOCK_NONE] = "",
                                          [BLOCK_PARAGRAPH] = ".PP\n",
                                          [BLOCK_ITEM] = ".IP \\(bu 2\n",
                                          [BLOCK_CODE] = ".PP\n.EX\n"};

    if (before == BLOCK_CODE)
        strbuf_adds(page, ".EE\n");
    strbuf_adds(page, opening[block]);
}

static void add_heading(struct strbuf *page, char *title)
{
    title += strspn(title, "# ");
    for (char *tick; (tick = strchr(title, '`')) != NULL;)
        memmove(tick, tick + 1, strlen(tick));
    roff_section(page, title);
}

static enum block add_line(struct strbuf *page, char *line, enum block before)
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
    if (block == BLOCK_CODE) {
        add_literal(page, line);
        strbuf_adds(page, "\n");
    } else if (begins(line, "## ")) {
        add_heading(page, line);
    } else if (block != BLOCK_NONE) {
        line += strspn(line, " ") + (begins(line, "- ") ? 2 : 0);
        add_text(page, line);
    }
    return block;
}

void roff_markdown(struct strbuf *page, const char *text)
{
    struct strbuf copy = {0};
    enum block block = BLOCK_NONE;
    char *rest;

    strbuf_adds(&copy, text);
    rest = copy.data;
    for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n"))
        block = add_line(page, line, block);
    open_block(page, BLOCK_NONE, block);
    strbuf_release(&copy);
}
