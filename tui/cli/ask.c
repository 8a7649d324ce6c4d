#include "tui/cli/ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/lines.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/base/utf8.h"
#include "tui/cli/summary.h"
#include "tui/editor.h"

enum { SHOWN_LINES = 16 };

struct ask {
    struct loop *loop;
    struct driver *driver;
    struct lines lines;
};

struct answer {
    const char *key;
    const char *help;
    void (*give)(struct ask *ask, const struct step *step, const char *reason);
};

static void hear_input(void *data, int fd, unsigned ready);

struct ask *ask_new(struct loop *loop, struct driver *driver)
{
    struct ask *ask = mem_alloc_zeroed(1, sizeof(*ask));

    ask->loop = loop;
    ask->driver = driver;
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
        fprintf(stderr, "kforge: %s\n", err.text);
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
    printf("  %s: %s\n", outcome_name(attempt->outcome), attempt->detail);
    if (attempt->gain > 0)
        printf("  %.3fx over the best so far\n", attempt->gain);
}

static void decide(struct ask *ask, const struct step *step, enum decision decision,
                   const char *text, const char *reason)
{
    struct error err;

    loop_unwatch(ask->loop, STDIN_FILENO);
    if (driver_decide(ask->driver, step->number, decision, text, reason, &err)) {
        fprintf(stderr, "kforge: %s\n", err.text);
        ask_about(ask, step);
    }
}

static void give_accept(struct ask *ask, const struct step *step, const char *reason)
{
    (void)reason;
    decide(ask, step, DECISION_ACCEPTED, NULL, NULL);
}

static void give_veto(struct ask *ask, const struct step *step, const char *reason)
{
    decide(ask, step, DECISION_VETOED, NULL, reason);
}

static void give_edit(struct ask *ask, const struct step *step, const char *reason)
{
    struct strbuf text = {0}, edited = {0};
    struct error err;
    enum status st = driver_text(ask->driver, step->text, &text, &err);

    (void)reason;
    if (!st)
        st = editor_run(strbuf_cstr(&text), &edited, &err);
    if (!st) {
        decide(ask, step, DECISION_EDITED, strbuf_cstr(&edited), NULL);
    } else {
        fprintf(stderr, "kforge: %s\n", err.text);
        ask_about(ask, step);
    }
    strbuf_release(&text);
    strbuf_release(&edited);
}

static void give_show(struct ask *ask, const struct step *step, const char *reason)
{
    (void)reason;
    show_text(ask, step, SIZE_MAX);
    ask_about(ask, step);
}

/* Accept, and let the policy decide from now on. */
static void give_run_on(struct ask *ask, const struct step *step, const char *reason)
{
    struct error err;

    (void)reason;
    for (unsigned kind = 0; kind < STEP_KINDS; kind++)
        if (driver_set_policy(ask->driver, (enum step_kind)kind, GATE_AUTO, &err))
            fprintf(stderr, "kforge: %s\n", err.text);
    decide(ask, step, DECISION_ACCEPTED, NULL, NULL);
}

static void give_quit(struct ask *ask, const struct step *step, const char *reason)
{
    (void)step;
    (void)reason;
    loop_unwatch(ask->loop, STDIN_FILENO);
    summary_print(ask->driver);
    loop_stop(ask->loop);
}

static const struct answer answers[] = {
    {"a", "accept", give_accept},
    {"e", "edit", give_edit},
    {"v", "veto [reason]", give_veto},
    {"s", "show all", give_show},
    {"A", "accept and run on", give_run_on},
    {"q", "leave", give_quit},
};

static void print_question(void)
{
    fputs("  ", stdout);
    for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++)
        printf("%s%s %s", i ? ", " : "", answers[i].key, answers[i].help);
    fputs(" > ", stdout);
    fflush(stdout);
}

void ask_about(struct ask *ask, const struct step *step)
{
    printf("\n%s: %s\n", step_kind_name(step->kind), step->title);
    show_verdict(ask, step);
    show_text(ask, step, SHOWN_LINES);
    print_question();
    loop_watch(ask->loop, STDIN_FILENO, LOOP_READ, hear_input, ask);
}

/* "v too slow" is the answer v with the reason "too slow". */
static void take_line(struct ask *ask, const struct step *step, const char *line)
{
    size_t len = strcspn(line, " ");
    const char *reason = line + len + strspn(line + len, " ");

    for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++) {
        if (strlen(answers[i].key) == len && strncmp(answers[i].key, line, len) == 0) {
            answers[i].give(ask, step, reason);
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
    else if (st)
        give_quit(ask, step, NULL);
}
