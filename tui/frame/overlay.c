#include "tui/frame/overlay.h"

#include "core/base/array.h"
#include "core/base/digest.h"
#include "core/base/json.h"
#include "core/llm/http.h"
#include "core/session/store/history.h"
#include "tui/term/term.h"
#include "tui/widgets/prompt_line.h"

enum { OVERLAY_W = 76, OVERLAY_H = 60 };

static void add_row(struct page *page, const struct keymap *keymap, const struct keymap_row *row)
{
    struct strbuf keys = {0};

    keymap_add_keys(keymap, row, &keys);
    page_add(page, ROLE_TEXT, "  %-14s :%-14s %s", strbuf_cstr(&keys), row->name, row->help);
    strbuf_release(&keys);
}

static void add_context(struct page *page, const struct keymap *keymap,
                        const struct keymap_context *context)
{
    page_add(page, ROLE_STRONG, "%s", context->title);
    for (const struct keymap_row *row = keymap_table; row->name; row++)
        if (row->context == context->context)
            add_row(page, keymap, row);
    page_add(page, ROLE_TEXT, "%s", "");
}

static void add_contexts(struct page *page, const struct keymap *keymap, unsigned contexts)
{
    for (const struct keymap_context *context = keymap_contexts; context->name; context++)
        if (context->context & contexts)
            add_context(page, keymap, context);
}

static void add_marks(struct page *page)
{
    page_add(page, ROLE_STRONG, "marks of the steps");
    page_add(page, ROLE_TEXT, "  ?? waits, ok accepted, ed edited, ag asked again, no vetoed,");
    page_add(page, ROLE_TEXT, "  xx failed, un undone;");
    page_add(page, ROLE_TEXT, "  in capitals: decided by you, not by policy");
    page_add(page, ROLE_TEXT, "%s", "");
}

/* The active keys go first.  Among the panes the keys of other contexts follow. */
static void write_help(struct page *page, const struct overlay_facts *facts)
{
    add_contexts(page, facts->keymap, facts->contexts);
    if (!(facts->contexts & CONTEXT_PANES))
        return;
    add_marks(page);
    page_add(page, ROLE_HUNK, "In other places");
    page_add(page, ROLE_TEXT, "%s", "");
    add_contexts(page, facts->keymap, ~facts->contexts);
}

static void write_messages(struct page *page, const struct overlay_facts *facts)
{
    const struct message_log *log = facts->messages;

    for (size_t i = 0; i < log->count; i++)
        page_add_wrapped(page, log->items[i].role, log->items[i].text, OVERLAY_W - 2);
    if (!log->count)
        page_add(page, ROLE_DIM, "There are no messages yet.");
}

static void write_about(struct page *page, const struct overlay_facts *facts)
{
    static void (*const libraries[])(struct strbuf * out) = {
        term_add_version,    prompt_line_add_version, http_add_version,
        history_add_version, json_add_version,        digest_add_version};

    page_add(page, ROLE_STRONG, "kforge " KFORGE_VERSION);
    page_add(page, ROLE_TEXT, "%s", "");
    for (size_t i = 0; i < COUNT(libraries); i++) {
        struct strbuf version = {0};

        libraries[i](&version);
        page_add_wrapped(page, ROLE_TEXT, strbuf_cstr(&version), OVERLAY_W - 2);
        strbuf_release(&version);
    }
    page_add(page, ROLE_TEXT, "%s", "");
    page_add_wrapped(page, ROLE_TEXT, *facts->judge ? facts->judge : "no judge has started yet",
                     OVERLAY_W - 2);
}

static const struct {
    const char *title;
    void (*write)(struct page *page, const struct overlay_facts *facts);
} kinds[] = {
    [OVERLAY_HELP] = {"Keys: ? goes back", write_help},
    [OVERLAY_MESSAGES] = {"Messages: q goes back", write_messages},
    [OVERLAY_ABOUT] = {"About: q goes back", write_about},
};

void overlay_open(struct overlay *overlay, enum overlay_kind kind)
{
    overlay->kind = kind;
    overlay->page.view.top = 0;
    overlay->page.view.is_following = kind == OVERLAY_MESSAGES;
}

void overlay_draw(struct overlay *overlay, const struct overlay_facts *facts,
                  const struct pattern *search, struct canvas *canvas)
{
    int w = canvas->w < OVERLAY_W ? canvas->w : OVERLAY_W;
    int h = canvas->h < OVERLAY_H ? canvas->h : OVERLAY_H;
    struct rect middle = {(canvas->w - w) / 2, (canvas->h - h) / 2, w, h};
    struct area area = canvas_area(canvas, middle), inside;

    page_clear(&overlay->page);
    kinds[overlay->kind].write(&overlay->page, facts);
    area_clear(area, ROLE_TEXT);
    inside = area_box(area, kinds[overlay->kind].title, ROLE_BORDER_FOCUSED);
    page_draw(&overlay->page, inside);
    area_mark(inside, search, ROLE_MATCH);
}

void overlay_release(struct overlay *overlay)
{
    page_release(&overlay->page);
}

bool overlay_command(struct overlay *overlay, enum screen_command command)
{
    if (overlay->kind == OVERLAY_NONE)
        return false;
    if (command == COMMAND_QUIT || (command == COMMAND_HELP && overlay->kind == OVERLAY_HELP)) {
        overlay->kind = OVERLAY_NONE;
        return true;
    }
    return widget_text_scroll(&overlay->page.view, command);
}
