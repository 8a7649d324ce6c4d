#include "tui/widgets/prose.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* A line that is indented by so many blanks or by a tab is code. */
enum { CODE_INDENT = 4 };

/* A line without its newline. */
struct line {
    const char *text;
    size_t len, indent;
};

static struct line line_at(const char *text, const char *end)
{
    const char *newline = memchr(text, '\n', (size_t)(end - text));
    struct line line = {.text = text, .len = (size_t)((newline ? newline : end) - text)};

    while (line.indent < line.len && text[line.indent] == ' ')
        line.indent++;
    return line;
}

static bool starts_with(const struct line *line, const char *prefix)
{
    size_t len = strlen(prefix);

    return line->len - line->indent >= len && memcmp(line->text + line->indent, prefix, len) == 0;
}

static bool is_fence(const struct line *line)
{
    return line->indent < CODE_INDENT && (starts_with(line, "```") || starts_with(line, "~~~"));
}

/* The number of equal characters that a fence begins with. */
static size_t marks_of(const struct line *line)
{
    size_t i = line->indent;

    while (i < line->len && line->text[i] == line->text[line->indent])
        i++;
    return i - line->indent;
}

/* An open fenced block of code; mark 0 if none is open. */
struct block {
    char mark;
    size_t marks;
};

/* Open or close a block at a line.  Return true if the line is a fence or in the block. */
static bool follow_block(struct block *block, const struct line *line)
{
    bool is_inside = block->mark != 0;

    if (!is_fence(line))
        return is_inside;
    if (!is_inside)
        *block = (struct block){line->text[line->indent], marks_of(line)};
    else if (line->text[line->indent] == block->mark && marks_of(line) >= block->marks)
        block->mark = 0;
    return true;
}

/* "1. " or "2) ". */
static bool is_numbered(const struct line *line)
{
    size_t i = line->indent;

    while (i < line->len && isdigit((unsigned char)line->text[i]))
        i++;
    return i > line->indent && i + 1 < line->len && strchr(".)", line->text[i]) &&
           line->text[i + 1] == ' ';
}

static bool is_item(const struct line *line)
{
    return starts_with(line, "- ") || starts_with(line, "* ") || starts_with(line, "+ ") ||
           is_numbered(line);
}

/* True if other lines may be joined to the line: it is prose, or an item of a list. */
static bool is_open(const struct line *line)
{
    return line->indent < line->len && line->text[line->indent] != '\t' &&
           !strchr("#|>", line->text[line->indent]) && !is_fence(line) &&
           (line->indent < CODE_INDENT || is_item(line));
}

/* "---" and "===" underline a heading or separate paragraphs. */
static bool is_rule(const struct line *line)
{
    return starts_with(line, "---") || starts_with(line, "===") || starts_with(line, "***");
}

static bool continues(const struct line *line)
{
    return is_open(line) && !is_item(line) && !is_rule(line);
}

static bool has_hard_break(const struct line *line)
{
    return line->len > 1 &&
           (line->text[line->len - 1] == '\\' || memcmp(line->text + line->len - 2, "  ", 2) == 0);
}

void prose_unfold(const char *text, size_t len, struct strbuf *out)
{
    const char *end = text + len;
    struct block block = {0};
    bool is_joined = false;

    while (text < end) {
        struct line line = line_at(text, end), next = {0};
        bool has_newline = line.text + line.len < end, is_code = follow_block(&block, &line);
        bool joins;

        text += line.len + (has_newline ? 1 : 0);
        if (text < end)
            next = line_at(text, end);
        joins = text < end && !is_code && !is_rule(&line) && (is_joined || is_open(&line)) &&
                !has_hard_break(&line) && continues(&next);
        if (is_joined)
            strbuf_add(out, line.text + line.indent, line.len - line.indent);
        else
            strbuf_add(out, line.text, line.len);
        if (has_newline)
            strbuf_adds(out, joins ? " " : "\n");
        is_joined = joins;
    }
}
