#include "tui/cli/ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/base/utf8.h"
#include "core/system/lines.h"
#include "core/system/loop.h"
#include "tui/app/editor.h"
#include "tui/cli/command.h"

enum { SHOWN_LINES = 16 };

struct ask {
    struct loop *loop;
    struct driver *driver;
    struct lines lines;
    ask_over_fn *over;
    void *data; /* for `over` */
};

struct answer {
    const char *key;
    const char *name;
    const char *help; /* NULL: the name says it */
    void (*give)(struct ask *ask, const struct step *step, const char *words);
};

static void hear_input(void *data, int fd, unsigned ready);

struct ask *ask_new(struct loop *loop, struct driver *driver, ask_over_fn *over, void *data)
{
    struct ask *ask = mem_alloc_zeroed(1, sizeof(*ask));

    ask->loop = loop;
    ask->driver = driver;
    ask->over = over;
    ask->data = data;
    return ask;
}

void ask_free(struct ask *ask)
{
    if (!ask)
        return;
    loop_unwatch(ask->loop, STDIN_FILENO);
    lines_release(&ask->lines);
    free(ask);
}

/* Print the first `limit` lines, and say how many there are beyond. */
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

static void show_text(struct ask *ask, const struct step *step, size_t limit)
{
    struct strbuf text = {0};
    struct error err;

    if (driver_text(ask->driver, step->text, &text, &err))
        command_notice(NULL, err.text);
    else
        print_text(strbuf_cstr(&text), limit);
    strbuf_release(&text);
}

/* The evidence for a decision to keep. */
static void show_verdict(struct ask *ask, const struct step *step)
{
    const struct attempt *attempt = session_attempt(driver_session(ask->driver), step->attempt);

    if (step->kind != STEP_KEEP)
        return;
    command_print("  %s: %s\n", outcome_name(attempt->outcome), attempt->detail);
    if (attempt->gain > 0)
        printf("  %.3fx over the best so far\n", attempt->gain);
}

static void ask_again(struct ask *ask, const struct step *step, const struct error *err)
{
    command_notice(NULL, err->text);
    ask_about(ask, step);
}

static void decide(struct ask *ask, const struct step *step, const struct ruling *ruling)
{
    struct error err;

    loop_unwatch(ask->loop, STDIN_FILENO);
    if (driver_decide(ask->driver, ruling, &err))
        ask_again(ask, step, &err);
}

static void give_accept(struct ask *ask, const struct step *step, const char *words)
{
    (void)words;
    decide(ask, step, &(struct ruling){.step = step->number, .decision = DECISION_ACCEPTED});
}

static void give_veto(struct ask *ask, const struct step *step, const char *words)
{
    decide(ask, step,
           &(struct ruling){.step = step->number, .decision = DECISION_VETOED, .reason = words});
}

static void give_retry(struct ask *ask, const struct step *step, const char *words)
{
    decide(ask, step,
           &(struct ruling){.step = step->number, .decision = DECISION_RETRIED, .reason = words});
}

static void give_edit(struct ask *ask, const struct step *step, const char *words)
{
    struct strbuf text = {0}, edited = {0};
    struct error err;
    enum status st = driver_text(ask->driver, step->text, &text, &err);

    (void)words;
    if (!st)
        st = editor_run(strbuf_cstr(&text), &edited, &err);
    if (!st)
        decide(ask, step,
               &(struct ruling){.step = step->number,
                                .decision = DECISION_EDITED,
                                .text = strbuf_cstr(&edited)});
    else
        ask_again(ask, step, &err);
    strbuf_release(&text);
    strbuf_release(&edited);
}

static void give_show(struct ask *ask, const struct step *step, const char *words)
{
    (void)words;
    show_text(ask, step, SIZE_MAX);
    ask_about(ask, step);
}

/* Accept, and let policies decide until a limit is reached; without one, to the end. */
static void give_run_on(struct ask *ask, const struct step *step, const char *words)
{
    struct run_limits limits;
    struct error err;

    if (run_limits_parse(words, &limits, &err) || driver_run_on(ask->driver, &limits, &err))
        ask_again(ask, step, &err);
    else
        give_accept(ask, step, NULL);
}

static void leave_step(struct ask *ask, const struct step *step,
                       enum status (*leave)(struct driver *driver, struct error *err))
{
    struct error err;

    loop_unwatch(ask->loop, STDIN_FILENO);
    if (leave(ask->driver, &err))
        ask_again(ask, step, &err);
}

static void give_undo(struct ask *ask, const struct step *step, const char *words)
{
    (void)words;
    leave_step(ask, step, driver_undo);
}

static void give_redo(struct ask *ask, const struct step *step, const char *words)
{
    (void)words;
    leave_step(ask, step, driver_redo);
}

static void give_end(struct ask *ask, const struct step *step, const char *words)
{
    (void)words;
    leave_step(ask, step, driver_close_session);
}

static void give_message(struct ask *ask, const struct step *step, const char *words)
{
    struct error err;

    if (driver_say(ask->driver, words, &err))
        command_notice(NULL, err.text);
    ask_about(ask, step);
}

static void give_file(struct ask *ask, const struct step *step, const char *words)
{
    struct error err;

    if (driver_attach(ask->driver, words, &err))
        command_notice(NULL, err.text);
    ask_about(ask, step);
}

static void give_quit(struct ask *ask, const struct step *step, const char *words)
{
    (void)step;
    (void)words;
    loop_unwatch(ask->loop, STDIN_FILENO);
    ask->over(ask->data, NULL);
}

static void give_help(struct ask *ask, const struct step *step, const char *words);

static const struct answer answers[] = {
    {"a", "accept", NULL, give_accept},
    {"e", "edit", "in $EDITOR", give_edit},
    {"v", "veto", "v REASON: the agent hears the reason", give_veto},
    {"r", "retry", "r INSTRUCTION: the agent makes it again, which does not count as an attempt",
     give_retry},
    {"A", "run on",
     "A [N] [failure] [slower] [$X]: accept, and let policies decide for N steps, until a "
     "candidate\n"
     "            fails or is slower than the best, until $X are spent; without any, to the end",
     give_run_on},
    {"u", "undo", "your last decision", give_undo},
    {"U", "redo", "what was undone last", give_redo},
    {"m", "message", "m TEXT: to the agent, with the next prompt", give_message},
    {"f", "file", "f PATH: a text or an image for the next analysis", give_file},
    {"s", "show", "the whole text", give_show},
    {"x", "end", "the session is closed", give_end},
    {"q", "leave", "the session stays open", give_quit},
    {"?", "help", NULL, give_help},
};

static void print_question(void)
{
    fputs("  ", stdout);
    for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++)
        printf("%s%s %s", i ? ", " : "", answers[i].key, answers[i].name);
    fputs(" > ", stdout);
    fflush(stdout);
}

static void give_help(struct ask *ask, const struct step *step, const char *words)
{
    (void)ask;
    (void)step;
    (void)words;
    for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++)
        if (answers[i].help)
            printf("  %s %-8s %s\n", answers[i].key, answers[i].name, answers[i].help);
    print_question();
}

void ask_about(struct ask *ask, const struct step *step)
{
    command_print("\n%s: %s\n", step_kind_name(step->kind), step->title);
    show_verdict(ask, step);
    show_text(ask, step, SHOWN_LINES);
    print_question();
    loop_watch(ask->loop, STDIN_FILENO, LOOP_READ, hear_input, ask);
}

/* "v too slow" is the answer v with the reason "too slow". */
static void take_line(struct ask *ask, const struct step *step, const char *line)
{
    size_t len = strcspn(line, " ");
    const char *words = line + len + strspn(line + len, " ");

    for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++) {
        if (strlen(answers[i].key) == len && strncmp(answers[i].key, line, len) == 0) {
            answers[i].give(ask, step, words);
            return;
        }
    }
    print_question();
}

static void hear_input(void *data, int fd, unsigned ready)
{
    struct ask *ask = data;
    const struct step *step = session_pending(driver_session(ask->driver));
    enum status st = lines_fill(&ask->lines, fd, NULL);
    const char *line = lines_next(&ask->lines);

    (void)ready;
    if (line && step)
        take_line(ask, step, line);
    else if (st && step)
        ask->over(ask->data, step);
}
