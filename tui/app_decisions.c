#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "core/base/clock.h"
#include "tui/app_state.h"
#include "tui/editor.h"

/* For how long a decision has to be seen before it can be taken. */
enum { ARMING_US = 300000 };

/* The step that waits, if it is the one in view; else 0. */
static unsigned step_in_view(const struct app *app)
{
    const struct step *step = scene_waiting(&app->scene);

    return step && app->scene.step == step->number ? step->number : 0;
}

bool app_is_armed(const struct app *app)
{
    unsigned step = step_in_view(app);

    return step && step == app->seen_step && clock_now_us() >= app->armed_us;
}

/* A step that has just been shown is armed later, and shown again then. */
void app_arm(struct app *app)
{
    unsigned step = step_in_view(app);

    if (step != app->seen_step)
        app->armed_us = app->drawn_us + ARMING_US;
    app->seen_step = step;
    if (step && app->drawn_us < app->armed_us)
        app_draw_later(app, app->armed_us - app->drawn_us);
}

/*
 * The step that can be decided now.  A key that comes too early is dropped,
 * and moves the moment on, so that a whole row of keys typed ahead is.
 */
static const struct step *decidable(struct app *app)
{
    const struct step *step = scene_waiting(&app->scene);

    if (step && app_is_armed(app))
        return step;
    if (step && app->scene.step != step->number)
        scene_look_at_step(&app->scene, step->number);
    app->armed_us = clock_now_us() + ARMING_US;
    return NULL;
}

static bool decide(struct app *app, unsigned step, enum decision decision, const char *words)
{
    const struct ruling ruling = {.step = step,
                                  .decision = decision,
                                  .text = decision == DECISION_EDITED ? words : NULL,
                                  .reason = decision == DECISION_VETOED ? words : NULL};
    struct error err = {0};

    if (!driver_decide(app->driver, &ruling, &err))
        return true;
    view_say(&app->view, ROLE_BAD, "%s", err.text);
    return false;
}

/* From here on policies decide, on every kind of step. */
static void run_on(struct app *app, unsigned step)
{
    struct error err = {0};
    enum status st = STATUS_OK;

    if (!decide(app, step, DECISION_ACCEPTED, NULL))
        return;
    for (enum step_kind kind = 0; !st && kind < (enum step_kind)STEP_KINDS; kind++)
        st = driver_set_policy(app->driver, kind, GATE_AUTO, &err);
    if (st)
        view_say(&app->view, ROLE_BAD, "%s", err.text);
}

/* Editing. */

static enum status run_editor(struct app *app, const char *path, struct error *err)
{
    char *command = editor_command(path);
    const char *const argv[] = {"sh", "-c", command, NULL};
    enum status st = app->term ? term_run(app->term, argv, err)
                               : error_set(err, STATUS_UNAVAILABLE, "editing needs a terminal");

    free(command);
    return st;
}

static void edit(struct app *app, const struct step *step)
{
    bool has_draft = app->draft.len > 0 && app->edited_step == step->number;
    const struct strbuf *text = has_draft ? &app->draft : &app->scene.step_text;
    struct error err = {0};
    enum status st = editor_write(strbuf_cstr(text), &app->edited_path, &err);

    app->edited_step = step->number;
    if (!st)
        st = run_editor(app, app->edited_path, &err);
    if (!st)
        return;
    view_say(&app->view, ROLE_BAD, "%s", err.text);
    free(app->edited_path);
    app->edited_path = NULL;
}

/* Take what the editor left, if it is an edit of what still waits. */
static void take_draft(struct app *app)
{
    const struct step *step = scene_waiting(&app->scene);

    if (!step || step->number != app->edited_step) {
        view_say(&app->view, ROLE_WARNING, "step %u waits no more", app->edited_step);
        return;
    }
    scene_look_at_step(&app->scene, step->number);
    if (strcmp(strbuf_cstr(&app->draft), strbuf_cstr(&app->scene.step_text)) == 0)
        view_say(&app->view, ROLE_TEXT, "unchanged: step %u still waits", step->number);
    else if (!decide(app, step->number, DECISION_EDITED, strbuf_cstr(&app->draft)))
        return; /* the draft stays for another try */
    strbuf_release(&app->draft);
}

void app_take_edit(struct app *app, int wait_status)
{
    struct error err = {0};

    strbuf_release(&app->draft);
    if (!WIFEXITED(wait_status) || WEXITSTATUS(wait_status) != 0)
        view_say(&app->view, ROLE_WARNING, "the editor failed; the text is in %s",
                 app->edited_path);
    else if (editor_read(app->edited_path, &app->draft, &err))
        view_say(&app->view, ROLE_BAD, "%s", err.text);
    else
        take_draft(app);
    free(app->edited_path);
    app->edited_path = NULL;
    app_changed(app);
}

/* Vetoes. */

static void enter_reason(struct app *app, const char *text)
{
    decide(app, app->vetoed_step, DECISION_VETOED, text);
}

static void veto(struct app *app, const struct step *step, const char *reason)
{
    static const struct app_prompt prompt = {.entered = enter_reason};
    char label[VIEW_LABEL_SIZE];

    app->vetoed_step = step->number;
    if (*reason) {
        enter_reason(app, reason);
        return;
    }
    snprintf(label, sizeof(label), "veto step %u, because: ", step->number);
    app_ask(app, &prompt, label, "");
}

void app_decide(struct app *app, const struct call *call)
{
    const struct step *step = decidable(app);

    if (!step)
        return;
    switch ((int)call->row->command) {
    case COMMAND_ACCEPT:
        decide(app, step->number, DECISION_ACCEPTED, NULL);
        break;
    case COMMAND_RUN_ON:
        run_on(app, step->number);
        break;
    case COMMAND_EDIT:
        edit(app, step);
        break;
    case COMMAND_VETO:
        veto(app, step, call->argument);
        break;
    default:
        break;
    }
}
