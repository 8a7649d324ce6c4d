#include "tui/cli/headless.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/format.h"
#include "core/base/loop.h"
#include "core/base/utf8.h"
#include "tui/cli/ask.h"
#include "tui/cli/summary.h"
#include "tui/signals.h"

struct headless {
    struct loop *loop;
    struct driver *driver;
    struct ask *ask; /* NULL: nobody is asked */
    int64_t began_us;
    enum exit_code code;
    char notice[256]; /* the last that was printed */
    bool shows_live;  /* a line that is written over, for a person who waits */
};

static void clear_live(const struct headless *h)
{
    if (h->shows_live)
        fputs("\r\033[K", stdout);
}

/* "  12.3s " and the line, with nothing in it that a terminal would act on. */
static void print_line(const struct headless *h, const char *line)
{
    struct strbuf visible = {0};

    utf8_add_visible(&visible, line, strlen(line));
    clear_live(h);
    printf("%7.1fs  %s\n", (double)(clock_now_us() - h->began_us) * 1e-6, strbuf_cstr(&visible));
    fflush(stdout);
    strbuf_release(&visible);
}

static void describe_opened(const struct session *s, struct strbuf *line)
{
    strbuf_addf(line, "session %s: %s on %s by %s", s->id, s->problem_name, s->device, s->agent);
}

static void describe_proposed(const struct session *s, struct strbuf *line)
{
    const struct step *step = &s->steps.items[s->steps.count - 1];

    strbuf_addf(line, "step %u  %s: %s", step->number, step_kind_name(step->kind), step->title);
    if (step->gain > 0)
        strbuf_addf(line, " (promises %.2fx)", step->gain);
}

static void describe_decided(const struct session *s, const struct event *event,
                             struct strbuf *line)
{
    const struct step *step = session_step(s, (unsigned)json_get_number(event->body, "step", 0));

    if (step->decision == DECISION_ACCEPTED && step->decider == DECIDER_POLICY)
        return; /* the policy nods: nothing to read */
    strbuf_addf(line, "step %u  %s by %s", step->number, decision_name(step->decision),
                step->decider == DECIDER_POLICY ? "policy" : "engineer");
    if (step->reason && step->reason[0])
        strbuf_addf(line, ": %s", step->reason);
}

static void describe_finished(const struct session *s, struct strbuf *line)
{
    const struct attempt *a = session_last_attempt(s);

    strbuf_addf(line, "attempt %u  %s", a->number, outcome_name(a->outcome));
    if (a->detail)
        strbuf_addf(line, ": %s", a->detail);
    if (a->bound_fraction > 0)
        strbuf_addf(line, ", %.0f %% of bound", 100 * a->bound_fraction);
}

static void describe_kept(const struct session *s, struct strbuf *line)
{
    const struct attempt *a = session_last_attempt(s);

    strbuf_addf(line, "attempt %u  kept as %.10s", a->number, a->commit);
}

static void describe_budget(const struct event *event, struct strbuf *line)
{
    char used[BUDGET_TEXT_SIZE], limit[BUDGET_TEXT_SIZE];
    union event_data data;

    if (event_decode(event, "budget", &data, NULL))
        return;
    budget_describe(data.budget.resource, data.budget.used, used);
    budget_describe(data.budget.resource, data.budget.limit, limit);
    strbuf_addf(line, "budget: %s of %s are used", used, limit);
}

static void describe(const struct session *s, const struct event *event, struct strbuf *line)
{
    switch (event->type) {
    case EVENT_SESSION_OPENED:
        describe_opened(s, line);
        break;
    case EVENT_STEP_PROPOSED:
        describe_proposed(s, line);
        break;
    case EVENT_STEP_DECIDED:
        describe_decided(s, event, line);
        break;
    case EVENT_EVALUATION_FINISHED:
        describe_finished(s, line);
        break;
    case EVENT_CANDIDATE_KEPT:
        describe_kept(s, line);
        break;
    case EVENT_SESSION_CLOSED:
        strbuf_addf(line, "closed: %s", s->closed_because);
        break;
    case EVENT_BUDGET:
        describe_budget(event, line);
        break;
    case EVENT_NONE:
    case EVENT_PROBLEM_LOADED:
    case EVENT_MODEL_REQUEST:
    case EVENT_MODEL_REPLY:
    case EVENT_EVALUATION_STARTED:
    case EVENT_NOTE:
    case EVENT_POLICY_CHANGED:
        break;
    }
}

static void hear_event(void *data, const struct event *event)
{
    struct headless *h = data;
    const struct session *session = driver_session(h->driver);
    struct strbuf line = {0};

    describe(session, event, &line);
    if (line.len)
        print_line(h, strbuf_cstr(&line));
    strbuf_release(&line);
}

static void hear_waiting(void *data, const struct step *step)
{
    struct headless *h = data;

    if (h->ask)
        ask_about(h->ask, step);
}

/* The best so far, and what it has cost. */
static void print_standing(const struct session *s)
{
    const struct attempt *best = session_attempt(s, s->best);
    char time[FORMAT_SIZE];

    if (best)
        printf("  best %s", format_time(time, best->time.median_us));
    if (s->used[RESOURCE_USD] > 0)
        printf("  $%.3g", s->used[RESOURCE_USD]);
}

static void hear_live(void *data)
{
    struct headless *h = data;
    const struct driver_live *live = h->driver ? driver_live(h->driver) : NULL;
    char time[FORMAT_SIZE];

    if (live && live->notice[0] && strcmp(live->notice, h->notice) != 0)
        print_line(h, live->notice);
    if (live)
        snprintf(h->notice, sizeof(h->notice), "%s", live->notice);
    if (!h->shows_live || !live || !live->activity)
        return;
    clear_live(h);
    printf("%7.1fs  %s %s", (double)(clock_now_us() - h->began_us) * 1e-6, live->activity,
           live->progress.stage ? live->progress.stage : "");
    if (live->progress.total)
        printf(" %u/%u", live->progress.done, live->progress.total);
    if (live->progress.median_us > 0)
        printf(" %s", format_time(time, live->progress.median_us));
    print_standing(driver_session(h->driver));
    fflush(stdout);
}

static void hear_ended(void *data, const struct error *err)
{
    struct headless *h = data;

    clear_live(h);
    if (!err) {
        summary_print(h->driver);
        h->code = summary_code(driver_session(h->driver));
    } else {
        command_fail(err);
        h->code = EXIT_CODE_UNAVAILABLE; /* what was given has been checked */
        summary_print(h->driver);
    }
    loop_stop(h->loop);
}

static void hear_signal(void *data, int number)
{
    struct headless *h = data;

    if (number != SIGINT && number != SIGTERM && number != SIGHUP)
        return;
    driver_interrupt(h->driver);
    clear_live(h);
    summary_print(h->driver);
    h->code = EXIT_CODE_INTERRUPTED;
    loop_stop(h->loop);
}

enum exit_code headless_run(const struct run_options *options)
{
    struct headless h = {.began_us = clock_now_us(), .shows_live = isatty(STDOUT_FILENO)};
    const struct driver_listener listener = {.event = hear_event,
                                             .live = hear_live,
                                             .waiting = hear_waiting,
                                             .ended = hear_ended,
                                             .data = &h};
    struct signals signals;
    struct error err;

    h.loop = loop_new();
    if (driver_open(h.loop, &options->driver, &listener, &h.driver, &err)) {
        loop_free(h.loop);
        return command_fail(&err);
    }
    signals_watch(&signals, h.loop, hear_signal, &h);
    if (options->ask)
        h.ask = ask_new(h.loop, h.driver);
    driver_run(h.driver);
    loop_run(h.loop);
    ask_free(h.ask);
    driver_close(h.driver);
    signals_unwatch(&signals);
    loop_free(h.loop);
    return h.code;
}
