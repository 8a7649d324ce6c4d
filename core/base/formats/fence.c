#include "core/base/formats/fence.h"

#include <string.h>
#include <strings.h>

enum { MAX_INDENT = 3, MIN_LENGTH = 3 };

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static const char *skip_blanks(const char *at)
{
    while (is_blank(*at))
        at++;
    return at;
}

/*
 * The number of backticks or tildes that the line begins with, after at most MAX_INDENT spaces.
 * `*rest` is the text after them.
 */
static size_t read_mark(const char *line, const char **rest)
{
    size_t indent = strspn(line, " ");
    const char *mark = line + indent;
    size_t length = 0;

    if (indent > MAX_INDENT || (*mark != '`' && *mark != '~'))
        return 0;
    while (mark[length] == *mark)
        length++;
    *rest = mark + length;
    return length >= MIN_LENGTH ? length : 0;
}

static const char *next_line(const char *end)
{
    return *end ? end + 1 : end;
}

/* The info string after backticks must not contain a backtick: such a line is inline code. */
static bool read_info(const char *rest, const char *end, struct fence *fence)
{
    if (rest[-1] == '`' && memchr(rest, '`', (size_t)(end - rest)))
        return false;
    fence->info = skip_blanks(rest);
    fence->info_len = strcspn(fence->info, " \t\r\n");
    return true;
}

static bool closes(const char *line, char mark, size_t length)
{
    const char *rest = line;

    if (read_mark(line, &rest) < length || rest[-1] != mark)
        return false;
    rest = skip_blanks(rest);
    return *rest == '\n' || *rest == '\0';
}

/* Read the lines of the block up to its end. */
static void read_body(const char **at, size_t *line, size_t length, struct fence *fence)
{
    char mark = fence->start[strspn(fence->start, " ")];

    fence->text = *at;
    while (**at && !fence->is_closed) {
        const char *end = strchrnul(*at, '\n');

        fence->is_closed = closes(*at, mark, length);
        if (!fence->is_closed)
            fence->len = (size_t)(next_line(end) - fence->text);
        *at = next_line(end);
        ++*line;
    }
    fence->end = *at;
}

/*
 * Find the first block at or after `*at`, the beginning of line `*line`, and advance both past it.
 * False at the end of the text.
 */
static bool next_fence(const char **at, size_t *line, struct fence *fence)
{
    while (**at) {
        struct fence found = {.start = *at, .line = *line};
        const char *end = strchrnul(*at, '\n'), *rest = *at;
        size_t length = read_mark(*at, &rest);

        *at = next_line(end);
        ++*line;
        if (length > 0 && read_info(rest, end, &found)) {
            read_body(at, line, length, &found);
            *fence = found;
            return true;
        }
    }
    return false;
}

static bool is_of_kind(const struct fence *fence, const char *const *kinds)
{
    for (; *kinds; kinds++)
        if (strlen(*kinds) == fence->info_len &&
            strncasecmp(*kinds, fence->info, fence->info_len) == 0)
            return true;
    return false;
}

enum status fence_find(const char *text, const char *const *kinds, struct fence *fence,
                       struct error *err)
{
    struct fence block, first = {0}, second = {0};
    size_t line = 1, count = 0;

    while (next_fence(&text, &line, &block)) {
        if (!block.is_closed)
            return error_set(err, STATUS_INVALID,
                             "the fenced block that begins at line %zu has no end: was the text "
                             "cut off?",
                             block.line);
        if (!is_of_kind(&block, kinds))
            continue;
        *(count == 0 ? &first : &second) = block;
        count++;
    }
    if (count == 0)
        return error_set(err, STATUS_NOT_FOUND,
                         "there is no fenced block marked \"%s\", expected exactly one", *kinds);
    if (count > 1)
        return error_set(err, STATUS_INVALID,
                         "there are %zu fenced blocks marked \"%s\", the first at line %zu and the "
                         "last at line %zu, expected exactly one",
                         count, *kinds, first.line, second.line);
    *fence = first;
    return STATUS_OK;
}

void fence_add_lines(const char *start, const char *end, struct strbuf *out)
{
    const char *cr;

    for (; (cr = memchr(start, '\r', (size_t)(end - start))); start = cr + 1) {
        bool is_line_end = cr + 1 < end && cr[1] == '\n';

        strbuf_add(out, start, (size_t)(cr - start) + !is_line_end);
    }
    strbuf_add(out, start, (size_t)(end - start));
}

void fence_add_prose(const char *start, const char *end, struct strbuf *out)
{
    for (const char *at = start; at < end && (is_blank(*at) || *at == '\n'); at++)
        if (*at == '\n')
            start = at + 1;
    while (start < end && (is_blank(end[-1]) || end[-1] == '\n'))
        end--;
    if (start == end)
        return;
    if (out->len > 0)
        strbuf_adds(out, "\n\n");
    fence_add_lines(start, end, out);
}

void fence_add_marks(const char *text, struct strbuf *out)
{
    size_t longest = 2;

    for (const char *at = text; (at = strchr(at, '`')); at += strspn(at, "`"))
        longest = strspn(at, "`") > longest ? strspn(at, "`") : longest;
    for (size_t i = 0; i <= longest; i++)
        strbuf_adds(out, "`");
}
