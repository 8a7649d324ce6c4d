#include "tui/screens/screen.h"

bool screen_call(struct screen *screen, const struct screen_binding *bindings,
                 const struct call *call)
{
    while (bindings->command && bindings->command != call->row->command)
        bindings++;
    if (!bindings->command)
        return false;
    bindings->run(screen, call);
    return true;
}

/* Repeat the error as a message, because a pane may be too narrow for its text. */
static void on_query(void *data, const struct candidate_query *query)
{
    struct screen_host *host = data;

    if (*query->trouble)
        chrome_say(host->chrome, ROLE_BAD, "%s: %s", query->what, query->trouble);
    host->ops->changed(host);
}

struct candidate_query_options screen_query_options(struct screen_host *host)
{
    return (struct candidate_query_options){
        .loop = host->loop, .worker = host->options->evaluator, .changed = on_query, .data = host};
}

void screen_scroll(const struct panel_body *body, struct mouse mouse)
{
    panel_body_move(body, mouse.action == MOUSE_WHEEL_UP ? COMMAND_UP : COMMAND_DOWN);
}

void screen_read_on(struct screen *screen, const struct panes *panes)
{
    if (panes->is_loading)
        screen->host->ops->draw_later(screen->host, 0);
}

void screen_pin_layout(struct screen_host *host, const struct panes *panes, const char *name)
{
    struct chrome *chrome = host->chrome;
    struct error err = {0};
    char key[KEYMAP_KEY_SIZE];

    if (layout_pin_set(&chrome->pinned, layout_scene(&panes->focus), name, &err))
        chrome_say_error(chrome, &err);
    else if (chrome->pinned)
        chrome_say(chrome, ROLE_TEXT, "layout %s is pinned: %s lets it follow the step again",
                   scene_name(chrome->pinned), keymap_key_of(&chrome->keymap, COMMAND_LAYOUT, key));
    else
        chrome_say(chrome, ROLE_TEXT, "the layout follows the step");
}
