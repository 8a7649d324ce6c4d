#include "tui/panels/panel.h"

#include <stdlib.h>

#include "core/base/mem.h"

const struct panel_ops *const panel_list[PANE_COUNT] = {
    [PANE_STEPS] = &panel_steps,
    [PANE_CANDIDATES] = &panel_candidates,
    [PANE_KERNEL] = &panel_kernel,
    [PANE_DIAGNOSTICS] = &panel_diagnostics,
    [PANE_CORRECTNESS] = &panel_correctness,
    [PANE_PROFILE] = &panel_profile,
    [PANE_AGENTS] = &panel_agents,
};

struct panel *panel_new(const struct panel_ops *ops)
{
    struct panel *panel = mem_alloc_zeroed(1, ops->size);

    panel->ops = ops;
    if (ops->open)
        ops->open(panel);
    return panel;
}

void panel_free(struct panel *panel)
{
    panel->ops->release(panel);
    free(panel);
}

bool panel_awaits_verdict(const struct view_model *view_model)
{
    const struct driver_live *live = view_model->live;

    return !view_model->shown.has_verdict && live && live->progress.stage;
}

enum pane panel_of_step(enum step_kind kind)
{
    return kind == STEP_PROMPT || kind == STEP_RECOMMENDATION ? PANE_AGENTS : PANE_KERNEL;
}

bool panel_body_move(const struct panel_body *body, enum screen_command command)
{
    return body->text ? widget_text_scroll(body->text, command)
                      : widget_list_move(body->list, command, body->rows.count);
}

bool panel_body_find(const struct panel_body *body, const struct pattern *pattern, int direction)
{
    return body->text ? widget_text_find(body->text, pattern, direction)
                      : widget_list_find(body->list, &body->rows, pattern, direction);
}

struct pattern *panel_body_filter(const struct panel_body *body)
{
    return body->text ? &body->text->filter : &body->list->filter;
}

void panel_body_add_text(const struct panel_body *body, struct strbuf *out)
{
    if (body->text)
        widget_text_add_text(body->text, out);
    else if (body->list->selected < body->rows.count)
        widget_rows_add_text(&body->rows, body->list->selected, out);
}
