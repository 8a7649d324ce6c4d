#include "tui/view.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tui/bar.h"

void view_open(struct view *view)
{
    *view = (struct view){.focus = {.pane = PANE_KERNEL, .middle = PANE_KERNEL}};
    for (enum pane pane = 0; pane < PANE_COUNT; pane++)
        view->panels[pane] = panel_list[pane]->open();
}

void view_release(struct view *view)
{
    for (enum pane pane = 0; pane < PANE_COUNT; pane++)
        view->panels[pane]->ops->close(view->panels[pane]);
    page_release(&view->help);
    prompt_line_release(&view->prompt);
}

void view_say(struct view *view, enum role role, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(view->message, sizeof(view->message), fmt, args);
    va_end(args);
    view->message_role = role;
}

void view_ask(struct view *view, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(view->label, sizeof(view->label), fmt, args);
    va_end(args);
    view->is_prompting = true;
}

void view_close_prompt(struct view *view)
{
    prompt_line_release(&view->prompt);
    view->is_prompting = false;
}

unsigned view_contexts(const struct view *view, const struct scene *scene)
{
    unsigned contexts = CONTEXT_ALWAYS;

    if (scene_waiting(scene))
        contexts |= CONTEXT_WAITING;
    else if (scene->session->stage != STAGE_CLOSED)
        contexts |= CONTEXT_RUNNING;
    if (view->focus.pane == PANE_KERNEL)
        contexts |= CONTEXT_KERNEL;
    if (view->focus.pane == PANE_DIAGNOSTICS)
        contexts |= CONTEXT_DIAGNOSTICS;
    return contexts;
}

/* Drawing. */

static void draw_pane(struct view *view, const struct scene *scene, const struct layout *layout,
                      struct canvas *canvas, enum pane pane)
{
    struct panel *panel = view->panels[pane];
    enum role border = pane == view->focus.pane ? ROLE_BORDER_FOCUSED : ROLE_BORDER;
    struct strbuf title = {0};

    strbuf_addf(&title, "%d %s", (int)pane + 1, layout_pane_name(pane));
    if (panel->ops->title)
        panel->ops->title(panel, scene, &title);
    panel->ops->draw(panel, scene,
                     layout_open_pane(layout, canvas, pane, border, strbuf_cstr(&title)));
    strbuf_release(&title);
}

/* The pane that shows the text which a step proposes. */
static enum pane pane_of(enum step_kind kind)
{
    return kind == STEP_PROMPT || kind == STEP_RECOMMENDATION ? PANE_AGENTS : PANE_KERNEL;
}

/* What the panes know about the text that is to be decided on. */
static struct bar_facts facts_of(const struct view *view, const struct scene *scene,
                                 const struct layout *layout)
{
    const struct step *step = scene_waiting(scene);
    enum pane pane = pane_of(step ? step->kind : STEP_KEEP);
    const struct panel *panel = view->panels[pane];

    return (struct bar_facts){.is_armed = view->is_armed,
                              .is_in_sight = layout->panes[pane].w > 0,
                              .pane = (int)pane + 1,
                              .hidden_lines = panel->ops->hidden_lines(panel)};
}

/* The prompt where it is open, else the message. */
static void draw_message(const struct view *view, struct area area)
{
    struct pen pen = area_pen(area, 1, 0);

    if (view->is_prompting)
        prompt_line_draw(&view->prompt, view->label, area);
    else
        pen_puts(&pen, view->message_role, view->message);
}

static void draw_lines(const struct view *view, const struct scene *scene,
                       const struct layout *layout, struct canvas *canvas)
{
    struct bar_facts facts = facts_of(view, scene, layout);
    bool has_message = view->is_prompting || view->message[0];

    bar_draw_header(scene, canvas_area(canvas, layout->header));
    bar_draw_decision(scene, &facts, canvas_area(canvas, layout->bar));
    draw_message(view, canvas_area(canvas, layout->message));
    if (layout->kind == LAYOUT_SMALL && has_message)
        draw_message(view, canvas_area(canvas, layout->status));
    else if (layout->kind == LAYOUT_SMALL)
        bar_draw_decision(scene, &facts, canvas_area(canvas, layout->status));
    else
        bar_draw_status(scene, canvas_area(canvas, layout->status));
}

static void add_help_of(struct page *page, enum context context)
{
    page_add(page, ROLE_STRONG, "%s", keymap_context_title(context));
    for (const struct keymap_row *row = keymap_table; row->name; row++)
        if (row->context == context)
            page_add(page, ROLE_TEXT, "  %-14s %-14s %s", row->keys, row->name, row->help);
    page_add(page, ROLE_TEXT, "%s", "");
}

static void draw_help(struct view *view, struct canvas *canvas)
{
    static const enum context contexts[] = {CONTEXT_WAITING, CONTEXT_RUNNING, CONTEXT_ALWAYS,
                                            CONTEXT_KERNEL, CONTEXT_DIAGNOSTICS};
    int w = canvas->w < 76 ? canvas->w : 76, h = canvas->h < 50 ? canvas->h : 50;
    struct rect middle = {(canvas->w - w) / 2, (canvas->h - h) / 2, w, h};
    struct area area = canvas_area(canvas, middle);

    page_clear(&view->help);
    for (size_t i = 0; i < sizeof(contexts) / sizeof(contexts[0]); i++)
        add_help_of(&view->help, contexts[i]);
    page_add(&view->help, ROLE_STRONG, "marks of the steps");
    page_add(&view->help, ROLE_TEXT, "  ?? waits, ok accepted, ed edited, no vetoed, xx failed;");
    page_add(&view->help, ROLE_TEXT, "  in capitals: decided by you, not by policy");
    area_clear(area, ROLE_TEXT);
    page_draw(&view->help, area_box(area, "Keys: ? goes back", ROLE_BORDER_FOCUSED));
}

static void draw_too_small(const struct layout *layout, struct canvas *canvas)
{
    struct pen pen = area_pen(canvas_area(canvas, layout->status), 0, 0);

    pen_puts(&pen, ROLE_WARNING, "too small; runs on");
}

void view_draw(struct view *view, const struct scene *scene, struct canvas *canvas)
{
    struct layout layout = layout_of(canvas->w, canvas->h, &view->focus);

    if (layout.kind == LAYOUT_LINE) {
        draw_too_small(&layout, canvas);
        return;
    }
    if (layout.kind == LAYOUT_SINGLE)
        layout_draw_tabs(&layout, canvas, view->focus.pane);
    for (enum pane pane = 0; pane < PANE_COUNT; pane++)
        if (layout.panes[pane].w)
            draw_pane(view, scene, &layout, canvas, pane);
    draw_lines(view, scene, &layout, canvas);
    if (view->is_helping)
        draw_help(view, canvas);
}

/* Commands. */

static bool answer(struct view *view, struct scene *scene, struct panel_answer wanted)
{
    struct panel *kernel = view->panels[PANE_KERNEL];

    switch (wanted.wish) {
    case PANEL_LOOK_AT_STEP:
        scene_look_at_step(scene, wanted.number);
        break;
    case PANEL_LOOK_AT_ATTEMPT:
        scene_look_at_attempt(scene, wanted.number);
        break;
    case PANEL_GO_TO_LINE:
        kernel->ops->go_to_line(kernel, wanted.number);
        layout_focus_pane(&view->focus, PANE_KERNEL);
        break;
    case PANEL_DRAWN:
    case PANEL_IGNORED:
        break;
    }
    return wanted.wish != PANEL_IGNORED;
}

/* While the help is open, it takes what scrolls, and what closes it. */
static bool help_command(struct view *view, enum screen_command command)
{
    if (command == COMMAND_HELP || command == COMMAND_QUIT)
        view->is_helping = false;
    else
        widget_text_scroll(&view->help.view, command);
    return command != COMMAND_SUSPEND && command != COMMAND_REDRAW && command != COMMAND_INTERRUPT;
}

static bool frame_command(struct view *view, const struct keymap_row *row)
{
    int pane = (int)view->focus.pane;

    switch ((int)row->command) {
    case COMMAND_PANE:
        layout_focus_pane(&view->focus, (enum pane)(row->argument - 1));
        return true;
    case COMMAND_NEXT_PANE:
        layout_focus_pane(&view->focus, (enum pane)((pane + 1) % PANE_COUNT));
        return true;
    case COMMAND_PREVIOUS_PANE:
        layout_focus_pane(&view->focus, (enum pane)((pane + PANE_COUNT - 1) % PANE_COUNT));
        return true;
    case COMMAND_FULL:
        view->focus.is_full = !view->focus.is_full;
        return true;
    case COMMAND_HELP:
        view->is_helping = true;
        return true;
    case COMMAND_QUIT: /* one step back, where there is one */
        if (!view->focus.is_full)
            return false;
        view->focus.is_full = false;
        return true;
    default:
        return false;
    }
}

bool view_command(struct view *view, struct scene *scene, const struct keymap_row *row)
{
    struct panel *panel = view->panels[view->focus.pane];

    if (view->is_helping)
        return help_command(view, row->command);
    return frame_command(view, row) ||
           answer(view, scene, panel->ops->command(panel, scene, row->command));
}
