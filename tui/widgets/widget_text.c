#include "tui/widgets/widget_text.h"

#include <string.h>

#include "core/base/utf8.h"
#include "core/base/vec.h"

enum { SIDEWAYS_COLUMNS = 8 };

void widget_text_release(struct widget_text *text)
{
    lexer_states_release(&text->states);
    vec_release(&text->lines);
    vec_release(&text->spans);
    vec_release(&text->passing);
    *text = (struct widget_text){0};
}

void widget_text_clear(struct widget_text *text)
{
    text->lines.count = text->spans.count = text->highest = 0;
    text->is_wrapped = text->has_heat = false;
}

void widget_text_heat(struct widget_text *text, size_t number, double heat)
{
    for (size_t i = 0; i < text->lines.count; i++) {
        struct text_line *line = &text->lines.items[i];

        if (line->number != number || line->mark == '-')
            continue;
        line->heat = heat;
        text->has_heat = true;
    }
}

static void push_line(struct widget_text *text, const struct text_line *line)
{
    vec_push(&text->lines, *line);
    if (line->number > text->highest)
        text->highest = line->number;
}

void widget_text_add_line(struct widget_text *text, const struct text_line *line)
{
    push_line(text, line);
}

void widget_text_find_spans(struct widget_text *text, size_t line)
{
    struct text_line *found = &text->lines.items[line];

    if (!found->other || found->has_spans)
        return;
    found->has_spans = true;
    found->first_span = text->spans.count;
    text->find_spans(found, &text->spans);
    found->span_count = text->spans.count - found->first_span;
}

/* The length of the first line of `len` bytes, without its newline. */
static size_t line_length(const char *bytes, size_t len)
{
    const char *newline = memchr(bytes, '\n', len);

    return newline ? (size_t)(newline - bytes) : len;
}

void widget_text_add_code(struct widget_text *text, const struct lexer_language *code,
                          const char *bytes, size_t len)
{
    const char *end = bytes + len;
    struct text_line line = {.number = 1, .code = code};

    lexer_states_update(&text->states, code, bytes, len);
    while (bytes < end) {
        line.text = bytes;
        line.len = line_length(bytes, (size_t)(end - bytes));
        if (code)
            line.state = lexer_states_at(&text->states, line.number);
        push_line(text, &line);
        line.number++;
        bytes += line.len + 1;
    }
}

/* The bytes of a line that fit in `columns`, up to the last blank if there is one; at least 1. */
static size_t fitting_length(const char *line, size_t len, int columns)
{
    size_t at = 0, after_blank = 0;
    struct glyph_state before = {0};
    int used = 0;

    if (len <= (size_t)columns && canvas_text_columns(line, len) <= columns) /* the common case */
        return len;
    while (at < len) {
        uint32_t code;
        size_t taken = utf8_decode(line + at, len - at, &code);

        used += code == '\t' ? TAB_COLUMNS : glyph_next(&before, code).columns;
        if (used > columns)
            break;
        at += taken;
        if (code == ' ')
            after_blank = at;
    }
    if (at == len)
        return len;
    if (after_blank)
        return after_blank;
    return at ? at : 1;
}

void widget_text_add_wrapped(struct widget_text *text, const char *bytes, size_t len, int columns)
{
    const char *end = bytes + len;

    while (bytes < end) {
        size_t line = line_length(bytes, (size_t)(end - bytes)), done = 0;

        do {
            size_t fits = fitting_length(bytes + done, line - done, columns);

            vec_push(&text->lines, ((struct text_line){.text = bytes + done, .len = fits}));
            done += fits;
        } while (done < line);
        bytes += line + 1;
    }
}

static int digits(size_t number)
{
    int count = 1;

    while (number /= 10)
        count++;
    return count;
}

/* Columns of the line numbers, including a blank behind them; 0 if no line has a number. */
static int gutter_columns(const struct widget_text *text)
{
    return text->highest ? digits(text->highest) + 1 : 0;
}

/* Columns of the bars of heat, without the blank behind them. */
enum { HEAT_COLUMNS = 3 };

static int heat_columns(const struct widget_text *text)
{
    return text->has_heat ? HEAT_COLUMNS + 1 : 0;
}

/* Columns of heat, marks and flags, including a blank behind them. */
static int mark_columns(const struct widget_text *text)
{
    return heat_columns(text) + (text->has_marks ? 3 : 0);
}

void widget_text_wrap(struct widget_text *text, int columns)
{
    int width = columns - gutter_columns(text) - mark_columns(text);
    struct text_line_list wrapped = {0};

    if (width <= 0)
        return;
    for (size_t i = 0; i < text->lines.count; i++) {
        struct text_line line = text->lines.items[i];
        int total = canvas_text_columns(line.text, line.len);

        do {
            vec_push(&wrapped, line);
            line.skip += width;
            line.number = 0;
            line.is_place = false;
        } while (line.skip < total);
    }
    vec_release(&text->lines);
    text->lines = wrapped;
    text->is_wrapped = true;
}

static void paint_spans(const struct widget_text *text, const struct text_line *line,
                        struct area area)
{
    for (size_t i = 0; i < line->span_count; i++) {
        const struct text_span *span = &text->spans.items[line->first_span + i];
        int left = text->left + line->skip;
        int x = canvas_text_columns(line->text, span->from) - left;
        int end = canvas_text_columns(line->text, span->from + span->len) - left;

        area_paint(area_part(area, (struct rect){x, 0, end - x, 1}), line->span_ground);
    }
}

/* A hotter line has a longer bar and a hotter role. */
static void put_heat(struct pen *pen, double heat)
{
    static const enum role roles[] = {ROLE_HEAT_LOW, ROLE_HEAT_MIDDLE, ROLE_BAD, ROLE_BAD};

    pen_put_bar(pen, roles[(int)(heat * 3)], heat * HEAT_COLUMNS);
}

static void draw_margin(const struct widget_text *text, const struct text_line *line,
                        struct area row, int gutter)
{
    struct pen pen = area_pen(row, 0, 0);

    if (line->skip)
        return;
    if (line->number)
        pen_putf(&pen, ROLE_LINE_NUMBER, "%*zu ", gutter - 1, line->number);
    pen = area_pen(row, gutter, 0);
    if (line->heat > 0)
        put_heat(&pen, line->heat);
    gutter += heat_columns(text);
    pen = area_pen(row, gutter, 0);
    if (line->mark)
        pen_put(&pen, ROLE_STRONG, &line->mark, 1);
    pen = area_pen(row, gutter + 1, 0);
    if (line->flag)
        pen_put(&pen, line->flag == 'W' ? ROLE_WARNING : ROLE_BAD, &line->flag, 1);
}

/* True if an edge of the area cuts the line. */
static bool is_cut(const struct widget_text *text, const struct text_line *line, int columns)
{
    return !text->is_wrapped &&
           (text->left > 0 || canvas_text_columns(line->text, line->len) > columns);
}

static void draw_line(const struct widget_text *text, const struct text_line *line, struct area row,
                      int gutter)
{
    int start = gutter + mark_columns(text);
    struct area rest = area_part(row, (struct rect){start, 0, row.rect.w - start, 1});
    struct pen pen = area_pen(rest, -text->left - line->skip, 0);

    draw_margin(text, line, row, gutter);
    if (line->code)
        lexer_put_line(&pen, &(struct lexer){.language = line->code,
                                             .state = line->state,
                                             .text = line->text,
                                             .len = line->len});
    else
        pen_put(&pen, line->role, line->text, line->len);
    if (line->bar)
        pen_put_bar(&pen, line->role, line->bar);
    if (line->ground)
        area_paint(row, line->ground);
    paint_spans(text, line, rest);
}

/* Without a filter the place of a line is its index. */
static void apply_filter(struct widget_text *text)
{
    text->passing.count = 0;
    for (size_t i = 0; text->filter.len && i < text->lines.count; i++)
        if (pattern_is_in(&text->filter, text->lines.items[i].text, text->lines.items[i].len))
            vec_push(&text->passing, i);
}

static size_t place_count(const struct widget_text *text)
{
    return text->filter.len ? text->passing.count : text->lines.count;
}

static size_t line_at(const struct widget_text *text, size_t place)
{
    return text->filter.len ? text->passing.items[place] : place;
}

size_t widget_text_line_at(const struct widget_text *text, int y)
{
    size_t place = text->top + (size_t)y;

    return place < place_count(text) ? line_at(text, place) : text->lines.count;
}

/* The place of a line, or of the first match after it. */
static size_t place_of(const struct widget_text *text, size_t line)
{
    size_t place = 0, count = place_count(text);

    while (place + 1 < count && line_at(text, place) < line)
        place++;
    return place;
}

/* How many lines do not fit in the area. */
static size_t hidden_count(const struct widget_text *text)
{
    return place_count(text) > text->height ? place_count(text) - text->height : 0;
}

/* Columns of the longest line. */
static int longest_line(const struct widget_text *text)
{
    int longest = 0;

    for (size_t i = 0; i < text->lines.count; i++) {
        const struct text_line *line = &text->lines.items[i];
        int columns = canvas_text_columns(line->text, line->len) - line->skip;

        longest = columns > longest ? columns : longest;
    }
    return longest;
}

/* Scroll no further sideways than to the end of the longest line: a shorter text may be new. */
static void limit_left(struct widget_text *text, int columns)
{
    int longest, beside;

    if (text->left == 0 || text->is_led)
        return;
    longest = longest_line(text);
    beside = text->beside ? longest_line(text->beside) : 0;
    longest = (longest > beside ? longest : beside) - columns;
    text->left = text->left < longest ? text->left : longest > 0 ? longest : 0;
}

void widget_text_draw(struct widget_text *text, struct area area)
{
    int gutter = gutter_columns(text), columns = area.rect.w - gutter - mark_columns(text);

    limit_left(text, columns);
    text->height = (size_t)area.rect.h;
    text->cut = 0;
    apply_filter(text);
    if (text->is_following || text->top > hidden_count(text))
        text->top = hidden_count(text);
    if (text->lines.count && place_count(text) == 0) {
        struct pen pen = area_pen(area, 0, 0);

        pen_putf(&pen, ROLE_DIM, "Nothing matches \"%s\".", text->filter.text);
    }
    for (size_t i = 0; i < text->height && text->top + i < place_count(text); i++) {
        struct area row = area_part(area, (struct rect){0, (int)i, area.rect.w, 1});
        size_t line = line_at(text, text->top + i);

        widget_text_find_spans(text, line);
        draw_line(text, &text->lines.items[line], row, gutter);
        text->cut += is_cut(text, &text->lines.items[line], columns);
        if (text->has_cursor && line == text->found)
            area_paint(row, ROLE_SELECTED);
    }
}

static void show_line(struct widget_text *text, size_t line)
{
    size_t place = place_of(text, line);

    text->is_following = false;
    if (place < text->top || place >= text->top + text->height)
        text->top = place > text->height / 2 ? place - text->height / 2 : 0;
}

void widget_text_go_to(struct widget_text *text, size_t line)
{
    text->found = line;
    text->has_cursor = true;
    show_line(text, line);
}

static bool is_marked(const struct text_line *line)
{
    return line->mark || line->flag;
}

/* True if a change, a message of the compiler or a mismatch begins at this line. */
static bool is_start(const struct widget_text *text, size_t at)
{
    const struct text_line *line = &text->lines.items[at];

    return line->is_place || (is_marked(line) && (at == 0 || !is_marked(line - 1)));
}

static bool is_heading(const struct widget_text *text, size_t at)
{
    return text->lines.items[at].is_heading;
}

/* A search starts at the line found last if it is visible, else at the first visible line. */
static size_t search_start(const struct widget_text *text)
{
    size_t place = place_of(text, text->found);

    if (place >= text->top && place < text->top + text->height)
        return text->found;
    return place_count(text) ? line_at(text, text->top) : 0;
}

/* Go to the next or previous line that is wanted; wraps around at the ends. */
static void go_on(struct widget_text *text, bool (*is_wanted)(const struct widget_text *, size_t),
                  int direction)
{
    size_t count = text->lines.count, start = search_start(text);

    for (size_t i = text->has_cursor ? 1 : 0; i <= count && count; i++) {
        size_t line = (start + (direction < 0 ? count - i : i)) % count;

        if (!is_wanted(text, line))
            continue;
        widget_text_go_to(text, line);
        return;
    }
}

bool widget_text_find(struct widget_text *text, const struct pattern *pattern, int direction)
{
    size_t count = text->lines.count, start = search_start(text);

    for (size_t i = direction != 0; i <= count && count; i++) {
        size_t line = (start + (direction < 0 ? count - i : i)) % count;

        if (text->lines.items[line].skip ||
            !pattern_is_in(pattern, text->lines.items[line].text, text->lines.items[line].len))
            continue;
        text->found = line;
        text->has_cursor = false;
        show_line(text, line);
        return true;
    }
    return false;
}

void widget_text_add_text(const struct widget_text *text, struct strbuf *out)
{
    for (size_t place = 0; place < place_count(text); place++) {
        const struct text_line *line = &text->lines.items[line_at(text, place)];

        if (line->skip)
            continue;
        strbuf_add(out, line->text, line->len);
        strbuf_adds(out, "\n");
    }
}

bool widget_text_scroll(struct widget_text *text, enum screen_command command)
{
    size_t half = text->height / 2 + 1, back = 0, on = 0;

    switch ((int)command) {
    case COMMAND_UP:
        back = 1;
        break;
    case COMMAND_DOWN:
        on = 1;
        break;
    case COMMAND_HALF_UP:
        back = half;
        break;
    case COMMAND_HALF_DOWN:
        on = half;
        break;
    case COMMAND_TOP:
        back = text->top;
        break;
    case COMMAND_BOTTOM:
        on = place_count(text);
        break;
    case COMMAND_NEXT_PLACE:
        go_on(text, is_start, 1);
        return true;
    case COMMAND_PREVIOUS_PLACE:
        go_on(text, is_start, -1);
        return true;
    case COMMAND_SECTION:
        go_on(text, is_heading, 1);
        return true;
    case COMMAND_LEFT:
        text->left -= text->left < SIDEWAYS_COLUMNS ? text->left : SIDEWAYS_COLUMNS;
        return true;
    case COMMAND_RIGHT:
        text->left += SIDEWAYS_COLUMNS;
        return true;
    default:
        return false;
    }
    text->top -= back < text->top ? back : text->top;
    text->top = text->top + on < hidden_count(text) ? text->top + on : hidden_count(text);
    text->is_following = command == COMMAND_BOTTOM;
    text->has_cursor = false;
    return true;
}
