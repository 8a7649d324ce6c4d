#include "tui/screens/session_fork.h"

#include <stdio.h>

#include "core/session/recorded/fork.h"

enum status session_fork_open(struct screen_host *host, const struct recording *parent,
                              unsigned step, const char *agent, struct error *err)
{
    struct driver_options live = *host->options;
    struct fork_options options = {0};
    char id[CATALOG_ID_SIZE];
    enum status st = fork_read_options(parent, &options, err);

    options.agent = agent;
    options.gate = live.gate;
    if (!st)
        st = fork_session(parent, step, &options, id, err);
    live.problem_path = NULL;
    live.resume = id;
    return st ? st : host->ops->open_session(host, &live, err);
}

void session_fork_ask(struct screen_host *host, const struct screen_prompt *prompt, void *data,
                      const struct view_model *view_model)
{
    char label[CHROME_LABEL_SIZE];

    if (!view_model->step) {
        chrome_say(host->chrome, ROLE_WARNING, "fork: the session has no step yet");
        return;
    }
    snprintf(label, sizeof(label), "fork: decide step %u again, agent: ", view_model->step);
    host->ops->ask(host, prompt, data, label, view_model->session->agent);
}
