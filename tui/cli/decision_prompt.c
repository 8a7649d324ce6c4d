#include "tui/cli/decision_prompt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/format.h"
#include "core/base/mem.h"
#include "core/base/utf8.h"
#include "core/session/state/scale.h"
#include "core/system/lines.h"
#include "core/system/loop.h"
#include "tui/cli/command.h"
#include "tui/screens/editor.h"

enum { SHOWN_LINES = 16 };

struct decision_prompt {
    struct loop *loop;
    struct driver *driver;
    struct lines lines;
    decision_prompt_over_fn *over;
    void *data; /* for `over` */
};

struct answer {
    const char *key;
    const char *name;
    const char *help; /* NULL: the name is enough */
    void (*give)(struct decision_prompt *prompt, const struct step *step, const char *words);
};

static void on_input(void *data, int fd, unsigned ready);

struct decision_prompt *decision_prompt_new(struct loop *loop, struct driver *driver,
                                            decision_prompt_over_fn *over, void *data)
{
    struct decision_prompt *prompt = mem_alloc_zeroed(1, sizeof(*prompt));

    prompt->loop = loop;
    prompt->driver = driver;
    prompt->over = over;
    prompt->data = data;
    return prompt;
}

void decision_prompt_free(struct decision_prompt *prompt)
{
    if (!prompt)
        return;
    loop_unwatch(prompt->loop, STDIN_FILENO);
    lines_release(&prompt->lines);
    free(prompt);
}

/* Print the first `limit` lines, and the number of lines that are left out. */
static void print_text(const char *text, size_t limit)
{
    struct strbuf visible = {0};
    const char *line;
    size_t count = 0;

    utf8_add_visible(&visible, text, strlen(text));
    line = strbuf_cstr(&visible);
    while (*line) {
        size_t len = strcspn(line, "\n");

        if (count++ < limit)
            printf("  | %.*s\n", (int)len, line);
        line += len + (line[len] == '\n');
    }
    if (count > limit)
        printf("  | %zu more lines: s shows them\n", count - limit);
    strbuf_release(&visible);
}

static void show_text(struct decision_prompt *prompt, const struct step *step, size_t limit)
{
    struct strbuf text = {0};
    struct error err;

    if (driver_text(prompt->driver, step->text, &text, &err))
        command_notice(NULL, err.text);
    else
        print_text(strbuf_cstr(&text), limit);
    strbuf_release(&text);
}

/* The outcome and the gain, for a decision to keep a candidate. */
static void show_verdict(struct decision_prompt *prompt, const struct step *step)
{
    const struct attempt *attempt = session_attempt(driver_session(prompt->driver), step->attempt);
    char gain[FORMAT_SIZE], interval[FORMAT_SIZE];
    struct strbuf result = {0};

    if (step->kind != STEP_KEEP)
        return;
    scale_describe_result(driver_session(prompt->driver), attempt, &result);
    command_print("  %s: %s\n", outcome_name(attempt->outcome), strbuf_cstr(&result));
    strbuf_release(&result);
    if (attempt->gain > 0)
        printf("  %s %s over the best so far\n", format_gain(gain, attempt->gain),
               attempt->gain_low > 0 ? format_gain_interval(interval, attempt->gain,
                                                            attempt->gain_low, attempt->gain_high)
                                     : "in too few rounds");
}

static void ask_again(struct decision_prompt *prompt, const struct step *step,
                      const struct error *err)
{
    command_notice(NULL, err->text);
    decision_prompt_show(prompt, step);
}

static void decide(struct decision_prompt *prompt, const struct step *step,
                   const struct ruling *ruling)
{
    struct error err;

    loop_unwatch(prompt->loop, STDIN_FILENO);
    if (driver_decide(prompt->driver, ruling, &err))
        ask_again(prompt, step, &err);
}

static void give_accept(struct decision_prompt *prompt, const struct step *step, const char *words)
{
    (void)words;
    decide(prompt, step, &(struct ruling){.step = step->number, .decision = DECISION_ACCEPTED});
}

static void give_veto(struct decision_prompt *prompt, const struct step *step, const char *words)
{
    decide(prompt, step,
           &(struct ruling){.step = step->number, .decision = DECISION_VETOED, .reason = words});
}

static void give_retry(struct decision_prompt *prompt, const struct step *step, const char *words)
{
    decide(prompt, step,
           &(struct ruling){.step = step->number, .decision = DECISION_RETRIED, .reason = words});
}

static void give_edit(struct decision_prompt *prompt, const struct step *step, const char *words)
{
    const char *language = session_language(driver_session(prompt->driver), step->attempt);
    bool has_kernel = step->kind == STEP_CANDIDATE || step->kind == STEP_KEEP;
    struct strbuf text = {0}, edited = {0};
    struct error err;
    enum status st = driver_text(prompt->driver, step->text, &text, &err);

    (void)words;
    if (!st)
        st = edit_run(strbuf_cstr(&text), has_kernel ? language : NULL, &edited, &err);
    if (!st)
        decide(prompt, step,
               &(struct ruling){.step = step->number,
                                .decision = DECISION_EDITED,
                                .text = strbuf_cstr(&edited)});
    else
        ask_again(prompt, step, &err);
    strbuf_release(&text);
    strbuf_release(&edited);
}

static void give_show(struct decision_prompt *prompt, const struct step *step, const char *words)
{
    (void)words;
    show_text(prompt, step, SIZE_MAX);
    decision_prompt_show(prompt, step);
}

/*
 * Accept, and let the policy decide until a limit is reached; without a limit, to the end of the
 * session.
 */
static void give_run_on(struct decision_prompt *prompt, const struct step *step, const char *words)
{
    struct run_limits limits;
    struct error err;

    if (run_limits_parse(words, &limits, &err) || driver_run_on(prompt->driver, &limits, &err))
        ask_again(prompt, step, &err);
    else
        give_accept(prompt, step, NULL);
}

static void leave_step(struct decision_prompt *prompt, const struct step *step,
                       enum status (*leave)(struct driver *driver, struct error *err))
{
    struct error err;

    loop_unwatch(prompt->loop, STDIN_FILENO);
    if (leave(prompt->driver, &err))
        ask_again(prompt, step, &err);
}

static void give_undo(struct decision_prompt *prompt, const struct step *step, const char *words)
{
    (void)words;
    leave_step(prompt, step, driver_undo);
}

static void give_redo(struct decision_prompt *prompt, const struct step *step, const char *words)
{
    (void)words;
    leave_step(prompt, step, driver_redo);
}

static void give_end(struct decision_prompt *prompt, const struct step *step, const char *words)
{
    (void)words;
    leave_step(prompt, step, driver_close_session);
}

static void give_message(struct decision_prompt *prompt, const struct step *step, const char *words)
{
    struct error err;

    if (driver_say(prompt->driver, words, &err))
        command_notice(NULL, err.text);
    decision_prompt_show(prompt, step);
}

static void give_language(struct decision_prompt *prompt, const struct step *step,
                          const char *words)
{
    struct error err;

    if (driver_set_language(prompt->driver, words, &err))
        command_notice(NULL, err.text);
    decision_prompt_show(prompt, step);
}

static void give_file(struct decision_prompt *prompt, const struct step *step, const char *words)
{
    struct error err;

    if (driver_attach(prompt->driver, words, &err))
        command_notice(NULL, err.text);
    decision_prompt_show(prompt, step);
}

static void give_quit(struct decision_prompt *prompt, const struct step *step, const char *words)
{
    (void)step;
    (void)words;
    loop_unwatch(prompt->loop, STDIN_FILENO);
    prompt->over(prompt->data, NULL);
}

static void give_help(struct decision_prompt *prompt, const struct step *step, const char *words);

static const struct answer answers[] = {
    {"a", "accept", NULL, give_accept},
    {"e", "edit", "in $EDITOR", give_edit},
    {"v", "veto", "v REASON: the agent gets the reason", give_veto},
    {"r", "retry", "r INSTRUCTION: the agent tries again; this does not count as an attempt",
     give_retry},
    {"A", "run on",
     "A [N] [failure] [slower] [$X]: accept, and let the policy decide N steps, until a "
     "candidate\n"
     "            fails or is slower than the best, or until $X are spent; without a limit, to the "
     "end",
     give_run_on},
    {"u", "undo", "your last decision", give_undo},
    {"U", "redo", "the decision that was undone last", give_redo},
    {"m", "message", "m TEXT: send a note to the agent with the next prompt", give_message},
    {"f", "file", "f PATH: give a text or an image to the next analysis", give_file},
    {"l", "language", "l NAME: write another language from the next prompt on", give_language},
    {"s", "show", "the whole text", give_show},
    {"x", "end", "close the session", give_end},
    {"q", "leave", "and keep the session open", give_quit},
    {"?", "help", NULL, give_help},
};

static void print_question(void)
{
    fputs("  ", stdout);
    for (size_t i = 0; i < COUNT(answers); i++)
        printf("%s%s %s", i ? ", " : "", answers[i].key, answers[i].name);
    fputs(" > ", stdout);
    fflush(stdout);
}

static void give_help(struct decision_prompt *prompt, const struct step *step, const char *words)
{
    (void)prompt;
    (void)step;
    (void)words;
    for (size_t i = 0; i < COUNT(answers); i++)
        if (answers[i].help)
            printf("  %s %-8s %s\n", answers[i].key, answers[i].name, answers[i].help);
    print_question();
}

void decision_prompt_show(struct decision_prompt *prompt, const struct step *step)
{
    command_print("\n%s: %s\n", step_kind_name(step->kind), step->title);
    show_verdict(prompt, step);
    show_text(prompt, step, SHOWN_LINES);
    print_question();
    loop_watch(prompt->loop, STDIN_FILENO, LOOP_READ, on_input, prompt);
}

/* In "v too slow", v is the answer's key and "too slow" its words. */
static void take_line(struct decision_prompt *prompt, const struct step *step, const char *line)
{
    size_t len = strcspn(line, " ");
    const char *words = line + len + strspn(line + len, " ");

    for (size_t i = 0; i < COUNT(answers); i++) {
        if (strlen(answers[i].key) == len && strncmp(answers[i].key, line, len) == 0) {
            answers[i].give(prompt, step, words);
            return;
        }
    }
    print_question();
}

static void on_input(void *data, int fd, unsigned ready)
{
    struct decision_prompt *prompt = data;
    const struct step *step = session_pending(driver_session(prompt->driver));
    enum status st = lines_fill(&prompt->lines, fd, NULL);
    const char *line = lines_next(&prompt->lines);

    (void)ready;
    if (line && step)
        take_line(prompt, step, line);
    else if (st && step)
        prompt->over(prompt->data, step);
}
