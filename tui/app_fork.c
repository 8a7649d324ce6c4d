#include <stdio.h>

#include "core/session/fork.h"
#include "tui/app_state.h"

/* A session of its own that begins as the one at work, up to a step of it. */

static enum status fork_at(struct app *app, unsigned step, const char *agent, struct error *err)
{
    struct recording parent = {0};
    struct fork_options options = {0};
    struct driver_options live = app->driver_options;
    char id[CATALOG_ID_SIZE];
    enum status st = recording_open(app->scene.session->id, &parent, err);

    if (!st)
        st = fork_read_options(&parent, &options, err);
    options.agent = agent;
    if (!st)
        st = fork_session(&parent, step, &options, id, err);
    recording_release(&parent);
    live.problem_path = NULL;
    live.resume = id;
    return st ? st : app_open_live(app, &live, err);
}

static void enter_agent(struct app *app, const char *agent)
{
    struct error err = {0};

    if (fork_at(app, app->asked_step, agent, &err))
        view_say(&app->view, ROLE_BAD, "%s", err.text);
}

void app_branch(struct app *app)
{
    static const struct app_prompt prompt = {.line = {.history = "agents"}, .entered = enter_agent};
    char label[VIEW_LABEL_SIZE];

    app->asked_step = app->scene.step;
    if (!app->asked_step) {
        view_say(&app->view, ROLE_WARNING, "no step yet to branch from");
        return;
    }
    snprintf(label, sizeof(label),
             "decide step %u anew in a session of its own, agent: ", app->asked_step);
    app_ask(app, &prompt, label, app->scene.session->agent);
}
