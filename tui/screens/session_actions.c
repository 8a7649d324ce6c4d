#include "tui/screens/session_actions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/session/recorded/export.h"
#include "core/session/recorded/fork.h"
#include "core/system/file.h"

enum status session_actions_fork(struct screen_host *host, const struct recording *parent,
                                 unsigned step, const char *agent, struct error *err)
{
    struct driver_options live = *host->options;
    struct fork_options options = {0};
    char id[CATALOG_ID_SIZE];
    enum status st = fork_read_options(parent, &options, err);

    if (!st && strcmp(agent, options.agent) != 0)
        options.roles.other_count = 0;
    options.agent = agent;
    options.gate = live.gate;
    if (!st)
        st = fork_session(parent, step, &options, id, err);
    live.problem_path = NULL;
    live.resume = id;
    return st ? st : host->ops->open_session(host, &live, err);
}

void session_actions_fork_by_id(struct screen_host *host, const char *id, unsigned step,
                                const char *agent)
{
    struct recording parent = {0};
    struct error err = {0};
    enum status st = recording_open(id, &parent, &err);

    if (!st)
        st = session_actions_fork(host, &parent, step, agent, &err);
    if (st)
        chrome_say_error(host->chrome, &err);
    recording_release(&parent);
}

void session_actions_ask_for_fork(struct screen_host *host, const struct screen_prompt *prompt,
                                  void *data, const struct view_model *view_model)
{
    char label[CHROME_LABEL_SIZE];

    if (!view_model->step) {
        chrome_say(host->chrome, ROLE_WARNING, "fork: the session has no step yet");
        return;
    }
    snprintf(label, sizeof(label), "fork: decide step %u again, agent: ", view_model->step);
    host->ops->ask(host, prompt, data, label, view_model->session->agent);
}

void session_actions_export_or_ask(struct screen *screen, const struct screen_prompt *prompt,
                                   const char *folder)
{
    if (*folder)
        prompt->entered(screen, folder);
    else
        screen->host->ops->ask(screen->host, prompt, screen,
                               "export the best kernel into a new folder: ", "");
}

static enum status export_best(const char *id, const char *folder, struct error *err)
{
    struct recording recording = {0};
    const struct attempt *best;
    enum status st = recording_open(id, &recording, err);

    if (st)
        return st;
    best = session_attempt(&recording.session, recording.session.now.best);
    st = best ? export_candidate(&recording, best, folder, err)
              : error_set(err, STATUS_NOT_FOUND, "session %s has kept no candidate", id);
    recording_release(&recording);
    return st;
}

void session_actions_export(struct screen_host *host, const char *id, const char *folder)
{
    struct error err = {0};
    char *path;

    if (!*folder)
        return;
    path = file_expand_home(folder);
    if (export_best(id, path, &err))
        chrome_say_error(host->chrome, &err);
    else
        chrome_say(host->chrome, ROLE_GOOD, "the best kernel of %s is in %s", id, path);
    free(path);
}

/* Write the picture into the cache folder; the caller frees its path. */
static enum status write_picture(const struct view_model *view_model, const char *id, char **path,
                                 struct error *err)
{
    char *cache = file_place_folder(FILE_CACHE), *folder = file_join(cache, "images");
    struct strbuf bytes = {0}, name = {0};
    enum status st = view_model->source.text(view_model->source.data, id, &bytes, err);

    strbuf_addf(&name, "picture-%.12s.png", id);
    *path = file_join(folder, strbuf_cstr(&name));
    if (!st)
        st = file_make_folder(folder, err);
    if (!st)
        st = file_write(*path, bytes.data, bytes.len, err);
    strbuf_release(&bytes);
    strbuf_release(&name);
    free(folder);
    free(cache);
    return st;
}

void session_actions_show_picture(struct screen_host *host, const struct view_model *view_model)
{
    const struct attempt *attempt = session_attempt(view_model->session, view_model->attempt);
    const char *argv[] = {"/proc/self/exe", "picture", "--wait", NULL, NULL};
    struct error err = {0};
    char *path = NULL;

    if (!attempt || !attempt->picture[0]) {
        chrome_say(host->chrome, ROLE_TEXT,
                   "this attempt has no picture of a profiler: kforge run --picture takes them");
        return;
    }
    if (!write_picture(view_model, attempt->picture, &path, &err)) {
        argv[3] = path;
        (void)!host->ops->run_program(host, argv, &err);
    }
    if (err.code)
        chrome_say_error(host->chrome, &err);
    free(path);
}
