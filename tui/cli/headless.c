#include "tui/cli/headless.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "core/base/loop.h"
#include "core/base/utf8.h"
#include "tui/cli/ask.h"
#include "tui/cli/report.h"

struct headless {
    struct loop *loop;
    struct driver *driver;
    struct ask *ask; /* NULL: nobody is asked */
    int signals;
    int64_t began_us;
    enum exit_code code;
    bool shows_live; /* a line that is written over, for a person who waits */
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
    if (h->ask && session_pending(session))
        ask_about(h->ask, session_pending(session));
}

static void hear_live(void *data)
{
    struct headless *h = data;
    const struct driver_live *live = h->driver ? driver_live(h->driver) : NULL;

    if (!h->shows_live || !live || !live->activity)
        return;
    clear_live(h);
    printf("%7.1fs  %s %s", (double)(clock_now_us() - h->began_us) * 1e-6, live->activity,
           live->progress.stage ? live->progress.stage : "");
    if (live->progress.total)
        printf(" %u/%u", live->progress.done, live->progress.total);
    if (live->progress.median_us > 0)
        printf(" %.4g us", live->progress.median_us);
    fflush(stdout);
}

/* The last screenful: what came of it, and where it is. */
static void print_summary(const struct headless *h)
{
    const struct session *s = driver_session(h->driver);
    const struct attempt *best = session_attempt(s, s->best);
    struct strbuf text = {0};

    if (!best)
        return;
    strbuf_addf(&text, "\nbest     %s\n         ", best->title);
    report_time(best->time.median_us, &text);
    if (best->speedup > 0)
        strbuf_addf(&text, ", %.2fx over reference", best->speedup);
    if (best->bound_fraction > 0)
        strbuf_addf(&text, ", %.0f %% of the device's bound", 100 * best->bound_fraction);
    strbuf_addf(&text, "\ncommit   %.12s on branch %s\nin       %s\n", best->commit,
                driver_branch(h->driver), driver_repository(h->driver));
    fputs(strbuf_cstr(&text), stdout);
    strbuf_release(&text);
}

static enum exit_code code_of(const struct session *s)
{
    const struct attempt *first = NULL;

    for (size_t i = 0; i < s->attempts.count && !first; i++)
        if (s->attempts.items[i].is_kept)
            first = &s->attempts.items[i];
    if (!first)
        return EXIT_CODE_INCORRECT;
    return first->number == s->best ? EXIT_CODE_NO_GAIN : EXIT_CODE_IMPROVED;
}

static void hear_ended(void *data, const struct error *err)
{
    struct headless *h = data;

    clear_live(h);
    if (!err) {
        print_summary(h);
        h->code = code_of(driver_session(h->driver));
    } else {
        h->code = command_fail(err);
        if (driver_session(h->driver)->id)
            fprintf(stderr, "kforge: nothing is lost: kforge resume %s\n",
                    driver_session(h->driver)->id);
    }
    loop_stop(h->loop);
}

static void hear_signal(void *data, int fd, unsigned ready)
{
    struct headless *h = data;
    struct signalfd_siginfo info;

    (void)ready;
    if (read(fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
        return;
    driver_interrupt(h->driver);
    clear_live(h);
    if (driver_session(h->driver)->id)
        printf("interrupted; go on with: kforge resume %s\n", driver_session(h->driver)->id);
    h->code = EXIT_CODE_INTERRUPTED;
    loop_stop(h->loop);
}

static void watch_signals(struct headless *h)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    h->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    loop_watch(h->loop, h->signals, LOOP_READ, hear_signal, h);
}

enum exit_code headless_run(const struct run_options *options)
{
    struct headless h = {.began_us = clock_now_us(), .shows_live = isatty(STDOUT_FILENO)};
    const struct driver_listener listener = {
        .event = hear_event, .live = hear_live, .ended = hear_ended, .data = &h};
    struct error err;

    h.loop = loop_new();
    if (driver_open(h.loop, &options->driver, &listener, &h.driver, &err)) {
        loop_free(h.loop);
        return command_fail(&err);
    }
    watch_signals(&h);
    if (options->ask)
        h.ask = ask_new(h.loop, h.driver);
    driver_run(h.driver);
    loop_run(h.loop);
    ask_free(h.ask);
    driver_close(h.driver);
    close(h.signals);
    loop_free(h.loop);
    return h.code;
}
