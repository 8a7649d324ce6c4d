#include <stdio.h>

#include "core/session/recorded/fork.h"
#include "tui/app/app_state.h"

/* A session of its own that begins as another one, up to a step of it. */

/* Who decides is as it was said on the command line: the other session may have run by itself. */
enum status app_open_fork(struct app *app, const struct recording *parent, unsigned step,
                          const char *agent, struct error *err)
{
    struct driver_options live = app->driver_options;
    struct fork_options options = {0};
    char id[CATALOG_ID_SIZE];
    enum status st = fork_read_options(parent, &options, err);

    options.agent = agent;
    options.gate = live.gate;
    if (!st)
        st = fork_session(parent, step, &options, id, err);
    live.problem_path = NULL;
    live.resume = id;
    return st ? st : app_open_live(app, &live, err);
}

void app_ask_for_fork(struct app *app, const struct app_prompt *prompt,
                      const struct view_model *view_model)
{
    char label[CHROME_LABEL_SIZE];

    if (!view_model->step) {
        chrome_say(&app->chrome, ROLE_WARNING, "no step here yet to decide anew");
        return;
    }
    snprintf(label, sizeof(label),
             "decide step %u anew in a session of its own, agent: ", view_model->step);
    app_ask(app, prompt, label, view_model->session->agent);
}
