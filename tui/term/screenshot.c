#include "tui/term/screenshot.h"

#include <string.h>

#include "core/base/array.h"
#include "core/base/utf8.h"
#include "core/system/file.h"

/* Pixels of a cell. */
enum { CELL_W = 9, CELL_H = 18, BASELINE = 14 };

/* The default colours of the terminal in a picture, 0xRRGGBB. */
enum { OWN_FG = 0xd8dee9, OWN_BG = 0x14171c };
enum { BRAILLE = 0x2800, BRAILLE_DOTS = 8 };

/* At this size a character of DejaVu Sans Mono is CELL_W pixels wide. */
static const char font_size[] = "14.95";

/* Adjacent cells of a row with the same colours and attributes. */
struct run {
    int x, y, end;
    struct ink ink;
};

static bool ink_equals(struct ink a, struct ink b)
{
    return a.fg == b.fg && a.bg == b.bg && a.attributes == b.attributes;
}

static struct ink ink_at(const struct canvas *canvas, const struct theme *theme, enum depth depth,
                         struct rect at)
{
    const struct cell *cell = canvas_cell(canvas, at.x, at.y);

    return theme_ink(theme, depth, cell->role, cell->ground);
}

/* True if the cell at `at` has the run's ink. It has if its roles are the same. */
static bool continues(const struct run *run, const struct canvas *canvas, const struct theme *theme,
                      enum depth depth, struct rect at)
{
    const struct cell *first = canvas_cell(canvas, run->x, run->y);
    const struct cell *cell = canvas_cell(canvas, at.x, at.y);

    return (cell->role == first->role && cell->ground == first->ground) ||
           ink_equals(run->ink, ink_at(canvas, theme, depth, at));
}

static struct run run_from(const struct canvas *canvas, const struct theme *theme, enum depth depth,
                           struct rect at)
{
    struct run run = {.x = at.x, .y = at.y, .ink = ink_at(canvas, theme, depth, at)};

    do
        at.x++;
    while (at.x < canvas->w && continues(&run, canvas, theme, depth, at));
    run.end = at.x;
    return run;
}

/* The column after the last character of row `y` that is not blank. */
static int text_end(const struct canvas *canvas, int y)
{
    int end = canvas->w;

    while (end > 0 && canvas_cell(canvas, end - 1, y)->code == ' ')
        end--;
    return end;
}

static void add_cells(const struct canvas *canvas, int y, int from, int end, struct strbuf *out)
{
    for (int x = from; x < end; x++)
        cell_add_text(canvas_cell(canvas, x, y), out);
}

void screenshot_text(const struct canvas *canvas, struct strbuf *out)
{
    for (int y = 0; y < canvas->h; y++) {
        add_cells(canvas, y, 0, text_end(canvas, y), out);
        strbuf_adds(out, "\n");
    }
}

static void add_sgr(struct ink ink, struct strbuf *out)
{
    static const struct {
        unsigned bit;
        int parameter;
    } attributes[] = {{ATTRIBUTE_BOLD, 1},
                      {ATTRIBUTE_DIM, 2},
                      {ATTRIBUTE_ITALIC, 3},
                      {ATTRIBUTE_UNDERLINE, 4},
                      {ATTRIBUTE_REVERSE, 7}};

    strbuf_adds(out, "\033[0");
    for (size_t i = 0; i < COUNT(attributes); i++)
        if (ink.attributes & attributes[i].bit)
            strbuf_addf(out, ";%d", attributes[i].parameter);
    if (ink.fg >= 0)
        strbuf_addf(out, ";38;5;%d", ink.fg);
    if (ink.bg >= 0)
        strbuf_addf(out, ";48;5;%d", ink.bg);
    strbuf_adds(out, "m");
}

void screenshot_ansi(const struct canvas *canvas, const struct theme *theme, struct strbuf *out)
{
    enum depth depth = theme_depth(256);

    for (int y = 0; y < canvas->h; y++) {
        for (struct run run = {0}; run.end < canvas->w;) {
            run = run_from(canvas, theme, depth, (struct rect){.x = run.end, .y = y});
            add_sgr(run.ink, out);
            add_cells(canvas, y, run.x, run.end, out);
        }
        strbuf_adds(out, "\033[0m\n");
    }
}

static void add_escaped(struct strbuf *out, const struct strbuf *text)
{
    for (size_t i = 0; i < text->len; i++) {
        switch (text->data[i]) {
        case '<':
            strbuf_adds(out, "&lt;");
            break;
        case '&':
            strbuf_adds(out, "&amp;");
            break;
        default:
            strbuf_add(out, &text->data[i], 1);
        }
    }
}

/*
 * True for Braille. Its dots are drawn as shapes, because monospace fonts lack the characters. The
 * code is U+2800 plus a bit for each dot.
 */
static bool is_braille(uint32_t code)
{
    return code >= BRAILLE && code < BRAILLE + (1U << BRAILLE_DOTS);
}

static void add_svg_dots(const struct canvas *canvas, const struct run *run, unsigned colour,
                         struct strbuf *out)
{
    static const struct {
        int column, row;
    } dots[BRAILLE_DOTS] = {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {0, 3}, {1, 3}};
    size_t begun = out->len;

    strbuf_addf(out, "<path fill='#%06x' d='", colour);
    for (int x = run->x; x < run->end; x++) {
        uint32_t code = canvas_cell(canvas, x, run->y)->code;

        for (unsigned i = 0; is_braille(code) && i < BRAILLE_DOTS; i++)
            if (code & 1U << i)
                strbuf_addf(out, "M%d %dh2v2h-2z", x * CELL_W + 1 + dots[i].column * 5,
                            run->y * CELL_H + 2 + dots[i].row * 4);
    }
    if (out->data[out->len - 1] == '\'')
        out->len = begun;
    else
        strbuf_adds(out, "'/>\n");
}

static void add_svg_text(const struct canvas *canvas, const struct run *run, struct strbuf *out)
{
    struct strbuf text = {0};

    for (int x = run->x; x < run->end; x++)
        if (is_braille(canvas_cell(canvas, x, run->y)->code))
            strbuf_adds(&text, " ");
        else
            add_cells(canvas, run->y, x, x + 1, &text);
    add_escaped(out, &text);
    strbuf_release(&text);
}

static void add_svg_run(const struct canvas *canvas, const struct run *run, struct strbuf *out)
{
    int x = run->x * CELL_W, y = run->y * CELL_H, w = (run->end - run->x) * CELL_W;
    unsigned fg = run->ink.fg < 0 ? OWN_FG : (unsigned)run->ink.fg;
    unsigned bg = run->ink.bg < 0 ? OWN_BG : (unsigned)run->ink.bg;
    unsigned attributes = run->ink.attributes;
    bool is_reversed = attributes & ATTRIBUTE_REVERSE;

    if (is_reversed || bg != OWN_BG)
        strbuf_addf(out, "<rect x='%d' y='%d' width='%d' height='%d' fill='#%06x'/>\n", x, y, w,
                    CELL_H, is_reversed ? fg : bg);
    strbuf_addf(out, "<text x='%d' y='%d' textLength='%d' fill='#%06x'%s%s%s%s>", x, y + BASELINE,
                w, is_reversed ? bg : fg, attributes & ATTRIBUTE_BOLD ? " font-weight='bold'" : "",
                attributes & ATTRIBUTE_DIM ? " opacity='0.6'" : "",
                attributes & ATTRIBUTE_ITALIC ? " font-style='italic'" : "",
                attributes & ATTRIBUTE_UNDERLINE ? " text-decoration='underline'" : "");
    add_svg_text(canvas, run, out);
    strbuf_adds(out, "</text>\n");
    add_svg_dots(canvas, run, is_reversed ? bg : fg, out);
}

void screenshot_svg(const struct canvas *canvas, const struct theme *theme, struct strbuf *out)
{
    strbuf_addf(out,
                "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' "
                "font-family='DejaVu Sans Mono, monospace' font-size='%s' xml:space='preserve'>\n"
                "<rect width='100%%' height='100%%' fill='#%06x'/>\n",
                canvas->w * CELL_W, canvas->h * CELL_H, font_size, OWN_BG);
    for (int y = 0; y < canvas->h; y++) {
        for (struct run run = {0}; run.end < canvas->w;) {
            run = run_from(canvas, theme, DEPTH_RGB, (struct rect){.x = run.end, .y = y});
            add_svg_run(canvas, &run, out);
        }
    }
    strbuf_adds(out, "</svg>\n");
}

static void add_text(const struct canvas *canvas, const struct theme *theme, struct strbuf *out)
{
    (void)theme;
    screenshot_text(canvas, out);
}

enum status screenshot_write(const char *path, const struct canvas *canvas,
                             const struct theme *theme, struct error *err)
{
    static const struct {
        const char *ending;
        void (*add)(const struct canvas *canvas, const struct theme *theme, struct strbuf *out);
    } forms[] = {{".txt", add_text}, {".ansi", screenshot_ansi}, {".svg", screenshot_svg}};
    const char *ending = strrchr(path, '.');
    struct strbuf text = {0};
    enum status st;

    for (size_t i = 0; ending && i < COUNT(forms); i++) {
        if (strcmp(forms[i].ending, ending) != 0)
            continue;
        forms[i].add(canvas, theme, &text);
        st = file_write(path, strbuf_cstr(&text), text.len, err);
        strbuf_release(&text);
        return st;
    }
    return error_set(err, STATUS_INVALID,
                     "%s: the name of a saved screen must end in .txt, .ansi or .svg", path);
}
