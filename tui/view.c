#include "tui/view.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tui/bar.h"
#include "tui/help.h"

/* Lines that a notch of the wheel scrolls. */
enum { WHEEL_LINES = 3 };

void view_open(struct view *view)
{
    *view = (struct view){.focus = {.pane = PANE_KERNEL, .middle = PANE_KERNEL}};
    for (enum pane pane = 0; pane < PANE_COUNT; pane++)
        view->panels[pane] = panel_list[pane]->open();
    keymap_fill(&view->keymap);
}

void view_release(struct view *view)
{
    for (enum pane pane = 0; pane < PANE_COUNT; pane++)
        view->panels[pane]->ops->close(view->panels[pane]);
    page_release(&view->help);
    palette_close(&view->palette);
    prompt_line_free(view->prompt);
    keymap_release(&view->keymap);
}

void view_say(struct view *view, enum role role, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(view->message, sizeof(view->message), fmt, args);
    va_end(args);
    view->message_role = role;
}

void view_ask(struct view *view, const struct prompt_line_options *options, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(view->label, sizeof(view->label), fmt, args);
    va_end(args);
    prompt_line_free(view->prompt);
    view->prompt = prompt_line_new(options);
}

void view_close_prompt(struct view *view)
{
    prompt_line_free(view->prompt);
    view->prompt = NULL;
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
    struct panel_body body = panel->ops->body(panel, scene);
    const struct pattern *filter = panel_body_filter(&body);
    struct strbuf title = {0};
    struct area inside;

    strbuf_addf(&title, "%d %s", (int)pane + 1, layout_pane_name(pane));
    if (panel->ops->title)
        panel->ops->title(panel, scene, &title);
    if (filter->len)
        strbuf_addf(&title, " \\%s", filter->text);
    inside = layout_open_pane(layout, canvas, pane, border, strbuf_cstr(&title));
    panel->ops->draw(panel, scene, inside);
    if (pane == view->focus.pane)
        area_mark(inside, &view->search, ROLE_MATCH);
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
    struct panel *panel = view->panels[pane];

    return (struct bar_facts){.keymap = &view->keymap,
                              .is_armed = view->is_armed,
                              .is_in_sight = layout->panes[pane].w > 0,
                              .pane = (int)pane + 1,
                              .hidden_lines =
                                  widget_text_hidden(panel->ops->body(panel, scene).text)};
}

/* The prompt where it is open, else the message. */
static void draw_message(const struct view *view, struct area area)
{
    struct pen pen = area_pen(area, 1, 0);

    if (view->prompt)
        prompt_line_draw(view->prompt, view->label, area);
    else
        pen_puts(&pen, view->message_role, view->message);
}

static void draw_lines(const struct view *view, const struct scene *scene,
                       const struct layout *layout, struct canvas *canvas)
{
    struct bar_facts facts = facts_of(view, scene, layout);

    bar_draw_header(scene, canvas_area(canvas, layout->header));
    bar_draw_decision(scene, &facts, canvas_area(canvas, layout->bar));
    if (layout->kind == LAYOUT_SMALL)
        bar_draw_decision(scene, &facts, canvas_area(canvas, layout->status));
    else
        bar_draw_status(scene, canvas_area(canvas, layout->status));
}

/* What the prompt could become, above it. */
static void draw_words(const struct view *view, struct rect line, struct canvas *canvas)
{
    const char *words = view->prompt ? prompt_line_words(view->prompt) : "";
    struct area area = canvas_area(canvas, (struct rect){0, line.y - 1, line.w, 1});
    struct pen pen = area_pen(area, 1, 0);

    if (*words)
        area_clear(area, ROLE_TEXT);
    for (; *words; words += strcspn(words, "\n") + 1) {
        pen_put(&pen, ROLE_KEY, words, strcspn(words, "\n"));
        pen_puts(&pen, ROLE_TEXT, "  ");
    }
}

void view_draw_over(struct view *view, struct canvas *canvas, struct rect message)
{
    if (view->prompt || view->message[0]) {
        area_clear(canvas_area(canvas, message), ROLE_TEXT);
        draw_message(view, canvas_area(canvas, message));
    }
    draw_words(view, message, canvas);
    if (view->is_helping)
        help_draw(&view->help, &view->keymap, canvas);
    if (view->palette.line)
        palette_draw(&view->palette, &view->keymap, canvas);
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
    view_draw_over(view, canvas, layout.message.h ? layout.message : layout.status);
}

/* Commands. */

static void answer(struct view *view, struct scene *scene, struct panel_answer wanted)
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
    case PANEL_COMPARE_WITH:
        scene_compare_with(scene, wanted.number);
        break;
    case PANEL_NOTHING:
        break;
    }
}

struct panel_body view_body(const struct view *view, const struct scene *scene)
{
    struct panel *panel = view->panels[view->focus.pane];

    return panel->ops->body(panel, scene);
}

/* A row was selected in the pane that has the focus. */
static void follow_selection(struct view *view, struct scene *scene)
{
    struct panel *panel = view->panels[view->focus.pane];

    if (panel->ops->select)
        answer(view, scene, panel->ops->select(panel));
}

bool view_find(struct view *view, const struct panel_body *body, int direction)
{
    bool is_found = panel_body_find(body, &view->search, direction);

    if (!is_found && view->search.len)
        view_say(view, ROLE_WARNING, "not in this pane: %s", view->search.text);
    return is_found;
}

void view_search(struct view *view, struct scene *scene, int direction)
{
    struct panel_body body = view_body(view, scene);

    if (view_find(view, &body, direction) && body.list)
        follow_selection(view, scene);
}

void view_copy(const struct view *view, const struct scene *scene, struct strbuf *out)
{
    struct panel_body body = view_body(view, scene);
    const struct panel_ops *ops = view->panels[view->focus.pane]->ops;

    if (ops->copy)
        ops->copy(scene, out);
    else
        panel_body_add_text(&body, out);
}

/* While the help is open, it takes what scrolls, and what closes it. */
static bool help_command(struct view *view, enum screen_command command)
{
    if (command == COMMAND_HELP || command == COMMAND_QUIT)
        view->is_helping = false;
    else
        widget_text_scroll(&view->help.view, command);
    return command != COMMAND_SUSPEND && command != COMMAND_REDRAW &&
           command != COMMAND_INTERRUPT && command != COMMAND_SCREEN && command != COMMAND_THEME;
}

static bool frame_command(struct view *view, const struct keymap_row *row)
{
    int pane = (int)view->focus.pane;

    switch ((int)row->command) {
    case COMMAND_PANE:
        layout_focus_pane(&view->focus, (enum pane)(row->number - 1));
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

/* What is the same in every pane. */
static bool body_command(struct view *view, struct scene *scene, enum screen_command command)
{
    struct panel_body body = view_body(view, scene);

    if (!panel_body_move(&body, command))
        return false;
    if (body.list)
        follow_selection(view, scene);
    return true;
}

/* The pane that a command is for: at the prompt, those of the kernel are from anywhere. */
static bool panel_command(struct view *view, struct scene *scene, const struct call *call)
{
    bool is_of_kernel = call->row->context == CONTEXT_KERNEL;
    struct panel *panel = view->panels[is_of_kernel ? PANE_KERNEL : view->focus.pane];
    struct panel_answer wanted = {0};

    if (!panel->ops->command || !panel->ops->command(panel, scene, call, &wanted))
        return false;
    answer(view, scene, wanted);
    return true;
}

static bool search_command(struct view *view, struct scene *scene, enum screen_command command)
{
    if (command != COMMAND_SEARCH_NEXT && command != COMMAND_SEARCH_PREVIOUS)
        return false;
    view_search(view, scene, command == COMMAND_SEARCH_NEXT ? 1 : -1);
    return true;
}

bool view_command(struct view *view, struct scene *scene, const struct call *call)
{
    enum screen_command command = call->row->command;

    if (view->is_helping)
        return help_command(view, command);
    return frame_command(view, call->row) || search_command(view, scene, command) ||
           panel_command(view, scene, call) || body_command(view, scene, command);
}

/* The mouse. */

static bool is_in(const struct rect *rect, const struct mouse *mouse)
{
    return mouse->x >= rect->x && mouse->x < rect->x + rect->w && mouse->y >= rect->y &&
           mouse->y < rect->y + rect->h;
}

/* Select the row under the mouse, in a pane with a list. */
static void select_row(struct view *view, struct scene *scene, const struct layout *layout,
                       const struct mouse *mouse)
{
    const struct panel_ops *ops = view->panels[view->focus.pane]->ops;
    struct panel_body body = view_body(view, scene);
    int border = layout->kind >= LAYOUT_SINGLE;
    int y = mouse->y - layout->panes[view->focus.pane].y - border - ops->list_top;

    if (body.list && y >= 0 && widget_list_select_at(body.list, (size_t)y, body.rows.count))
        follow_selection(view, scene);
}

static void press_in_pane(struct view *view, struct scene *scene, const struct layout *layout,
                          const struct mouse *mouse)
{
    for (enum pane pane = 0; pane < PANE_COUNT; pane++) {
        if (!is_in(&layout->panes[pane], mouse))
            continue;
        layout_focus_pane(&view->focus, pane);
        if (mouse->action == MOUSE_PRESSED)
            select_row(view, scene, layout, mouse);
        for (int i = 0; mouse->action != MOUSE_PRESSED && i < WHEEL_LINES; i++)
            body_command(view, scene, mouse->action == MOUSE_WHEEL_UP ? COMMAND_UP : COMMAND_DOWN);
    }
}

void view_mouse(struct view *view, struct scene *scene, const struct canvas *canvas,
                struct mouse mouse)
{
    struct layout layout = layout_of(canvas->w, canvas->h, &view->focus);
    enum pane tab = PANE_COUNT;

    if (view->is_helping)
        return;
    if (is_in(&layout.tabs, &mouse) && mouse.action == MOUSE_PRESSED)
        tab = layout_tab_at(&layout, view->focus.pane, mouse.x);
    if (tab < PANE_COUNT)
        layout_focus_pane(&view->focus, tab);
    else
        press_in_pane(view, scene, &layout, &mouse);
}
