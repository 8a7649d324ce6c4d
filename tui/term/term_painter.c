#include "tui/term/term_painter.h"

#include <string.h>
#include <wchar.h>

#define NCURSES_WIDECHAR 1
#include <curses.h>

#include "core/base/array.h"
#include "core/system/log.h"

/*
 * Let curses use colours; return how many there are. If use_default_colors() fails, curses shows
 * white on black wherever a theme asks for the terminal's own colours.
 */
static int start_colours(void)
{
    if (!has_colors() || start_color() == ERR)
        return 0;
    if (use_default_colors() == ERR)
        log_line("curses: the terminal %s cannot show its own colours", termname());
    return COLORS;
}

void term_painter_open(struct term_painter *painter)
{
    painter->depth = theme_depth(start_colours());
}

void term_painter_release(struct term_painter *painter)
{
    canvas_release(&painter->shown);
}

void term_painter_redraw(struct term_painter *painter)
{
    painter->is_stale = true;
    clearok(curscr, TRUE); /* always OK */
}

static attr_t curses_attributes(unsigned attributes)
{
    static const struct {
        unsigned ours;
        attr_t theirs;
    } table[] = {{ATTRIBUTE_BOLD, A_BOLD},
                 {ATTRIBUTE_DIM, A_DIM},
                 {ATTRIBUTE_ITALIC, A_ITALIC},
                 {ATTRIBUTE_UNDERLINE, A_UNDERLINE},
                 {ATTRIBUTE_REVERSE, A_REVERSE}};
    attr_t all = A_NORMAL;

    for (size_t i = 0; i < COUNT(table); i++)
        if (attributes & table[i].ours)
            all |= table[i].theirs;
    return all;
}

/*
 * The number of a colour in curses. At DEPTH_RGB, terminals take numbers below 256 as indices of a
 * palette (terminfo's xterm-direct, xterm-direct256), so a little green is added to these.
 */
static int curses_colour(enum depth depth, int colour)
{
    return depth == DEPTH_RGB && colour >= 0 && colour < 256 ? colour | 0x100 : colour;
}

/*
 * The curses pair of two colours. If no pair is free, it is 0, the terminal's own colours, because
 * alloc_pair() would change a pair that the screen shows.
 */
static int colour_pair(struct term_painter *painter, struct ink ink)
{
    int fg = curses_colour(painter->depth, ink.fg), bg = curses_colour(painter->depth, ink.bg),
        pair;

    if (fg < 0 && bg < 0)
        return 0;
    pair = find_pair(fg, bg);
    if (pair >= 0 || painter->pair_count + 1 >= COLOR_PAIRS)
        return pair < 0 ? 0 : pair;
    pair = alloc_pair(fg, bg);
    painter->pair_count += pair > 0;
    return pair < 0 ? 0 : pair;
}

static struct look look_of(struct term_painter *painter, enum role role, enum role ground)
{
    struct ink ink = theme_ink(&painter->theme, painter->depth, role, ground);

    return (struct look){
        .is_known = true,
        .attributes = curses_attributes(ink.attributes),
        .pair = colour_pair(painter, ink),
    };
}

/* Change to a theme: forget the looks and free the pairs of the earlier theme. */
static void adopt_theme(struct term_painter *painter, const struct theme *theme)
{
    if (theme_equals(theme, &painter->theme))
        return;
    painter->theme = *theme;
    memset(painter->looks, 0, sizeof(painter->looks));
    painter->pair_count = 0;
    if (painter->depth != DEPTH_MONO)
        reset_color_pairs();
    term_painter_redraw(painter);
}

static void put_cell(struct term_painter *painter, struct rect at, const struct cell *cell)
{
    struct look *look = &painter->looks[cell->role][cell->ground];
    wchar_t text[1 + GLYPH_MARKS + 1] = {(wchar_t)cell->code};
    cchar_t c;

    for (int i = 0; i < GLYPH_MARKS; i++)
        text[1 + i] = (wchar_t)cell->marks[i];
    if (!look->is_known)
        *look = look_of(painter, cell->role, cell->ground);
    if (setcchar(&c, text, look->attributes, 0, &look->pair) == ERR)
        return;
    /* Writing the last cell of the screen is an error, because the cursor cannot move behind it. */
    (void)!mvadd_wch(at.y, at.x, &c);
}

/* Return whether there were any. */
static bool put_changes(struct term_painter *painter, const struct canvas *canvas)
{
    bool has_changed = painter->is_stale;

    for (int y = 0; y < canvas->h; y++) {
        for (int x = 0; x < canvas->w; x++) {
            const struct cell *cell = canvas_cell(canvas, x, y);

            if (!painter->is_stale && cell_equals(cell, canvas_cell(&painter->shown, x, y)))
                continue;
            has_changed = true;
            if (cell->width)
                put_cell(painter, (struct rect){.x = x, .y = y}, cell);
        }
    }
    return has_changed;
}

static bool is_same_cursor(const struct cursor *a, const struct cursor *b)
{
    return a->is_shown == b->is_shown && a->x == b->x && a->y == b->y;
}

static void remember(struct term_painter *painter, const struct canvas *canvas)
{
    size_t cells = (size_t)canvas->w * (size_t)canvas->h;

    canvas_reset(&painter->shown, canvas->w, canvas->h);
    memcpy(painter->shown.cells, canvas->cells, cells * sizeof(struct cell));
    painter->shown.cursor = canvas->cursor;
    painter->is_stale = false;
}

bool term_painter_show(struct term_painter *painter, const struct canvas *canvas,
                       const struct theme *theme)
{
    bool has_changed;

    if (canvas->w != painter->shown.w || canvas->h != painter->shown.h)
        painter->is_stale = true;
    adopt_theme(painter, theme);
    has_changed = put_changes(painter, canvas);
    has_changed |= !is_same_cursor(&canvas->cursor, &painter->shown.cursor);
    if (has_changed)
        remember(painter, canvas);
    return has_changed;
}
