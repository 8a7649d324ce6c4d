#include "tui/term/canvas.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/base/strbuf.h"
#include "core/base/utf8.h"
#include "core/base/vec.h"

static const struct cell blank = {.code = ' ', .width = 1};

void canvas_reset(struct canvas *canvas, int w, int h)
{
    if (w != canvas->w || h != canvas->h)
        canvas->cells = mem_resize(canvas->cells, (size_t)w * (size_t)h + 1, sizeof(struct cell));
    canvas->w = w;
    canvas->h = h;
    canvas->cursor = (struct cursor){0};
    canvas->links.count = 0;
    for (size_t i = 0; i < (size_t)w * (size_t)h; i++)
        canvas->cells[i] = blank;
}

void canvas_release(struct canvas *canvas)
{
    free(canvas->cells);
    vec_release(&canvas->links);
    *canvas = (struct canvas){0};
}

static struct cell *cell_at(struct canvas *canvas, int x, int y)
{
    return &canvas->cells[(size_t)y * (size_t)canvas->w + (size_t)x];
}

const struct cell *canvas_cell(const struct canvas *canvas, int x, int y)
{
    return &canvas->cells[(size_t)y * (size_t)canvas->w + (size_t)x];
}

bool cell_equals(const struct cell *a, const struct cell *b)
{
    return a->code == b->code && a->width == b->width && a->role == b->role &&
           a->ground == b->ground && memcmp(a->marks, b->marks, sizeof(a->marks)) == 0;
}

void cell_add_text(const struct cell *cell, struct strbuf *out)
{
    if (cell->width)
        utf8_encode(out, cell->code);
    for (int i = 0; i < GLYPH_MARKS && cell->marks[i]; i++)
        utf8_encode(out, cell->marks[i]);
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int most(int a, int b)
{
    return a > b ? a : b;
}

static struct rect intersection(struct rect a, struct rect b)
{
    int x = most(a.x, b.x), y = most(a.y, b.y);

    return (struct rect){
        .x = x,
        .y = y,
        .w = most(0, least(a.x + a.w, b.x + b.w) - x),
        .h = most(0, least(a.y + a.h, b.y + b.h) - y),
    };
}

struct area canvas_area(struct canvas *canvas, struct rect rect)
{
    struct rect whole = {.w = canvas->w, .h = canvas->h};

    return (struct area){.canvas = canvas, .rect = intersection(whole, rect)};
}

struct area area_part(struct area area, struct rect rect)
{
    rect.x += area.rect.x;
    rect.y += area.rect.y;
    area.rect = intersection(area.rect, rect);
    return area;
}

static void blank_out(struct cell *cell)
{
    cell->code = ' ';
    cell->width = 1;
    memset(cell->marks, 0, sizeof(cell->marks));
}

/* If one half of a wide character is overwritten, replace its other half by a blank. */
static void mend_neighbours(struct canvas *canvas, int x, int y, int width)
{
    if (x > 0 && cell_at(canvas, x, y)->width == 0)
        blank_out(cell_at(canvas, x - 1, y));
    if (x + width < canvas->w && cell_at(canvas, x + width, y)->width == 0)
        blank_out(cell_at(canvas, x + width, y));
}

/* Write a character at a place where all its columns are on the canvas. */
static void set_cell(struct canvas *canvas, int x, int y, struct cell cell)
{
    mend_neighbours(canvas, x, y, cell.width);
    cell.ground = cell_at(canvas, x, y)->ground;
    *cell_at(canvas, x, y) = cell;
    if (cell.width == 2)
        *cell_at(canvas, x + 1, y) = (struct cell){.role = cell.role, .ground = cell.ground};
}

bool rect_has(const struct rect *rect, int x, int y)
{
    return x >= rect->x && x < rect->x + rect->w && y >= rect->y && y < rect->y + rect->h;
}

int canvas_target_at(const struct canvas *canvas, int x, int y)
{
    for (size_t i = canvas->links.count; i-- > 0;)
        if (rect_has(&canvas->links.items[i].rect, x, y))
            return canvas->links.items[i].target;
    return -1;
}

void area_link(struct area area, struct rect rect, int target)
{
    struct canvas_link link = {.rect = area_part(area, rect).rect, .target = target};

    vec_push(&area.canvas->links, link);
}

static void remove_links(struct area area)
{
    struct canvas *canvas = area.canvas;
    size_t kept = 0;

    for (size_t i = 0; i < canvas->links.count; i++) {
        const struct canvas_link *link = &canvas->links.items[i];

        if (!rect_has(&area.rect, link->rect.x, link->rect.y))
            canvas->links.items[kept++] = *link;
    }
    canvas->links.count = kept;
}

void area_clear(struct area area, enum role role)
{
    const struct rect *r = &area.rect;

    remove_links(area);
    for (int y = r->y; y < r->y + r->h; y++)
        for (int x = r->x; x < r->x + r->w; x++)
            set_cell(area.canvas, x, y,
                     (struct cell){.code = ' ', .width = 1, .role = (uint8_t)role});
    area_paint(area, ROLE_TEXT);
}

void area_paint(struct area area, enum role ground)
{
    const struct rect *r = &area.rect;

    for (int y = r->y; y < r->y + r->h; y++)
        for (int x = r->x; x < r->x + r->w; x++)
            cell_at(area.canvas, x, y)->ground = (uint8_t)ground;
}

/* A line of the area as UTF-8, with the column of each byte. */
struct row_text {
    struct strbuf bytes;
    struct {
        int *items;
        size_t count, capacity;
    } columns;
};

static void read_row(struct area area, int y, struct row_text *row)
{
    row->bytes.len = 0;
    row->columns.count = 0;
    for (int x = 0; x < area.rect.w; x++) {
        const struct cell *cell = canvas_cell(area.canvas, area.rect.x + x, area.rect.y + y);

        cell_add_text(cell, &row->bytes);
        while (row->columns.count < row->bytes.len)
            vec_push(&row->columns, x);
    }
    vec_push(&row->columns, area.rect.w);
}

void area_mark(struct area area, const struct pattern *pattern, enum role ground)
{
    struct row_text row = {0};

    for (int y = 0; pattern->len && y < area.rect.h; y++) {
        size_t at = 0;

        read_row(area, y, &row);
        while (at += pattern_find(pattern, row.bytes.data + at, row.bytes.len - at),
               at < row.bytes.len) {
            int x = row.columns.items[at], end = row.columns.items[at + pattern->len];

            area_paint(area_part(area, (struct rect){x, y, end - x, 1}), ground);
            at += pattern->len;
        }
    }
    strbuf_release(&row.bytes);
    vec_release(&row.columns);
}

/* Write a character of one column; it is not drawn outside the area. */
static void put_mark(struct area area, int x, int y, struct cell cell)
{
    cell.width = 1;
    if (x >= 0 && x < area.rect.w && y >= 0 && y < area.rect.h)
        set_cell(area.canvas, area.rect.x + x, area.rect.y + y, cell);
}

void area_rule(struct area area, int y)
{
    const struct cell line = {.code = area.canvas->is_ascii ? '-' : 0x2500, .role = ROLE_BORDER};

    for (int x = 0; x < area.rect.w; x++)
        put_mark(area, x, y, line);
}

void area_title(struct area area, const char *title, enum role role)
{
    struct pen pen = area_pen(area_part(area, (struct rect){2, 0, area.rect.w - 3, 1}), 0, 0);

    pen_puts(&pen, role, title);
}

struct area area_box(struct area area, const char *title, enum role role)
{
    static const uint32_t marks[2][6] = {
        {0x2500, 0x2502, 0x250C, 0x2510, 0x2514, 0x2518},
        {'-', '|', '+', '+', '+', '+'},
    };
    const uint32_t *m = marks[area.canvas->is_ascii];
    int right = area.rect.w - 1, bottom = area.rect.h - 1;

    for (int x = 1; x < right; x++) {
        put_mark(area, x, 0, (struct cell){.code = m[0], .role = (uint8_t)role});
        put_mark(area, x, bottom, (struct cell){.code = m[0], .role = (uint8_t)role});
    }
    for (int y = 1; y < bottom; y++) {
        put_mark(area, 0, y, (struct cell){.code = m[1], .role = (uint8_t)role});
        put_mark(area, right, y, (struct cell){.code = m[1], .role = (uint8_t)role});
    }
    put_mark(area, 0, 0, (struct cell){.code = m[2], .role = (uint8_t)role});
    put_mark(area, right, 0, (struct cell){.code = m[3], .role = (uint8_t)role});
    put_mark(area, 0, bottom, (struct cell){.code = m[4], .role = (uint8_t)role});
    put_mark(area, right, bottom, (struct cell){.code = m[5], .role = (uint8_t)role});
    area_title(area, title, role);
    return area_part(area, (struct rect){1, 1, area.rect.w - 2, area.rect.h - 2});
}

void area_set_cursor(struct area area, int x, int y)
{
    if (x >= 0 && x < area.rect.w && y >= 0 && y < area.rect.h)
        area.canvas->cursor =
            (struct cursor){.is_shown = true, .x = area.rect.x + x, .y = area.rect.y + y};
}

struct pen area_pen(struct area area, int x, int y)
{
    return (struct pen){.area = area, .x = x, .y = y, .origin = x};
}

/* Block elements from one eighth to a whole column (Unicode 15, U+2588 to U+258F). */
static const char *const blocks[] = {"\u258f", "\u258e", "\u258d", "\u258c",
                                     "\u258b", "\u258a", "\u2589", "\u2588"};

enum { EIGHTHS = COUNT(blocks) };

void pen_put_bar(struct pen *pen, enum role role, double columns)
{
    bool is_ascii = pen->area.canvas->is_ascii;
    int eighths = (int)lround(columns * EIGHTHS);

    if (is_ascii)
        eighths = (int)lround(columns) * EIGHTHS;
    if (eighths == 0 && columns > 0)
        eighths = is_ascii ? EIGHTHS : 1;
    for (; eighths > 0; eighths -= EIGHTHS)
        pen_puts(pen, role, is_ascii ? "=" : blocks[(eighths < EIGHTHS ? eighths : EIGHTHS) - 1]);
}

bool pen_is_past_edge(const struct pen *pen)
{
    return pen->x >= pen->area.rect.w;
}

/* Write a character that fills its cells.  If an edge of the area cuts it, blanks fill the rest. */
static void put_character(struct pen *pen, enum role role, uint32_t code, int width)
{
    struct cell cell = {.code = code, .width = (uint8_t)width, .role = (uint8_t)role};
    bool is_cut = pen->x < 0 || pen->x + width > pen->area.rect.w;

    if (!is_cut && pen->y >= 0 && pen->y < pen->area.rect.h)
        set_cell(pen->area.canvas, pen->area.rect.x + pen->x, pen->area.rect.y + pen->y, cell);
    for (int i = 0; is_cut && i < width; i++)
        put_mark(pen->area, pen->x + i, pen->y, (struct cell){.code = ' ', .role = (uint8_t)role});
    pen->x += width;
}

static void put_tab(struct pen *pen, enum role role)
{
    do
        put_character(pen, role, ' ', 1);
    while ((pen->x - pen->origin) % TAB_COLUMNS != 0);
}

/* Add a mark to the character before the pen, if that is inside the area. */
static void put_combining(struct pen *pen, uint32_t code)
{
    const struct rect *r = &pen->area.rect;
    struct cell *cell;
    int x = pen->x - 1, i = 0;

    if (x < 0 || x >= r->w || pen->y < 0 || pen->y >= r->h)
        return;
    cell = cell_at(pen->area.canvas, r->x + x, r->y + pen->y);
    if (cell->width == 0 && x > 0) /* the second half of a wide character */
        cell--;
    while (i < GLYPH_MARKS && cell->marks[i])
        i++;
    if (i < GLYPH_MARKS && cell->width && cell->code != ' ')
        cell->marks[i] = code;
}

static void put_escaped(struct pen *pen, uint32_t code)
{
    char escaped[GLYPH_CODE_SIZE];

    glyph_write_code(code, escaped);
    for (const char *p = escaped; *p; p++)
        put_character(pen, ROLE_HAZARD, (uint32_t)*p, 1);
}

static void put_code(struct pen *pen, enum role role, uint32_t code)
{
    struct glyph glyph;

    if (pen->end != pen->x)
        pen->before = (struct glyph_state){0};
    glyph = glyph_next(&pen->before, code);
    if (code == '\t')
        put_tab(pen, role);
    else if (glyph.form == GLYPH_CELL)
        put_character(pen, role, code, glyph.columns);
    else if (glyph.form == GLYPH_MARK)
        put_combining(pen, code);
    else
        put_escaped(pen, code);
    pen->end = pen->x;
}

/*
 * The role of the blanks before and after a text. In 8 colours ROLE_BAD has a background
 * (theme_ink()), and without colours it is underlined: both must end with the words.
 */
static enum role role_beside(enum role role)
{
    return role == ROLE_BAD ? ROLE_TEXT : role;
}

static size_t blanks_at_start(const char *text, size_t len)
{
    size_t count = 0;

    while (count < len && text[count] == ' ')
        count++;
    return count;
}

static size_t without_blanks_at_end(const char *text, size_t len)
{
    while (len > 0 && text[len - 1] == ' ')
        len--;
    return len;
}

/*
 * True if the character is a mark on the one before it, which may be the last one before an edge.
 */
static bool is_mark_next(const struct pen *pen, uint32_t code)
{
    struct glyph_state state = pen->before;

    return pen->end == pen->x && glyph_next(&state, code).form == GLYPH_MARK;
}

void pen_put(struct pen *pen, enum role role, const char *text, size_t len)
{
    size_t start = blanks_at_start(text, len), end = without_blanks_at_end(text, len), taken;

    for (size_t at = 0; at < len; at += taken) {
        uint32_t code;

        taken = utf8_decode(text + at, len - at, &code);
        if (pen_is_past_edge(pen) && !is_mark_next(pen, code))
            break;
        put_code(pen, at < start || at >= end ? role_beside(role) : role, code);
    }
}

void pen_puts(struct pen *pen, enum role role, const char *text)
{
    pen_put(pen, role, text, strlen(text));
}

void pen_putf(struct pen *pen, enum role role, const char *fmt, ...)
{
    char *text = NULL;
    va_list args;
    int len;

    va_start(args, fmt);
    len = vasprintf(&text, fmt, args);
    va_end(args);
    if (len < 0)
        abort();
    pen_put(pen, role, text, (size_t)len);
    free(text);
}

/*
 * True if eight bytes are all from ' ' to '~': bit 7 is clear in each byte, in byte + 1 and in byte
 * - ' '.
 */
static bool are_plain(const char *text)
{
    static const uint64_t ones = 0x0101010101010101;
    uint64_t bytes;

    memcpy(&bytes, text, sizeof(bytes));
    return ((bytes | (bytes + ones) | (bytes - ' ' * ones)) & 0x80 * ones) == 0;
}

/* The length of the printable ASCII characters at the start of a text. Each takes one column. */
static size_t plain_length(const char *text, size_t len)
{
    size_t i = 0;

    while (i + sizeof(uint64_t) <= len && are_plain(text + i))
        i += sizeof(uint64_t);
    while (i < len && text[i] >= ' ' && text[i] <= '~')
        i++;
    return i;
}

int canvas_text_columns(const char *text, size_t len)
{
    size_t plain = plain_length(text, len);
    struct glyph_state before = {0};
    int columns = (int)plain;

    if (plain > 0 && plain < len) { /* marks may follow the last of them */
        plain--;
        columns--;
    }
    text += plain;
    len -= plain;
    while (len > 0) {
        uint32_t code;
        size_t taken = utf8_decode(text, len, &code);
        struct glyph glyph = glyph_next(&before, code);

        columns += code == '\t' ? TAB_COLUMNS - columns % TAB_COLUMNS : glyph.columns;
        text += taken;
        len -= taken;
    }
    return columns;
}
