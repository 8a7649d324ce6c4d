#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "core/base/array.h"
#include "core/system/clock.h"
#include "tui/app/app_state.h"
#include "tui/frame/completion.h"
#include "tui/screens/editor.h"

/* For how long a decision has to be seen before it can be taken. */
enum { ARMING_US = 300000 };

/* The step that waits, if it is the one in view; else 0. */
static unsigned step_in_view(const struct app *app)
{
    const struct step *step = view_model_waiting(&app->view_model);

    return step && app->view_model.step == step->number ? step->number : 0;
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
    const struct step *step = view_model_waiting(&app->view_model);

    if (step && app_is_armed(app))
        return step;
    if (step && app->view_model.step != step->number)
        view_model_look_at_step(&app->view_model, step->number);
    app->armed_us = clock_now_us() + ARMING_US;
    return NULL;
}

static bool decide(struct app *app, const struct ruling *ruling)
{
    struct error err = {0};

    if (!driver_decide(app->driver, ruling, &err))
        return true;
    chrome_say(&app->chrome, ROLE_BAD, "%s", err.text);
    return false;
}

static bool accept_step(struct app *app, unsigned step)
{
    return decide(app, &(struct ruling){.step = step, .decision = DECISION_ACCEPTED});
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
    const struct strbuf *text = has_draft ? &app->draft : &app->view_model.step_text;
    struct error err = {0};
    enum status st = editor_write(strbuf_cstr(text), &app->edited_path, &err);

    app->edited_step = step->number;
    if (!st)
        st = run_editor(app, app->edited_path, &err);
    if (!st)
        return;
    chrome_say(&app->chrome, ROLE_BAD, "%s", err.text);
    free(app->edited_path);
    app->edited_path = NULL;
}

/* Take what the editor left, if it is an edit of what still waits. */
static void take_draft(struct app *app)
{
    const struct step *step = view_model_waiting(&app->view_model);

    if (!step || step->number != app->edited_step) {
        chrome_say(&app->chrome, ROLE_WARNING, "step %u waits no more", app->edited_step);
        return;
    }
    view_model_look_at_step(&app->view_model, step->number);
    if (strcmp(strbuf_cstr(&app->draft), strbuf_cstr(&app->view_model.step_text)) == 0)
        chrome_say(&app->chrome, ROLE_TEXT, "unchanged: step %u still waits", step->number);
    else if (!decide(app, &(struct ruling){.step = step->number,
                                           .decision = DECISION_EDITED,
                                           .text = strbuf_cstr(&app->draft)}))
        return; /* the draft stays for another try */
    strbuf_release(&app->draft);
}

void app_take_edit(struct app *app, int wait_status)
{
    struct error err = {0};

    strbuf_release(&app->draft);
    if (!WIFEXITED(wait_status) || WEXITSTATUS(wait_status) != 0)
        chrome_say(&app->chrome, ROLE_WARNING, "the editor failed; the text is in %s",
                   app->edited_path);
    else if (editor_read(app->edited_path, &app->draft, &err))
        chrome_say(&app->chrome, ROLE_BAD, "%s", err.text);
    else
        take_draft(app);
    free(app->edited_path);
    app->edited_path = NULL;
    app_changed(app);
}

/* What asks for a text first. */

static void enter_reason(struct app *app, const char *text)
{
    decide(app,
           &(struct ruling){.step = app->asked_step, .decision = DECISION_VETOED, .reason = text});
}

static void enter_instruction(struct app *app, const char *text)
{
    decide(app,
           &(struct ruling){.step = app->asked_step, .decision = DECISION_RETRIED, .reason = text});
}

void app_run_on(struct app *app, const char *text)
{
    struct run_limits limits;
    struct error err = {0};

    if (run_limits_parse(text, &limits, &err) || driver_run_on(app->driver, &limits, &err))
        chrome_say(&app->chrome, ROLE_BAD, "%s", err.text);
}

static void enter_limits(struct app *app, const char *text)
{
    struct run_limits limits;
    struct error err = {0};

    if (run_limits_parse(text, &limits, &err))
        chrome_say(&app->chrome, ROLE_BAD, "%s", err.text);
    else if (accept_step(app, app->asked_step))
        app_run_on(app, text);
}

static const struct question {
    enum screen_command command;
    const char *verb, *asked;
    struct app_prompt prompt;
} questions[] = {
    {COMMAND_VETO, "veto", "because", {.entered = enter_reason}},
    {COMMAND_RETRY, "retry", "but", {.entered = enter_instruction}},
    {COMMAND_RUN_ON,
     "accept",
     "and run on until (Tab: 3, failure, slower, $0.50)",
     {.line = {.complete = completion_of_run}, .entered = enter_limits}},
};

static const struct question *question_of(enum screen_command command)
{
    for (size_t i = 0; i < COUNT(questions); i++)
        if (questions[i].command == command)
            return &questions[i];
    return NULL;
}

static void ask(struct app *app, unsigned step, const struct question *question, const char *answer)
{
    char label[CHROME_LABEL_SIZE];

    app->asked_step = step;
    if (*answer) {
        question->prompt.entered(app, answer);
        return;
    }
    snprintf(label, sizeof(label), "%s step %u, %s: ", question->verb, step, question->asked);
    app_ask(app, &question->prompt, label, "");
}

/* What is not on the screen is not approved: it comes into sight instead. */
static bool is_in_sight(struct app *app, const struct step *step)
{
    if (app->read_progress.is_here)
        return true;
    panes_show_proposal(&app->panes, panel_of_step(step->kind));
    app->armed_us = clock_now_us() + ARMING_US;
    return false;
}

void app_decide(struct app *app, const struct call *call)
{
    enum screen_command command = call->row->command;
    const struct question *question = question_of(command);
    const struct step *step = decidable(app);
    bool is_approval = command == COMMAND_ACCEPT || command == COMMAND_RUN_ON;

    if (!step || (is_approval && !is_in_sight(app, step)))
        return;
    if (question)
        ask(app, step->number, question, call->argument);
    else if (command == COMMAND_ACCEPT)
        accept_step(app, step->number);
    else if (command == COMMAND_EDIT)
        edit(app, step);
}

/* A reply in the model's place. */

/* Whether a person is asked in the model's place. */
static bool awaits_reply(const struct app *app)
{
    static const char manual[] = "manual";
    const char *agent = app->view_model.session->agent;

    return driver_live(app->driver)->busy == BUSY_AGENT && agent &&
           strncmp(agent, manual, strlen(manual)) == 0;
}

static void send_reply(struct app *app, const char *text)
{
    struct error err = {0};

    (void)text; /* what is typed beside it */
    if (driver_answer(app->driver, strbuf_cstr(&app->pasted), &err))
        chrome_say(&app->chrome, ROLE_BAD, "%s", err.text);
    else
        chrome_say(&app->chrome, ROLE_TEXT, "sent");
    strbuf_release(&app->pasted);
}

static void forget_reply(struct app *app)
{
    strbuf_release(&app->pasted);
}

void app_take_reply(struct app *app, const char *text, size_t len)
{
    static const struct app_prompt prompt = {.entered = send_reply, .left = forget_reply};
    char label[CHROME_LABEL_SIZE];

    if (!awaits_reply(app))
        return;
    strbuf_release(&app->pasted);
    strbuf_add(&app->pasted, text, len);
    snprintf(label, sizeof(label), "%zu bytes pasted: Enter sends them as the reply, Escape not ",
             len);
    app_ask(app, &prompt, label, "");
}
