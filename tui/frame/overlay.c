#include "tui/frame/overlay.h"

#include <stdio.h>

#include "core/base/array.h"
#include "core/base/digest.h"
#include "core/base/json.h"
#include "core/base/vec.h"
#include "core/llm/http.h"
#include "core/session/state/trajectory_chart.h"
#include "core/session/store/history.h"
#include "tui/frame/hints.h"
#include "tui/term/term.h"
#include "tui/widgets/prompt_line.h"

/* Unless the screen is low, its last rows stay visible: the prompt or a message, and the hints. */
enum { LOW_SCREEN_H = 16, BARS_H = 2 };
enum { OVERLAY_W = 76, OVERLAY_H = 60, HELP_INDENT = 33, LEGEND_INDENT = 8, MARK_SIZE = 16 };

/* The columns inside of the border. */
static int columns_of(const struct overlay *overlay)
{
    return overlay->place.w - 2;
}

static void add_row(struct overlay *overlay, const struct keymap *keymap,
                    const struct keymap_row *row)
{
    struct strbuf keys = {0}, name = {0};

    keymap_add_keys(keymap, row, &keys);
    while (overlay->rows.count < overlay->page.lines.count)
        vec_push(&overlay->rows, NULL);
    strbuf_addf(&name, "  %-14s :%s", strbuf_cstr(&keys), row->name);
    page_add_named(&overlay->page, ROLE_TEXT, strbuf_cstr(&name), row->help,
                   (struct page_room){HELP_INDENT, columns_of(overlay)});
    while (overlay->rows.count < overlay->page.lines.count)
        vec_push(&overlay->rows, row);
    strbuf_release(&keys);
    strbuf_release(&name);
}

static void add_context(struct overlay *overlay, const struct keymap *keymap,
                        const struct keymap_context *context)
{
    page_add(&overlay->page, ROLE_STRONG, "%s", context->title);
    for (const struct keymap_row *row = keymap_table; row->name; row++)
        if (row->context & context->context)
            add_row(overlay, keymap, row);
    page_add(&overlay->page, ROLE_TEXT, "%s", "");
}

static void add_contexts(struct overlay *overlay, const struct keymap *keymap, unsigned contexts)
{
    for (const struct keymap_context *context = keymap_contexts; context->name; context++)
        if (context->context & contexts)
            add_context(overlay, keymap, context);
}

/*
 * The marks of lists, plots and margins, by the place where they are; a row without a mark ends the
 * table.
 */
static const struct legend {
    const char *mark, *meaning; /* without a meaning, `mark` is a heading */
    enum role role;
} legend[] = {
    {"1 Steps (capitals: you decided, not policy)", NULL, ROLE_STRONG},
    {"??", "waits for a decision", ROLE_WAITING},
    {"ok", "accepted", ROLE_GOOD},
    {"ed", "edited, then accepted", ROLE_GOOD},
    {"ag", "asked again, with an instruction", ROLE_WAITING},
    {"no", "vetoed", ROLE_BAD},
    {"xx", "the candidate failed: not built, or wrong", ROLE_BAD},
    {"un", "undone", ROLE_DIM},
    {"2 Candidates", NULL, ROLE_STRONG},
    {"*", "the best", ROLE_GOOD},
    {"+", "kept", ROLE_TEXT},
    {"u", "undone", ROLE_TEXT},
    {"m", "marked, to be compared with another one", ROLE_KEY},
    {"3 Kernel, in the margin", NULL, ROLE_STRONG},
    {"+", "added", ROLE_ADDED},
    {"-", "removed", ROLE_REMOVED},
    {"E", "an error of the compiler", ROLE_BAD},
    {"W", "a warning", ROLE_WARNING},
    {"H", "the kernel that takes the most time", ROLE_BAD},
    {"h", "a line at which a profiler saw stalls", ROLE_BAD},
    {"bar", "its stalls, in proportion to the worst line's", ROLE_HEAT_MIDDLE},
    {"5 Correctness: worst error of a block, in tolerances", NULL, ROLE_STRONG},
    {". :", "to 0.5, to 1: within", ROLE_HEAT_LOW},
    {"x #", "to 10, beyond", ROLE_HEAT_MIDDLE},
    {"!", "not a finite number", ROLE_HEAT_HIGH},
    {"2, 6 and the first line", NULL, ROLE_STRONG},
    {"1.2x?", "unsteady: the true value may be half or twice this one", ROLE_WARNING},
    {"Time bar of a replay", NULL, ROLE_STRONG},
    {"* o x", "kept, correct, failed", ROLE_TEXT},
    {"v u .", "vetoed, undone, another step", ROLE_TEXT},
    {"Inbox: what a decision could gain", NULL, ROLE_STRONG},
    {"=", "measured, over the best kernel or the strongest baseline", ROLE_TEXT},
    {"~", "promised by the advice", ROLE_TEXT},
    {"<", "at most: the best kernel's time over the bound", ROLE_TEXT},
    {0},
};

static void add_mark(struct overlay *overlay, enum role role, const char *mark, const char *meaning)
{
    char name[MARK_SIZE];

    snprintf(name, sizeof(name), "  %.*s", MARK_SIZE - 3, mark);
    page_add_named(&overlay->page, role, name, meaning,
                   (struct page_room){LEGEND_INDENT, columns_of(overlay)});
}

static void write_legend(struct overlay *overlay, const struct overlay_facts *facts)
{
    struct page *page = &overlay->page;
    char key[KEYMAP_KEY_SIZE];

    for (const struct legend *row = legend; row->mark; row++) {
        if (row->meaning)
            add_mark(overlay, row->role, row->mark, row->meaning);
        else
            page_add_wrapped(page, row->role, row->mark, columns_of(overlay));
    }
    page_add(page, ROLE_STRONG, "6 Profile, the trajectory (key %s)",
             keymap_key_of(facts->keymap, COMMAND_TRAJECTORY, key));
    for (const struct trajectory_legend *row = trajectory_legend; row->mark; row++)
        add_mark(overlay, ROLE_TEXT, (char[]){row->mark, '\0'}, row->meaning);
}

/* Write the active keys first. On the screen of a session, the keys of other contexts follow. */
static void write_help(struct overlay *overlay, const struct overlay_facts *facts)
{
    add_contexts(overlay, facts->keymap, facts->contexts);
    if (!(facts->contexts & CONTEXT_PANES))
        return;
    page_add(&overlay->page, ROLE_HUNK, "In other places");
    page_add(&overlay->page, ROLE_TEXT, "%s", "");
    add_contexts(overlay, facts->keymap, ~facts->contexts);
}

static void write_messages(struct overlay *overlay, const struct overlay_facts *facts)
{
    struct page *page = &overlay->page;
    const struct message_log *log = facts->messages;

    for (size_t i = 0; i < log->count; i++)
        page_add_wrapped(page, log->items[i].role, log->items[i].text, columns_of(overlay));
    if (!log->count)
        page_add(page, ROLE_DIM, "There are no messages yet.");
}

static void write_about(struct overlay *overlay, const struct overlay_facts *facts)
{
    struct page *page = &overlay->page;
    static void (*const libraries[])(struct strbuf * out) = {
        term_add_version,    prompt_line_add_version, http_add_version,
        history_add_version, json_add_version,        digest_add_version};

    page_add(page, ROLE_STRONG, "kforge " KFORGE_VERSION);
    page_add(page, ROLE_TEXT, "%s", "");
    for (size_t i = 0; i < COUNT(libraries); i++) {
        struct strbuf version = {0};

        libraries[i](&version);
        page_add_wrapped(page, ROLE_TEXT, strbuf_cstr(&version), columns_of(overlay));
        strbuf_release(&version);
    }
    page_add(page, ROLE_TEXT, "%s", "");
    page_add_wrapped(page, ROLE_TEXT, *facts->judge ? facts->judge : "no judge has started yet",
                     columns_of(overlay));
}

static const struct {
    const char *title;
    void (*write)(struct overlay *overlay, const struct overlay_facts *facts);
} kinds[] = {
    [OVERLAY_HELP] = {"Keys", write_help},
    [OVERLAY_LEGEND] = {"Legend", write_legend},
    [OVERLAY_MESSAGES] = {"Messages", write_messages},
    [OVERLAY_ABOUT] = {"About", write_about},
};

void overlay_open(struct overlay *overlay, enum overlay_kind kind)
{
    overlay->kind = kind;
    overlay->page.view.top = 0;
    overlay->page.view.is_following = kind == OVERLAY_MESSAGES;
}

/* Link the visible lines that hold a command. */
static void link_rows(const struct overlay *overlay, struct area area)
{
    for (int y = 0; y < area.rect.h; y++) {
        size_t line = widget_text_line_at(&overlay->page.view, y);

        if (line < overlay->rows.count && overlay->rows.items[line])
            hints_link(area, (struct rect){0, y, area.rect.w, 1}, overlay->rows.items[line]);
    }
}

/* Draw the border, with the key that closes the page. */
static struct area draw_border(const struct overlay *overlay, const struct keymap *keymap,
                               struct area area)
{
    char key[KEYMAP_KEY_SIZE];
    struct strbuf title = {0};
    struct area inside;

    strbuf_addf(&title, "%s: %s goes back", kinds[overlay->kind].title,
                keymap_key_of(keymap, COMMAND_BACK, key));
    inside = area_box(area, strbuf_cstr(&title), ROLE_BORDER_FOCUSED);
    hints_link(area, (struct rect){0, 0, area.rect.w, 1}, keymap_row_of(COMMAND_BACK));
    strbuf_release(&title);
    return inside;
}

/*
 * Write on the lower border how many lines follow the last visible one, and the keys that scroll.
 */
static void draw_rest(const struct overlay *overlay, const struct keymap *keymap, struct area area)
{
    const struct widget_text *view = &overlay->page.view;
    size_t count = overlay->page.lines.count, end = view->top + view->height;
    struct pen pen = area_pen(area, 1, area.rect.h - 1);
    char down[KEYMAP_KEY_SIZE], half[KEYMAP_KEY_SIZE];

    if (end >= count)
        return;
    pen_putf(&pen, ROLE_WAITING, " %zu more: %s, %s ", count - end,
             keymap_key_of(keymap, COMMAND_DOWN, down),
             keymap_key_of(keymap, COMMAND_HALF_DOWN, half));
    hints_link(area, (struct rect){0, area.rect.h - 1, area.rect.w, 1},
               keymap_row_of(COMMAND_HALF_DOWN));
}

void overlay_draw(struct overlay *overlay, const struct overlay_facts *facts,
                  const struct pattern *search, struct canvas *canvas)
{
    int w = canvas->w < OVERLAY_W ? canvas->w : OVERLAY_W;
    int room = canvas->h < LOW_SCREEN_H ? canvas->h : canvas->h - BARS_H;
    int h = room < OVERLAY_H ? room : OVERLAY_H;
    struct rect middle = {(canvas->w - w) / 2, (room - h) / 2, w, h};
    struct area area = canvas_area(canvas, middle), inside;

    page_clear(&overlay->page);
    overlay->rows.count = 0;
    overlay->place = middle;
    kinds[overlay->kind].write(overlay, facts);
    area_clear(area, ROLE_TEXT);
    inside = draw_border(overlay, facts->keymap, area);
    page_draw(&overlay->page, inside);
    draw_rest(overlay, facts->keymap, area);
    link_rows(overlay, inside);
    area_mark(inside, search, ROLE_MATCH);
}

void overlay_release(struct overlay *overlay)
{
    page_release(&overlay->page);
    vec_release(&overlay->rows);
}

bool overlay_is_at(const struct overlay *overlay, int x, int y)
{
    return rect_has(&overlay->place, x, y);
}

bool overlay_command(struct overlay *overlay, enum screen_command command)
{
    if (overlay->kind == OVERLAY_NONE)
        return false;
    if (command == COMMAND_QUIT || command == COMMAND_BACK ||
        (command == COMMAND_HELP && overlay->kind == OVERLAY_HELP)) {
        overlay->kind = OVERLAY_NONE;
        return true;
    }
    return widget_text_scroll(&overlay->page.view, command);
}
