#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/format.h"
#include "core/model/baseline_label.h"
#include "core/session/recorded/replay.h"
#include "core/session/state/fold.h"
#include "core/session/state/scale.h"
#include "core/system/loop.h"
#include "tui/cli/command.h"
#include "tui/cli/event_line.h"
#include "tui/cli/screen_options.h"
#include "tui/cli/session_run.h"
#include "tui/cli/worker_options.h"

struct replaying {
    struct loop *loop;
    struct recording recording;
    struct evaluator_options worker;
    const char *session;
    struct screen_options screen;
    bool measures, checks;
    unsigned differing; /* candidates with another outcome now */
    enum exit_code code;
};

static void print_event(const struct replaying *r, const struct session *session,
                        const struct event *event)
{
    struct strbuf line = {0};
    const char *time = event_time(event);

    event_line_add(session, event, &line);
    if (r->screen.as_json)
        command_print_json(event->body);
    else if (line.len && strlen(time) > CLOCK_TIME_AT)
        command_print("%.8s  %s\n", time + CLOCK_TIME_AT, strbuf_cstr(&line));
    strbuf_release(&line);
}

/* Print every event, as the session printed it. */
static enum status print_events(const struct replaying *r, struct error *err)
{
    struct session session = {0};
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < r->recording.events.count; i++) {
        struct event event = {0};

        st = recording_event(&r->recording, i, &event, err);
        if (!st)
            st = fold_apply(&session, &event, err);
        if (!st)
            print_event(r, &session, &event);
        event_release(&event);
    }
    session_release(&session);
    return st;
}

static struct json *encode_outcome(enum outcome outcome, double median_us, double speedup)
{
    struct json *object = json_object_new();

    json_put_string(object, "outcome", outcome_name(outcome));
    if (median_us > 0)
        json_put_number(object, "median_us", median_us);
    if (speedup > 0)
        json_put_number(object, "speedup", speedup);
    return object;
}

static void print_json(const struct replay_result *result)
{
    const struct attempt *then = result->then;
    const struct evaluation_finished *now = &result->now;
    struct json *object = json_object_new();

    json_put_string(object, "type", "replay.measured");
    json_put_number(object, "attempt", then->number);
    if (result->over)
        json_put_string(object, "over", result->over);
    json_put(object, "then",
             encode_outcome(then->outcome, then->time.median_us, result->speedup_then));
    json_put(object, "now", encode_outcome(now->outcome, now->median_us, result->speedup_now));
    command_print_json(object);
    json_free(object);
}

static void print_row(const struct replay_result *result)
{
    const struct attempt *then = result->then;
    const struct evaluation_finished *now = &result->now;
    char time[2][FORMAT_SIZE], speedup[2][FORMAT_SIZE];

    command_print("%7u  %-16s %-16s %9s %9s  %7s %7s  %s%s\n", then->number,
                  outcome_name(then->outcome), outcome_name(now->outcome),
                  format_time(time[0], then->time.median_us), format_time(time[1], now->median_us),
                  format_speedup(speedup[0], result->speedup_then),
                  format_speedup(speedup[1], result->speedup_now),
                  then->outcome == now->outcome ? "" : "DIFFERS: ", then->title);
    fflush(stdout);
}

static void on_measured(void *data, const struct replay_result *result)
{
    struct replaying *r = data;

    r->differing += result->now.outcome != result->then->outcome;
    (r->screen.as_json ? print_json : print_row)(result);
}

static void on_ended(void *data, const struct error *err)
{
    struct replaying *r = data;

    if (err)
        r->code = command_fail(err);
    else if (r->checks && r->differing)
        r->code = EXIT_CODE_INCORRECT;
    loop_stop(r->loop);
}

static enum status measure(struct replaying *r, struct error *err)
{
    const struct replay_options options = {&r->recording, r->worker};
    const struct replay_listener listener = {on_measured, on_ended, command_notice, r};
    const char *strongest = scale_strongest(&r->recording.session);
    struct replay *replay = NULL;
    char over[24];
    enum status st;

    snprintf(over, sizeof(over), "over %s",
             strongest ? baseline_label_short(strongest) : "baseline");
    if (!r->screen.as_json)
        printf("\n%7s  %-16s %-16s %9s %9s  %15s\nattempt  %-16s %-16s %9s %9s  %7s %7s  title\n",
               "", "outcome", "", "time", "", over, "then", "now", "then", "now", "then", "now");
    signal(SIGPIPE, SIG_IGN); /* writing to a dead worker is an error, not a signal */
    r->loop = loop_new();
    st = replay_open(r->loop, &options, &listener, &replay, err);
    if (!st)
        loop_run(r->loop);
    replay_close(replay);
    loop_free(r->loop);
    return st;
}

#define AT(field) offsetof(struct replaying, field)

static const struct option_row own_options[] = {
    {.name = "measure",
     .help = "judge every candidate again on this machine, and print old and new results",
     .kind = OPTION_FLAG,
     .offset = AT(measures)},
    {.name = "check",
     .help = "like --measure, and exit with 3 if an outcome differs",
     .kind = OPTION_FLAG,
     .offset = AT(checks)},
    {0},
};

static const struct option_set option_sets[] = {
    {own_options, 0},
    {screen_option_rows, AT(screen)},
    {worker_options, AT(worker)},
    {0},
};

static enum status parse(struct replaying *r, int argc, char **argv, struct error *err)
{
    struct arguments arguments = {argc, argv};
    enum status st = command_parse(&replay_command, r, &arguments, err);

    r->measures |= r->checks;
    r->session = arguments.items[0];
    return !st && arguments.count != 1 ? command_expects(&replay_command, err) : st;
}

static enum exit_code show(const struct replaying *r)
{
    struct driver_options driver = {.agent = "builtin", .evaluator = r->worker};
    const struct app_options options = {.driver = &driver,
                                        .begin = APP_BEGIN_REPLAY,
                                        .session = r->session,
                                        .theme = r->screen.theme,
                                        .keys = r->screen.keys};

    gate_preset("guided", &driver.gate);
    return session_run_workbench(&options);
}

static enum exit_code replay_run(int argc, char **argv)
{
    struct replaying r = {0};
    struct error err;
    enum status st;

    if (parse(&r, argc, argv, &err))
        return command_fail(&err);
    if (!r.measures && screen_options_want_screen(&r.screen))
        return show(&r);
    st = recording_open(r.session, &r.recording, &err);
    if (!st)
        st = print_events(&r, &err);
    if (!st && r.measures)
        st = measure(&r, &err);
    if (st)
        r.code = command_fail(&err);
    recording_release(&r.recording);
    return r.code;
}

const struct command replay_command = {
    .name = "replay",
    .arguments = "SESSION",
    .options = option_sets,
    .summary = "Replay a session step by step. SESSION may be a folder that\n"
               "kforge export --recording wrote.",
    .details = "On a terminal the session opens on the screen.  No model is asked.  --json prints "
               "the\njournal's events, then the measurements.",
    .exits = "0 done, 2 usage or no such session, 3 an outcome differs (--check),\n"
             "5 device or disk",
    .run = replay_run,
};
