#include "core/session/store/diff.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include <git2.h>

#include "core/base/vec.h"
#include "core/session/store/line_numbers.h"

struct lines {
    struct diff_line *items;
    size_t count, capacity;
};

static struct lines split(const char *text)
{
    struct lines lines = {0};

    while (*text) {
        size_t len = strcspn(text, "\n");
        struct diff_line line = {.text = text, .len = len, .number = lines.count + 1};

        vec_push(&lines, line);
        text += len + (text[len] == '\n');
    }
    return lines;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* The length of the word, run of blanks or other character at the start of `text`. */
static size_t word_length(const char *text, size_t len)
{
    bool is_in_word = is_word(text[0]), is_blank = isspace((unsigned char)text[0]) != 0;
    size_t i = 1;

    while (i < len &&
           ((is_in_word && is_word(text[i])) || (is_blank && isspace((unsigned char)text[i]))))
        i++;
    return i;
}

static struct lines split_words(const struct diff_line *line)
{
    struct lines words = {0};

    for (size_t at = 0; at < line->len;) {
        size_t len = word_length(line->text + at, line->len - at);
        struct diff_line word = {.text = line->text + at, .len = len, .number = words.count + 1};

        vec_push(&words, word);
        at += len;
    }
    return words;
}

/* The state while git reports the lines of a difference, in order. */
struct report {
    struct lines old_lines, new_lines;
    struct diff *diff;
};

static void add_line(struct diff *diff, struct diff_line line, enum diff_side side)
{
    line.side = side;
    vec_push(diff, line);
    diff->added += side == DIFF_NEW;
    diff->removed += side == DIFF_OLD;
}

static void add_lines(struct diff *diff, const struct lines *lines, enum diff_side side)
{
    for (size_t i = 0; i < lines->count; i++)
        add_line(diff, lines->items[i], side);
}

static int on_line(const git_diff_delta *delta, const git_diff_hunk *hunk,
                   const git_diff_line *line, void *data)
{
    struct report *report = data;

    (void)delta;
    (void)hunk;
    if (line->origin == GIT_DIFF_LINE_DELETION)
        add_line(report->diff, report->old_lines.items[line->old_lineno - 1], DIFF_OLD);
    else if (line->origin == GIT_DIFF_LINE_ADDITION)
        add_line(report->diff, report->new_lines.items[line->new_lineno - 1], DIFF_NEW);
    else if (line->origin == GIT_DIFF_LINE_CONTEXT)
        add_line(report->diff, report->new_lines.items[line->new_lineno - 1], DIFF_BOTH);
    return 0;
}

/*
 * Append the number of an item, behind its leading blanks, which git's heuristics for hunks look
 * at, and a newline: a missing newline at the end of a text is no difference.
 */
static void add_numbered(const struct diff_line *item, uint32_t number, struct strbuf *out)
{
    enum { BITS = 6, FIRST = '0' };
    size_t blanks = 0;
    char text[8];
    size_t len = 0;

    while (blanks < item->len && isspace((unsigned char)item->text[blanks]))
        blanks++;
    strbuf_add(out, item->text, blanks);
    for (; blanks < item->len && (number || !len); number >>= BITS)
        text[len++] = (char)(FIRST + (number & ((1U << BITS) - 1)));
    text[len++] = '\n';
    strbuf_add(out, text, len);
}

/* The items of a side (1: old, 2: new) by their numbers. */
static struct strbuf number_items(const struct lines *lines, struct line_numbers *numbers,
                                  unsigned side)
{
    struct strbuf text = {0};

    for (size_t i = 0; i < lines->count; i++) {
        const struct diff_line *item = &lines->items[i];

        add_numbered(item, line_numbers_of(numbers, item->text, item->len, side), &text);
    }
    return text;
}

/* Compare by git. False: it has reported nothing. */
static bool compare_by_git(const struct strbuf *before, const struct strbuf *after, uint32_t flags,
                           struct report *report)
{
    git_diff_options options;

    git_libgit2_init(); /* never shut down: set-up takes longer than a key press may */
    git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
    options.flags = GIT_DIFF_FORCE_TEXT | flags;
    options.context_lines = INT_MAX; /* the whole texts */
    return git_diff_buffers(strbuf_cstr(before), before->len, NULL, strbuf_cstr(after), after->len,
                            NULL, &options, NULL, NULL, NULL, on_line, report) == 0;
}

/* Compute the difference; frees both lists of lines.  `flags` are libgit2's. */
static void compare(struct lines old_lines, struct lines new_lines, uint32_t flags,
                    struct diff *diff)
{
    struct report report = {.old_lines = old_lines, .new_lines = new_lines, .diff = diff};
    struct line_numbers numbers;
    struct strbuf before, after;

    line_numbers_open(&numbers, old_lines.count + new_lines.count);
    before = number_items(&old_lines, &numbers, 1);
    after = number_items(&new_lines, &numbers, 2);
    if (strcmp(strbuf_cstr(&before), strbuf_cstr(&after)) == 0) {
        add_lines(diff, &new_lines, DIFF_BOTH); /* git reports nothing for equal texts */
    } else if (!numbers.has_shared || !compare_by_git(&before, &after, flags, &report)) {
        add_lines(diff, &old_lines, DIFF_OLD); /* too large for git, or nothing to find */
        add_lines(diff, &new_lines, DIFF_NEW);
    }
    line_numbers_release(&numbers);
    strbuf_release(&before);
    strbuf_release(&after);
    vec_release(&old_lines);
    vec_release(&new_lines);
}

void diff_lines(const char *old_text, const char *new_text, struct diff *diff)
{
    compare(split(old_text), split(new_text), GIT_DIFF_INDENT_HEURISTIC, diff);
}

static bool is_same(const struct diff_line *a, const struct diff_line *b)
{
    return a->len == b->len && memcmp(a->text, b->text, a->len) == 0;
}

/* `count` words, beginning with the word at index `from`. */
static struct lines part(const struct lines *words, size_t from, size_t count)
{
    return (struct lines){.items = words->items + from, .count = count};
}

/*
 * Compare two lines that differ in one place, where one has additional words or both have a single
 * different word. Most pairs of lines do, so that no search is needed. Returns false for other
 * pairs.
 */
static bool compare_simple(const struct lines *old_words, const struct lines *new_words,
                           struct diff *diff)
{
    size_t least = old_words->count < new_words->count ? old_words->count : new_words->count;
    size_t start = 0, end = 0;
    struct lines removed, added, before, after;

    while (start < least && is_same(&old_words->items[start], &new_words->items[start]))
        start++;
    while (end < least - start && is_same(&old_words->items[old_words->count - end - 1],
                                          &new_words->items[new_words->count - end - 1]))
        end++;
    before = part(new_words, 0, start);
    removed = part(old_words, start, old_words->count - start - end);
    added = part(new_words, start, new_words->count - start - end);
    after = part(new_words, new_words->count - end, end);
    if (removed.count && added.count && removed.count + added.count > 2)
        return false;
    add_lines(diff, &before, DIFF_BOTH);
    add_lines(diff, &removed, DIFF_OLD);
    add_lines(diff, &added, DIFF_NEW);
    add_lines(diff, &after, DIFF_BOTH);
    return true;
}

void diff_words(const struct diff_line *old_line, const struct diff_line *new_line,
                struct diff *diff)
{
    struct lines old_words = split_words(old_line), new_words = split_words(new_line);

    if (!compare_simple(&old_words, &new_words, diff)) {
        compare(old_words, new_words, GIT_DIFF_NORMAL, diff);
        return;
    }
    vec_release(&old_words);
    vec_release(&new_words);
}

void diff_release(struct diff *diff)
{
    vec_release(diff);
    *diff = (struct diff){0};
}

/* The end of the hunk that begins with the change at `first`; changes with few lines between share
 * it. */
static size_t hunk_end(const struct diff *diff, size_t first, size_t context)
{
    size_t last = first;

    for (size_t i = first; i < diff->count && i <= last + 2 * context + 1; i++)
        if (diff->items[i].side != DIFF_BOTH)
            last = i;
    return last + 1 + context < diff->count ? last + 1 + context : diff->count;
}

/* Print the lines [from, to); `skipped` are the lines before them in the old and the new text. */
static void print_hunk(const struct diff *diff, size_t from, size_t to, const size_t skipped[2],
                       struct strbuf *out)
{
    static const char marks[] = {[DIFF_BOTH] = ' ', [DIFF_OLD] = '-', [DIFF_NEW] = '+'};
    size_t lines[2] = {0, 0};

    for (size_t i = from; i < to; i++) {
        lines[0] += diff->items[i].side != DIFF_NEW;
        lines[1] += diff->items[i].side != DIFF_OLD;
    }
    strbuf_addf(out, "@@ -%zu,%zu +%zu,%zu @@\n", skipped[0] + (lines[0] > 0), lines[0],
                skipped[1] + (lines[1] > 0), lines[1]);
    for (size_t i = from; i < to; i++)
        strbuf_addf(out, "%c%.*s\n", marks[diff->items[i].side], (int)diff->items[i].len,
                    diff->items[i].text);
}

void diff_print(const struct diff *diff, size_t context, struct strbuf *out)
{
    size_t skipped[2] = {0, 0}, counted = 0, end = 0;

    for (size_t i = 0; i < diff->count; i++) {
        size_t from = i < context ? 0 : i - context;

        if (diff->items[i].side == DIFF_BOTH)
            continue;
        from = from < end ? end : from;
        for (; counted < from; counted++) {
            skipped[0] += diff->items[counted].side != DIFF_NEW;
            skipped[1] += diff->items[counted].side != DIFF_OLD;
        }
        end = hunk_end(diff, i, context);
        print_hunk(diff, from, end, skipped, out);
        i = end - 1;
    }
}
