#include "core/base/diff.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "core/base/vec.h"

/* Texts with more edits than this have too little in common for a difference to say much. */
enum { MAX_EDITS = 2000 };

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

/* A word, a run of blanks, or one other character. */
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

static bool is_same(const struct diff_line *a, const struct diff_line *b)
{
    return a->len == b->len && memcmp(a->text, b->text, a->len) == 0;
}

/*
 * The search for a path from (0, 0) to (n, m) in the edit graph.  Row d of
 * the trace holds, for each diagonal k from -d to d, how far along the old
 * text d edits reach; row d has 2d + 1 places and begins at place d * d.
 */
struct search {
    const struct diff_line *old_lines, *new_lines;
    int n, m;
    struct {
        int *items;
        size_t count, capacity;
    } trace;
};

static int *reach(struct search *search, int d, int k)
{
    return &search->trace.items[(size_t)d * (size_t)d + (size_t)(k + d)];
}

/* The diagonal from which the d-th edit reaches diagonal k. */
static int previous_diagonal(struct search *search, int d, int k)
{
    bool is_insertion =
        k == -d || (k != d && *reach(search, d - 1, k - 1) < *reach(search, d - 1, k + 1));

    return is_insertion ? k + 1 : k - 1;
}

/* How far along the old text the d-th edit, and the equal lines after it, reach on diagonal k. */
static int extend(struct search *search, int d, int k)
{
    int x = 0, y;

    if (d > 0) {
        int from = previous_diagonal(search, d, k);

        x = *reach(search, d - 1, from) + (from < k);
    }
    y = x - k;
    while (x < search->n && y < search->m &&
           is_same(&search->old_lines[x], &search->new_lines[y])) {
        x++;
        y++;
    }
    return x;
}

/* The number of edits, or -1 when there are too many. */
static int find_path(struct search *search)
{
    for (int d = 0; d <= MAX_EDITS; d++) {
        size_t needed = (size_t)(d + 1) * (size_t)(d + 1);

        search->trace.items = mem_grow(search->trace.items, &search->trace.capacity, needed,
                                       sizeof(*search->trace.items));
        for (int k = -d; k <= d; k += 2) {
            int x = extend(search, d, k);

            *reach(search, d, k) = x;
            if (x >= search->n && x - k >= search->m)
                return d;
        }
    }
    return -1;
}

static void add_line(struct diff *diff, struct diff_line line, enum diff_side side)
{
    line.side = side;
    vec_push(diff, line);
}

/* The path from its end to its start, the last line first. */
static void add_path(struct search *search, int edits, struct diff *diff)
{
    int x = search->n, y = search->m;

    for (int d = edits; d >= 0; d--) {
        int from = d > 0 ? previous_diagonal(search, d, x - y) : 0;
        int from_x = d > 0 ? *reach(search, d - 1, from) : 0, from_y = from_x - from;

        for (; x > from_x && y > from_y; x--, y--)
            add_line(diff, search->new_lines[y - 1], DIFF_BOTH);
        if (x > from_x)
            add_line(diff, search->old_lines[--x], DIFF_OLD);
        else if (y > from_y)
            add_line(diff, search->new_lines[--y], DIFF_NEW);
    }
}

static void reverse(struct diff *diff)
{
    for (size_t i = 0; i < diff->count / 2; i++) {
        struct diff_line kept = diff->items[i];

        diff->items[i] = diff->items[diff->count - 1 - i];
        diff->items[diff->count - 1 - i] = kept;
    }
}

static void count_sides(struct diff *diff)
{
    for (size_t i = 0; i < diff->count; i++) {
        diff->added += diff->items[i].side == DIFF_NEW;
        diff->removed += diff->items[i].side == DIFF_OLD;
    }
}

/* Takes the lines. */
static void compare(struct lines old_lines, struct lines new_lines, struct diff *diff)
{
    struct search search = {.old_lines = old_lines.items,
                            .new_lines = new_lines.items,
                            .n = (int)old_lines.count,
                            .m = (int)new_lines.count};
    int edits = find_path(&search);

    if (edits >= 0) {
        add_path(&search, edits, diff);
        reverse(diff);
    }
    for (size_t i = 0; edits < 0 && i < old_lines.count; i++)
        add_line(diff, old_lines.items[i], DIFF_OLD);
    for (size_t i = 0; edits < 0 && i < new_lines.count; i++)
        add_line(diff, new_lines.items[i], DIFF_NEW);
    count_sides(diff);
    vec_release(&search.trace);
    vec_release(&old_lines);
    vec_release(&new_lines);
}

void diff_lines(const char *old_text, const char *new_text, struct diff *diff)
{
    compare(split(old_text), split(new_text), diff);
}

void diff_words(const struct diff_line *old_line, const struct diff_line *new_line,
                struct diff *diff)
{
    compare(split_words(old_line), split_words(new_line), diff);
}

void diff_release(struct diff *diff)
{
    vec_release(diff);
    *diff = (struct diff){0};
}

/* The end of the hunk that begins with the change at `first`: so far apart, changes share one. */
static size_t hunk_end(const struct diff *diff, size_t first, size_t context)
{
    size_t last = first;

    for (size_t i = first; i < diff->count && i <= last + 2 * context + 1; i++)
        if (diff->items[i].side != DIFF_BOTH)
            last = i;
    return last + 1 + context < diff->count ? last + 1 + context : diff->count;
}

/* Lines [from, to), of which `skipped[side]` lines of the texts come before. */
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
