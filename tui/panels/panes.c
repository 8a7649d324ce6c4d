#include "tui/panels/panes.h"

#include "core/judge/tools/sanitizer.h"
#include "tui/panels/candidate_questions.h"

/* The number of lines that one step of the mouse wheel scrolls. */
enum { WHEEL_LINES = 3 };

void panes_open(struct panes *panes)
{
    *panes = (struct panes){.focus = {.pane = PANE_KERNEL}};
    for (enum pane pane = 0; pane < PANE_COUNT; pane++)
        panes->panels[pane] = panel_new(panel_list[pane]);
}

void panes_release(struct panes *panes)
{
    for (enum pane pane = 0; pane < PANE_COUNT; pane++)
        panel_free(panes->panels[pane]);
}

unsigned panes_contexts(const struct panes *panes)
{
    static const enum context contexts[PANE_COUNT] = {[PANE_KERNEL] = CONTEXT_KERNEL,
                                                      [PANE_CANDIDATES] = CONTEXT_CANDIDATES,
                                                      [PANE_PROFILE] = CONTEXT_PROFILE,
                                                      [PANE_AGENTS] = CONTEXT_AGENTS};

    return CONTEXT_PANES | contexts[panes->focus.pane];
}

struct panel_body panes_body_of(const struct panes *panes, const struct view_model *view_model,
                                enum pane pane)
{
    struct panel *panel = panes->panels[pane];

    return panel->ops->body(panel, view_model);
}

struct panel_body panes_body(const struct panes *panes, const struct view_model *view_model)
{
    return panes_body_of(panes, view_model, panes->focus.pane);
}

/* Make a press on the title of the focused pane do what the key in the title does. */
static void link_title(const struct panes *panes, const struct view_model *view_model,
                       struct area border)
{
    const struct panel *panel = panes->panels[panes->focus.pane];
    enum screen_command command =
        panel->ops->title_command ? panel->ops->title_command(panel, view_model) : COMMAND_NONE;

    if (command)
        area_link(border, (struct rect){0, 0, border.rect.w, 1},
                  keymap_index(keymap_row_of(command)));
}

/*
 * Write the title of a pane after the pane was drawn, because the title depends on what had room.
 */
static void put_title(const struct panes *panes, const struct view_model *view_model,
                      enum pane pane, enum role border, struct area area)
{
    const struct panel *panel = panes->panels[pane];
    const struct panel_body body = panes_body_of(panes, view_model, pane);
    const struct pattern *filter = panel_body_filter(&body);
    struct strbuf title = {0};

    if (!panes->focus.is_unnumbered)
        strbuf_addf(&title, "%d ", (int)pane + 1);
    strbuf_adds(&title, layout_pane_name(pane));
    if (panel->ops->title)
        panel->ops->title(panel, view_model, &title);
    if (filter->len)
        strbuf_addf(&title, " \\%s", filter->text);
    area_title(area, strbuf_cstr(&title), border);
    strbuf_release(&title);
}

/* Draw a pane; return the area inside its border. */
static struct area draw_pane(struct panes *panes, const struct view_model *view_model,
                             const struct layout *layout, struct canvas *canvas, enum pane pane)
{
    struct panel *panel = panes->panels[pane];
    enum role border = pane == panes->focus.pane ? ROLE_BORDER_FOCUSED : ROLE_BORDER;
    struct area area = canvas_area(canvas, layout->panes[pane]);
    struct area inside = layout_open_pane(layout, canvas, pane, border, "");

    panel->ops->draw(panel, view_model, inside);
    panes->is_loading |= panel->ops->is_loading && panel->ops->is_loading(panel);
    if (layout->kind < LAYOUT_SINGLE)
        return inside;
    put_title(panes, view_model, pane, border, area);
    if (pane == panes->focus.pane)
        link_title(panes, view_model, area);
    return inside;
}

bool panes_draw(struct panes *panes, const struct view_model *view_model,
                const struct pattern *search, const struct layout *layout, struct canvas *canvas)
{
    panes->is_loading = false;
    if (layout->kind == LAYOUT_LINE) {
        struct pen pen = area_pen(canvas_area(canvas, layout->status), 0, 0);

        pen_puts(&pen, ROLE_WARNING, "too small, running");
        return false;
    }
    if (layout->kind == LAYOUT_SINGLE)
        layout_draw_tabs(layout, canvas, &panes->focus);
    for (enum pane pane = 0; pane < PANE_COUNT; pane++) {
        struct area inside;

        if (!layout->panes[pane].w)
            continue;
        inside = draw_pane(panes, view_model, layout, canvas, pane);
        if (pane == panes->focus.pane)
            area_mark(inside, search, ROLE_MATCH);
    }
    return true;
}

static void answer(struct panes *panes, struct view_model *view_model, struct panel_answer wanted)
{
    struct panel *kernel = panes->panels[PANE_KERNEL];

    switch (wanted.wish) {
    case PANEL_LOOK_AT_STEP:
        view_model_look_at_step(view_model, wanted.number);
        break;
    case PANEL_LOOK_AT_ATTEMPT:
        view_model_look_at_attempt(view_model, wanted.number);
        break;
    case PANEL_GO_TO_LINE:
        kernel->ops->go_to_line(kernel, wanted.number);
        layout_focus_pane(&panes->focus, PANE_KERNEL);
        break;
    case PANEL_COMPARE_WITH:
        view_model_compare_with(view_model, wanted.number);
        kernel->ops->compare(kernel);
        layout_focus_pane(&panes->focus, PANE_KERNEL);
        break;
    case PANEL_COMPARE_PAIR:
        panes->pair[0] = wanted.number;
        panes->pair[1] = view_model->attempt;
        break;
    case PANEL_FOCUS:
        layout_focus_pane(&panes->focus, (enum pane)wanted.number);
        break;
    case PANEL_ASK_LISTING:
        candidate_questions_list(view_model, (enum listing_form)wanted.number);
        break;
    case PANEL_NOTHING:
        break;
    }
}

bool panes_take_pair(struct panes *panes, unsigned pair[2])
{
    pair[0] = panes->pair[0];
    pair[1] = panes->pair[1];
    panes->pair[0] = panes->pair[1] = 0;
    return pair[0] && pair[1];
}

static bool is_subject(const struct layout_focus *focus)
{
    return focus->pane == scene_subject(layout_scene(focus));
}

static bool is_in_proposal(const struct panes *panes)
{
    const struct layout_focus *focus = &panes->focus;

    return is_subject(focus) || focus->pane == PANE_KERNEL || focus->pane == PANE_AGENTS;
}

/* Scroll the kernel to its first error. This is done once, so that the engineer can scroll away. */
static void go_to_error(struct panes *panes, const struct view_model *view_model)
{
    size_t line = subject_error_line(&view_model->shown);
    struct panel *kernel = panes->panels[PANE_KERNEL];

    if (!line || panes->failed == view_model->shown.attempt)
        return;
    panes->failed = view_model->shown.attempt;
    kernel->ops->go_to_line(kernel, line);
}

void panes_follow_step(struct panes *panes, const struct view_model *view_model, bool is_free)
{
    struct layout_focus *focus = &panes->focus;
    enum scene scene = view_model_scene(view_model);
    bool is_led = is_free ? is_in_proposal(panes) : is_subject(focus);

    /* Move the focus first, so that the pane that loses it is not kept in the new scene. */
    if (is_led && !focus->is_full && !focus->pinned)
        focus->pane = scene_subject(scene);
    layout_set_scene(focus, scene);
    if (scene == SCENE_BUILD)
        go_to_error(panes, view_model);
}

/* A selection in the list of steps changes the scene; one in another pane does not. */
void panes_follow_selection(struct panes *panes, struct view_model *view_model)
{
    struct panel *panel = panes->panels[panes->focus.pane];

    if (panel->ops->select)
        answer(panes, view_model, panel->ops->select(panel));
    if (panes->focus.pane == PANE_STEPS)
        panes_follow_step(panes, view_model, false);
}

void panes_show_proposal(struct panes *panes, enum pane pane)
{
    struct panel *panel = panes->panels[pane];

    layout_focus_pane(&panes->focus, pane);
    if (panel->ops->show_proposal)
        panel->ops->show_proposal(panel);
}

void panes_follow_session(struct panes *panes, const struct view_model *view_model, bool has_moved)
{
    const struct step *step = view_model_waiting(view_model);
    bool is_used = is_in_proposal(panes), is_new = panes->followed != view_model->step;

    if (view_model->is_elsewhere || (has_moved && is_used) ||
        (!is_new && panes->focus.scene == view_model_scene(view_model)))
        return;
    panes->followed = view_model->step;
    panes_follow_step(panes, view_model, !has_moved);
    if (step && is_new && is_used)
        panes_show_proposal(panes, panel_of_step(step->kind));
}

void panes_copy(const struct panes *panes, const struct view_model *view_model, struct strbuf *out)
{
    struct panel_body body = panes_body(panes, view_model);
    const struct panel *panel = panes->panels[panes->focus.pane];

    if (panel->ops->copy)
        panel->ops->copy(panel, view_model, out);
    else
        panel_body_add_text(&body, out);
}

static bool focus_command(struct panes *panes, const struct keymap_row *row)
{
    int pane = (int)panes->focus.pane;

    switch ((int)row->command) {
    /* the number of the focused pane: go back from a plan or a listing to the kernel */
    case COMMAND_PANE:
        if (pane == row->number - 1)
            panes_show_proposal(panes, panes->focus.pane);
        else
            layout_focus_pane(&panes->focus, (enum pane)(row->number - 1));
        return true;
    case COMMAND_NEXT_PANE:
        layout_focus_pane(&panes->focus, (enum pane)((pane + 1) % PANE_COUNT));
        return true;
    case COMMAND_PREVIOUS_PANE:
        layout_focus_pane(&panes->focus, (enum pane)((pane + PANE_COUNT - 1) % PANE_COUNT));
        return true;
    case COMMAND_FULL:
        panes->focus.is_full = !panes->focus.is_full;
        return true;
    case COMMAND_QUIT: /* if a pane is shown alone, first show the others again */
    case COMMAND_BACK:
        if (!panes->focus.is_full)
            return false;
        panes->focus.is_full = false;
        return true;
    default:
        return false;
    }
}

/* Commands that are the same in every pane. */
static bool body_command(struct panes *panes, struct view_model *view_model,
                         enum screen_command command)
{
    struct panel_body body = panes_body(panes, view_model);

    if (!panel_body_move(&body, command))
        return false;
    if (body.list)
        panes_follow_selection(panes, view_model);
    return true;
}

/* Commands of one pane. Commands of the Kernel pane work at the prompt in every pane. */
static bool panel_command(struct panes *panes, struct view_model *view_model,
                          const struct call *call)
{
    bool is_of_kernel = call->row->context == CONTEXT_KERNEL;
    struct panel *panel = panes->panels[is_of_kernel ? PANE_KERNEL : panes->focus.pane];
    struct panel_answer wanted = {0};

    if (!panel->ops->command || !panel->ops->command(panel, view_model, call, &wanted))
        return false;
    answer(panes, view_model, wanted);
    return true;
}

/*
 * Show the trajectory in the Profile pane and give it the focus. If it already has the focus,
 * switch between trajectory and page; Escape also goes back to the page.
 */
static bool trajectory_command(struct panes *panes, const struct view_model *view_model,
                               const struct call *call)
{
    const struct call turn = {.row = keymap_row_of(COMMAND_TRAJECTORY), .argument = ""};
    struct panel *profile = panes->panels[PANE_PROFILE];
    bool is_shown = profile->ops->body(profile, view_model).list != NULL;
    bool has_focus = panes->focus.pane == PANE_PROFILE;
    struct panel_answer none;

    if (call->row->command != COMMAND_TRAJECTORY &&
        !(call->row->command == COMMAND_BACK && is_shown && has_focus))
        return false;
    if (has_focus || !is_shown)
        profile->ops->command(profile, view_model, &turn, &none);
    layout_focus_pane(&panes->focus, PANE_PROFILE);
    return true;
}

/* The sanitizer's findings are shown below the messages of the compiler. */
static bool sanitize_command(struct panes *panes, struct view_model *view_model,
                             const struct call *call)
{
    const char *tool = *call->argument ? call->argument : sanitizer_tools[0];

    if (call->row->command != COMMAND_SANITIZE)
        return false;
    candidate_questions_sanitize(view_model, tool);
    layout_focus_pane(&panes->focus, PANE_DIAGNOSTICS);
    return true;
}

/* The counters are shown in the Profile pane. */
static bool counters_command(struct view_model *view_model, const struct call *call)
{
    if (call->row->command != COMMAND_COUNTERS)
        return false;
    candidate_questions_profile(view_model);
    return true;
}

/* Escape ends the filter of the focused pane before anything else. */
static bool end_filter(const struct panes *panes, const struct view_model *view_model,
                       enum screen_command command)
{
    struct panel_body body = panes_body(panes, view_model);
    struct pattern *filter = panel_body_filter(&body);

    if (command != COMMAND_BACK || !filter->len)
        return false;
    pattern_set(filter, "");
    return true;
}

bool panes_command(struct panes *panes, struct view_model *view_model, const struct call *call)
{
    return end_filter(panes, view_model, call->row->command) || focus_command(panes, call->row) ||
           sanitize_command(panes, view_model, call) || counters_command(view_model, call) ||
           trajectory_command(panes, view_model, call) || panel_command(panes, view_model, call) ||
           body_command(panes, view_model, call->row->command);
}

/* Select the row under the mouse if the pane has a list; else the panel decides. */
static void select_row(struct panes *panes, struct view_model *view_model,
                       const struct layout *layout, const struct mouse *mouse)
{
    struct panel *panel = panes->panels[panes->focus.pane];
    struct panel_body body = panes_body(panes, view_model);
    int border = layout->kind >= LAYOUT_SINGLE;
    int y = mouse->y - layout->panes[panes->focus.pane].y - border - body.top;

    if (body.list && y >= 0 && widget_list_select_at(body.list, (size_t)y, body.rows.count))
        panes_follow_selection(panes, view_model);
    else if (panel->ops->press)
        answer(panes, view_model, panel->ops->press(panel, mouse->x, mouse->y));
}

static void press_in_pane(struct panes *panes, struct view_model *view_model,
                          const struct layout *layout, const struct mouse *mouse)
{
    for (enum pane pane = 0; pane < PANE_COUNT; pane++) {
        if (!rect_has(&layout->panes[pane], mouse->x, mouse->y))
            continue;
        layout_focus_pane(&panes->focus, pane);
        if (mouse->action == MOUSE_PRESSED)
            select_row(panes, view_model, layout, mouse);
        for (int i = 0; mouse->action != MOUSE_PRESSED && i < WHEEL_LINES; i++)
            body_command(panes, view_model,
                         mouse->action == MOUSE_WHEEL_UP ? COMMAND_UP : COMMAND_DOWN);
    }
}

void panes_mouse(struct panes *panes, struct view_model *view_model, const struct canvas *canvas,
                 struct mouse mouse)
{
    struct layout layout = layout_of(canvas->w, canvas->h, &panes->focus);
    enum pane tab = PANE_COUNT;

    if (rect_has(&layout.tabs, mouse.x, mouse.y) && mouse.action == MOUSE_PRESSED)
        tab = layout_tab_at(&layout, &panes->focus, mouse.x);
    if (tab < PANE_COUNT)
        layout_focus_pane(&panes->focus, tab);
    else
        press_in_pane(panes, view_model, &layout, &mouse);
}
