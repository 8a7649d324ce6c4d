#include "tui/panels/source_diff.h"

#include <string.h>

#include "core/base/vec.h"

/* Two lines whose common share is smaller are unrelated, and their words are not compared. */
static const double least_common = 0.3;

/* The state of making the lines of a difference. */
struct drawing {
    struct diff diff;
    /* for each line of the difference: the number of the last old line up to it, from 1 */
    size_t *old_numbers;
    const struct source_diff *sources;
    /* the sides of the difference; the same widget if there is one column */
    struct widget_text *old_side, *new_side;
};

/* The lines of one side of a change. */
struct lines {
    size_t *items; /* indices into the difference */
    size_t count, capacity;
};

static void count_old_lines(struct drawing *drawing)
{
    size_t number = 0;

    drawing->old_numbers = mem_alloc_zeroed(drawing->diff.count, sizeof(*drawing->old_numbers));
    for (size_t i = 0; i < drawing->diff.count; i++) {
        number += drawing->diff.items[i].side != DIFF_NEW;
        drawing->old_numbers[i] = number;
    }
}

/* Update the states of the lexer for the whole old and the whole new text. */
static void lex(const struct source_diff *sources)
{
    if (!sources->code)
        return;
    lexer_states_update(sources->old_states, sources->code, sources->old_text,
                        strlen(sources->old_text));
    lexer_states_update(sources->new_states, sources->code, sources->new_text,
                        strlen(sources->new_text));
}

static unsigned state_of(const struct lexer_states *states, size_t number)
{
    return states ? lexer_states_at(states, number) : 0;
}

/* Add a line; `other` is the line opposite to it, or NULL. */
static void add_line(const struct drawing *drawing, size_t at, const struct diff_line *other)
{
    static const struct {
        char mark;
        enum role ground, span_ground;
    } looks[] = {
        [DIFF_BOTH] = {0, ROLE_TEXT, ROLE_TEXT},
        [DIFF_OLD] = {'-', ROLE_REMOVED, ROLE_REMOVED_WORD},
        [DIFF_NEW] = {'+', ROLE_ADDED, ROLE_ADDED_WORD},
    };
    const struct diff_line *line = &drawing->diff.items[at];
    const struct source_diff *sources = drawing->sources;
    const struct lexer_states *states =
        line->side == DIFF_OLD ? sources->old_states : sources->new_states;
    struct text_line shown = {.text = line->text,
                              .len = line->len,
                              .number = line->number,
                              .mark = looks[line->side].mark,
                              .ground = looks[line->side].ground,
                              .span_ground = looks[line->side].span_ground,
                              .code = sources->code,
                              .state = state_of(states, line->number),
                              .other = other ? other->text : NULL,
                              .other_len = other ? other->len : 0};

    widget_text_add_line(line->side == DIFF_OLD ? drawing->old_side : drawing->new_side, &shown);
}

static void add_words(struct text_span_list *spans, const struct diff *words, enum diff_side side,
                      const char *line)
{
    for (size_t i = 0; i < words->count; i++) {
        const struct diff_line *word = &words->items[i];

        if (word->side == side)
            vec_push(spans, ((struct text_span){(size_t)(word->text - line), word->len}));
    }
}

/* Find the words of a line that differ from the opposite line; none if the lines are unrelated. */
static void find_words(const struct text_line *line, struct text_span_list *spans)
{
    const struct diff_line own = {.text = line->text, .len = line->len};
    const struct diff_line other = {.text = line->other, .len = line->other_len};
    bool is_old = line->mark == '-';
    struct diff words = {0};
    size_t common = 0;

    diff_words(is_old ? &own : &other, is_old ? &other : &own, &words);
    for (size_t i = 0; i < words.count; i++)
        if (words.items[i].side == DIFF_BOTH)
            common += words.items[i].len;
    if ((double)common >= least_common * (double)(own.len + other.len) / 2)
        add_words(spans, &words, is_old ? DIFF_OLD : DIFF_NEW, line->text);
    diff_release(&words);
}

static void add_filler(struct widget_text *text, size_t count)
{
    while (count-- > 0)
        widget_text_add_line(text, &(struct text_line){.text = "", .ground = ROLE_DIM});
}

/* Add the lines of a change: the i-th removed line is opposite the i-th added line. */
static void add_change(const struct drawing *drawing, const struct lines *removed,
                       const struct lines *added)
{
    const struct diff_line *items = drawing->diff.items;
    size_t pairs = removed->count < added->count ? removed->count : added->count;

    for (size_t i = 0; i < removed->count; i++)
        add_line(drawing, removed->items[i], i < pairs ? &items[added->items[i]] : NULL);
    for (size_t i = 0; i < added->count; i++)
        add_line(drawing, added->items[i], i < pairs ? &items[removed->items[i]] : NULL);
    if (drawing->old_side != drawing->new_side) {
        add_filler(drawing->old_side, added->count - pairs);
        add_filler(drawing->new_side, removed->count - pairs);
    }
}

/* Add the change that begins at a line; return the line after it. */
static size_t add_change_at(const struct drawing *drawing, size_t at)
{
    struct lines sides[3] = {0};

    for (; at < drawing->diff.count && drawing->diff.items[at].side != DIFF_BOTH; at++)
        vec_push(&sides[drawing->diff.items[at].side], at);
    add_change(drawing, &sides[DIFF_OLD], &sides[DIFF_NEW]);
    vec_release(&sides[DIFF_OLD]);
    vec_release(&sides[DIFF_NEW]);
    return at;
}

/* Add a line that both texts have. */
static void add_common(const struct drawing *drawing, size_t at)
{
    const struct diff_line *line = &drawing->diff.items[at];

    if (drawing->old_side != drawing->new_side) {
        size_t number = drawing->old_numbers[at];
        struct text_line shown = {.text = line->text,
                                  .len = line->len,
                                  .number = number,
                                  .code = drawing->sources->code,
                                  .state = state_of(drawing->sources->old_states, number)};

        widget_text_add_line(drawing->old_side, &shown);
    }
    add_line(drawing, at, NULL);
}

static void add_gap(const struct drawing *drawing)
{
    static const struct text_line gap = {.text = "...", .len = 3, .role = ROLE_HUNK};

    widget_text_add_line(drawing->new_side, &gap);
    if (drawing->old_side != drawing->new_side)
        widget_text_add_line(drawing->old_side, &gap);
}

static bool is_near_change(const struct drawing *drawing, size_t at)
{
    const struct diff *diff = &drawing->diff;
    size_t context = drawing->sources->context, first = at > context ? at - context : 0;
    size_t after = diff->count - at > context ? at + context + 1 : diff->count;

    if (context == SOURCE_DIFF_ALL)
        return true;
    for (size_t i = first; i < after; i++)
        if (diff->items[i].side != DIFF_BOTH)
            return true;
    return false;
}

static void add_lines(struct drawing *drawing)
{
    bool is_in_gap = false;

    for (size_t at = 0; at < drawing->diff.count;) {
        bool is_shown = is_near_change(drawing, at);

        if (drawing->diff.items[at].side != DIFF_BOTH) {
            at = add_change_at(drawing, at);
        } else {
            if (is_shown)
                add_common(drawing, at);
            else if (!is_in_gap)
                add_gap(drawing);
            at++;
        }
        is_in_gap = !is_shown;
    }
}

void source_diff_split(const struct source_diff *sources, struct widget_text *old_side,
                       struct widget_text *new_side)
{
    struct drawing drawing = {.sources = sources, .old_side = old_side, .new_side = new_side};

    if (sources->lines)
        drawing.diff = *sources->lines;
    else
        diff_lines(sources->old_text, sources->new_text, &drawing.diff);
    old_side->find_spans = new_side->find_spans = find_words;
    count_old_lines(&drawing);
    lex(sources);
    add_lines(&drawing);
    if (!sources->lines)
        diff_release(&drawing.diff);
    free(drawing.old_numbers);
}

void source_diff_unified(const struct source_diff *sources, struct widget_text *text)
{
    source_diff_split(sources, text, text);
}
