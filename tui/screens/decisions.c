#include "tui/screens/decisions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "core/base/array.h"
#include "core/system/clock.h"
#include "tui/frame/completion.h"

/* A step can be decided after it has been on the screen for this long. */
enum { ARMING_US = 300000 };

/* The waiting step if it is in view, else 0. */
static unsigned step_in_view(const struct decisions *decisions)
{
    const struct step *step = view_model_waiting(decisions->view_model);

    return step && decisions->view_model->step == step->number ? step->number : 0;
}

static bool is_armed(const struct decisions *decisions)
{
    unsigned step = step_in_view(decisions);

    return step && step == decisions->seen_step && clock_now_us() >= decisions->armed_us;
}

bool decisions_note_armed(struct decisions *decisions)
{
    decisions->is_drawn_armed = is_armed(decisions);
    return decisions->is_drawn_armed;
}

/*
 * Draw again when the step is armed, because the decision bar then looks different. The step may
 * already have become armed while the frame was drawn.
 */
void decisions_shown(struct decisions *decisions, int64_t now_us)
{
    unsigned step = step_in_view(decisions);

    if (step != decisions->seen_step)
        decisions->armed_us = now_us + ARMING_US;
    decisions->seen_step = step;
    if (step && !decisions->is_drawn_armed)
        decisions->host->ops->draw_later(
            decisions->host, now_us < decisions->armed_us ? decisions->armed_us - now_us : 0);
}

enum pane decisions_note_read(struct decisions *decisions, const struct layout *layout)
{
    const struct step *step = view_model_waiting(decisions->view_model);
    enum pane pane = panel_of_step(step ? step->kind : STEP_KEEP);
    struct panel_body body = panes_body_of(decisions->panes, decisions->view_model, pane);
    bool is_here = step && step->number == decisions->view_model->step &&
                   layout->panes[pane].w > 0 && !body.is_aside;

    if (step)
        read_progress_take(&decisions->read_progress, step->number, is_here ? body.text : NULL);
    return pane;
}

/*
 * The step that can be decided now, or NULL.  A key that comes too early is
 * dropped and delays the arming, so a series of keys typed ahead is dropped as
 * a whole.
 */
static const struct step *decidable(struct decisions *decisions)
{
    const struct step *step = view_model_waiting(decisions->view_model);

    if (step && is_armed(decisions))
        return step;
    if (step && decisions->view_model->step != step->number)
        view_model_look_at_step(decisions->view_model, step->number);
    decisions->armed_us = clock_now_us() + ARMING_US;
    return NULL;
}

static bool decide(struct decisions *decisions, const struct ruling *ruling)
{
    struct error err = {0};
    enum status st = decisions->driver ? driver_decide(decisions->driver, ruling, &err)
                                       : decisions->hand(decisions->hand_data, ruling, &err);

    if (!st)
        return true;
    chrome_say_error(decisions->host->chrome, &err);
    return false;
}

static bool accept_step(struct decisions *decisions, unsigned step)
{
    return decide(decisions, &(struct ruling){.step = step, .decision = DECISION_ACCEPTED});
}

static enum status run_editor(struct screen_host *host, const struct edit *edit, struct error *err)
{
    char *command = edit_command(edit);
    const char *const argv[] = {"sh", "-c", command, NULL};
    enum status st = host->ops->run_program(host, argv, err);

    free(command);
    return st;
}

/* Prompts and recommendations are prose; the other steps propose a kernel. */
static const char *language_of_step(const struct decisions *decisions, const struct step *step)
{
    bool has_kernel = step->kind == STEP_CANDIDATE || step->kind == STEP_KEEP;

    return has_kernel ? session_language(decisions->view_model->session, step->attempt) : NULL;
}

static void edit(struct decisions *decisions, const struct step *step)
{
    bool has_draft = decisions->draft.len > 0 && decisions->edited_step == step->number;
    const struct strbuf *text = has_draft ? &decisions->draft : &decisions->view_model->step_text;
    struct error err = {0};
    enum status st =
        edit_begin(&decisions->edit, strbuf_cstr(text), language_of_step(decisions, step), &err);

    decisions->edited_step = step->number;
    if (!st)
        st = run_editor(decisions->host, &decisions->edit, &err);
    if (!st)
        return;
    chrome_say_error(decisions->host->chrome, &err);
    edit_end(&decisions->edit);
}

/* Decide with the draft, if its step still waits and the text has changed. */
static void take_draft(struct decisions *decisions)
{
    const struct step *step = view_model_waiting(decisions->view_model);

    if (!step || step->number != decisions->edited_step) {
        chrome_say(decisions->host->chrome, ROLE_WARNING,
                   "step %u no longer waits: the edit is dropped", decisions->edited_step);
        return;
    }
    view_model_look_at_step(decisions->view_model, step->number);
    if (strcmp(strbuf_cstr(&decisions->draft), strbuf_cstr(&decisions->view_model->step_text)) == 0)
        chrome_say(decisions->host->chrome, ROLE_TEXT, "no change: step %u still waits",
                   step->number);
    else if (!decide(decisions, &(struct ruling){.step = step->number,
                                                 .decision = DECISION_EDITED,
                                                 .text = strbuf_cstr(&decisions->draft)}))
        return; /* the next edit starts from this draft */
    strbuf_release(&decisions->draft);
}

void decisions_take_edit(struct decisions *decisions, int wait_status)
{
    struct error err = {0};

    strbuf_release(&decisions->draft);
    if (!WIFEXITED(wait_status) || WEXITSTATUS(wait_status) != 0) {
        chrome_say(decisions->host->chrome, ROLE_WARNING, "the editor failed; your text is in %s",
                   decisions->edit.folder);
        edit_leave(&decisions->edit);
    } else if (edit_read(&decisions->edit, &decisions->draft, &err)) {
        chrome_say_error(decisions->host->chrome, &err);
        edit_leave(&decisions->edit);
    } else {
        edit_end(&decisions->edit);
        take_draft(decisions);
    }
    decisions->host->ops->changed(decisions->host);
}

static void enter_reason(void *data, const char *text)
{
    struct decisions *decisions = data;

    decide(decisions, &(struct ruling){.step = decisions->asked_step,
                                       .decision = DECISION_VETOED,
                                       .reason = text});
}

static void enter_instruction(void *data, const char *text)
{
    struct decisions *decisions = data;

    decide(decisions, &(struct ruling){.step = decisions->asked_step,
                                       .decision = DECISION_RETRIED,
                                       .reason = text});
}

void decisions_run_on(struct decisions *decisions, const char *text)
{
    struct run_limits limits;
    struct error err = {0};

    if (run_limits_parse(text, &limits, &err) || driver_run_on(decisions->driver, &limits, &err))
        chrome_say_error(decisions->host->chrome, &err);
}

static void enter_limits(void *data, const char *text)
{
    struct decisions *decisions = data;
    struct run_limits limits;
    struct error err = {0};

    if (run_limits_parse(text, &limits, &err))
        chrome_say_error(decisions->host->chrome, &err);
    else if (accept_step(decisions, decisions->asked_step))
        decisions_run_on(decisions, text);
}

/* The prompt reads "VERB step N, ASKED: ". */
static const struct question {
    enum screen_command command;
    const char *verb, *asked;
    struct screen_prompt prompt;
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

static void ask(struct decisions *decisions, unsigned step, const struct question *question,
                const char *answer)
{
    char label[CHROME_LABEL_SIZE];

    decisions->asked_step = step;
    if (*answer) {
        question->prompt.entered(decisions, answer);
        return;
    }
    snprintf(label, sizeof(label), "%s step %u, %s: ", question->verb, step, question->asked);
    decisions->host->ops->ask(decisions->host, &question->prompt, decisions, label, "");
}

/*
 * True if the step's text is on the screen. Otherwise show it, because an unseen text cannot be
 * approved.
 */
static bool is_on_screen(struct decisions *decisions, const struct step *step)
{
    if (decisions->read_progress.is_here)
        return true;
    panes_follow_step(decisions->panes, decisions->view_model, true);
    panes_show_proposal(decisions->panes, panel_of_step(step->kind));
    chrome_say(decisions->host->chrome, ROLE_WARNING,
               "pane %d shows step %u now: read it, then press the key again",
               (int)panel_of_step(step->kind) + 1, step->number);
    decisions->armed_us = clock_now_us() + ARMING_US;
    return false;
}

void decisions_take(struct decisions *decisions, const struct call *call)
{
    enum screen_command command = call->row->command;
    const struct question *question = question_of(command);
    const struct step *step = decidable(decisions);
    bool is_approval = command == COMMAND_ACCEPT || command == COMMAND_RUN_ON;

    if (command == COMMAND_RUN_ON && !decisions->driver) {
        chrome_say(decisions->host->chrome, ROLE_WARNING, "run-on: open the session for that");
        return;
    }
    if (!step || (is_approval && !is_on_screen(decisions, step)))
        return;
    if (question)
        ask(decisions, step->number, question, call->argument);
    else if (command == COMMAND_ACCEPT)
        accept_step(decisions, step->number);
    else if (command == COMMAND_EDIT)
        edit(decisions, step);
}

void decisions_request(struct decisions *decisions, const struct call *call)
{
    static const struct {
        enum screen_command command, other;
        enum status (*make)(struct driver *driver, struct error *err);
        const char *done, *then; /* texts before and after the key of the opposite command */
    } requests[] = {
        {COMMAND_UNDO, COMMAND_REDO, driver_undo, "decision undone; ", " redoes it"},
        {COMMAND_REDO, COMMAND_UNDO, driver_redo, "decision redone; ", " undoes it"},
        {COMMAND_END_RUN, COMMAND_NONE, driver_end_run, "you decide the next step", ""}};
    struct chrome *chrome = decisions->host->chrome;
    char key[KEYMAP_KEY_SIZE] = "";
    struct error err = {0};

    for (size_t i = 0; i < COUNT(requests); i++) {
        if (requests[i].command != call->row->command)
            continue;
        if (requests[i].other)
            keymap_key_of(&chrome->keymap, requests[i].other, key);
        if (requests[i].make(decisions->driver, &err))
            chrome_say_error(chrome, &err);
        else
            chrome_say(chrome, ROLE_TEXT, "%s%s%s", requests[i].done, key, requests[i].then);
    }
}

void decisions_release(struct decisions *decisions)
{
    edit_leave(&decisions->edit);
    strbuf_release(&decisions->draft);
    *decisions = (struct decisions){0};
}
