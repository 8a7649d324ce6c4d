#include "tui/cli/session_run.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/base/format.h"
#include "core/session/store/handed_decision.h"
#include "core/system/loop.h"
#include "tui/cli/decision_prompt.h"
#include "tui/cli/event_line.h"
#include "tui/cli/problem_file.h"
#include "tui/cli/session_summary.h"
#include "tui/term/signals.h"

struct headless {
    struct loop *loop;
    struct driver *driver;
    struct decision_prompt *prompt; /* NULL without --ask */
    int64_t began_us;
    enum exit_code code;
    char notice[256]; /* the last printed notice */
    bool as_json;     /* print events as JSON lines, and nothing else */
    bool shows_live;  /* show progress in a line that is overwritten */
    bool takes_handed;
    bool is_quiet; /* print only errors */
    struct loop_timer tick;
};

enum { TICK_US = 1000000, NARROWEST = 20, USUAL_COLUMNS = 80 };

static void clear_live(const struct headless *h)
{
    if (h->shows_live)
        fputs("\r\033[K", stdout);
}

/* Print "  12.3s " and the line, with escape sequences made visible. */
static void print_line(const struct headless *h, const char *line)
{
    if (h->is_quiet)
        return;
    clear_live(h);
    command_print("%7.1fs  %s\n", (double)(clock_now_us() - h->began_us) * 1e-6, line);
    fflush(stdout);
}

static void on_event(void *data, const struct event *event)
{
    struct headless *h = data;
    struct strbuf line = {0};

    event_line_add(driver_session(h->driver), event, &line);
    if (h->as_json)
        command_print_json(event->body);
    else if (line.len)
        print_line(h, strbuf_cstr(&line));
    strbuf_release(&line);
}

static void conclude(const struct headless *h)
{
    struct strbuf text = {0};

    if (h->as_json || h->is_quiet)
        return;
    session_summary_add(h->driver, &text);
    command_print("%s", strbuf_cstr(&text));
    strbuf_release(&text);
}

/* Print the summary of the session so far, and leave. */
static void finish(struct headless *h)
{
    conclude(h);
    h->code = session_exit_code(driver_session(h->driver));
    loop_stop(h->loop);
}

/* Leave an open session, whose step waits. */
static void nobody_decides(struct headless *h, const struct step *step)
{
    if (h->prompt)
        puts(""); /* end the line of the question */
    fprintf(stderr, "kforge: step %u waits for a decision: continue with kforge resume %s --ask\n",
            step->number, driver_session(h->driver)->id);
    h->code = EXIT_CODE_USAGE;
    loop_stop(h->loop);
}

static void on_over(void *data, const struct step *step)
{
    if (step)
        nobody_decides(data, step);
    else
        finish(data);
}

/*
 * Apply the engineer's handed decision. If there is none, leave the session, whose step then waits.
 */
static void take_handed(struct headless *h, const struct step *step)
{
    const char *id = driver_session(h->driver)->id;
    unsigned number = step->number;
    struct handed_decision handed = {0};
    struct error err = {0};
    enum status st = handed_decision_read(id, &handed, &err);

    if (!st && handed.ruling.step != number)
        st = error_set(&err, STATUS_INVALID, "step %u no longer waits: its decision is dropped",
                       handed.ruling.step);
    if (!st)
        st = driver_decide(h->driver, &handed.ruling, &err);
    if (st != STATUS_NOT_FOUND)
        handed_decision_remove(id);
    handed_decision_release(&handed);
    if (!st)
        return;
    if (st != STATUS_NOT_FOUND)
        command_notice(NULL, err.text);
    command_print("step %u waits for a decision\n", number);
    h->code = EXIT_CODE_ASKS;
    loop_stop(h->loop);
}

static void on_waiting(void *data, const struct step *step)
{
    struct headless *h = data;

    if (h->takes_handed)
        take_handed(h, step);
    else if (h->prompt)
        decision_prompt_show(h->prompt, step);
    else
        nobody_decides(h, step);
}

/* The activity, its duration and its progress. */
static void add_activity(const struct driver_live *live, struct strbuf *line)
{
    char text[FORMAT_SIZE];

    strbuf_addf(line, "%s %s", live->activity,
                format_duration(text, clock_now_us() - live->since_us));
    if (live->progress.stage)
        strbuf_addf(line, ": %s", live->progress.stage);
    if (live->progress.total)
        strbuf_addf(line, " %u/%u", live->progress.done, live->progress.total);
    else if (live->progress.median_us > 0) /* not yet on the session's scale */
        strbuf_addf(line, ", %u runs", live->progress.done);
}

/* The best time and the cost so far. */
static void add_standing(const struct session *s, struct strbuf *line)
{
    const struct attempt *best = session_attempt(s, s->now.best);
    char time[FORMAT_SIZE];

    if (best)
        strbuf_addf(line, ", best %s", format_time(time, best->time.median_us));
    if (s->used[RESOURCE_USD] > 0)
        strbuf_addf(line, ", $%.3g", s->used[RESOURCE_USD]);
}

/* The greatest width of the progress line. A line that wraps cannot be overwritten. */
static int live_columns(void)
{
    struct winsize size;
    bool is_known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > NARROWEST;

    return (is_known ? size.ws_col : USUAL_COLUMNS) - 1;
}

static void write_over(const struct headless *h, const struct driver_live *live)
{
    struct strbuf line = {0};

    strbuf_addf(&line, "%7.1fs  ", (double)(clock_now_us() - h->began_us) * 1e-6);
    add_activity(live, &line);
    add_standing(driver_session(h->driver), &line);
    clear_live(h);
    printf("%.*s", live_columns(), strbuf_cstr(&line));
    fflush(stdout);
    strbuf_release(&line);
}

/*
 * Print a notice. With --json it goes to standard error, because standard output has only events.
 */
static void print_notice(const struct headless *h, const char *notice)
{
    if (h->as_json)
        command_notice(NULL, notice);
    else
        print_line(h, notice);
}

static void on_live(void *data);

/* Print the progress line again every second, because it shows a duration. */
static void tick(void *data)
{
    on_live(data);
}

static void on_live(void *data)
{
    struct headless *h = data;
    const struct driver_live *live = h->driver ? driver_live(h->driver) : NULL;

    if (!live)
        return;
    if (live->notice[0] && strcmp(live->notice, h->notice) != 0)
        print_notice(h, live->notice);
    snprintf(h->notice, sizeof(h->notice), "%s", live->notice);
    if (!h->shows_live || !live->activity)
        return;
    write_over(h, live);
    loop_set_timer(h->loop, &h->tick, TICK_US, tick, h);
}

static void on_ended(void *data, const struct error *err)
{
    struct headless *h = data;

    loop_clear_timer(h->loop, &h->tick);
    clear_live(h);
    if (!err) {
        finish(h);
        return;
    }
    h->code = command_fail(err);
    conclude(h);
    if (driver_session(h->driver)->id) /* begun with a device and input that were right */
        h->code = EXIT_CODE_UNAVAILABLE;
    loop_stop(h->loop);
}

static void on_signal(void *data, int number)
{
    struct headless *h = data;

    if (number != SIGINT && number != SIGTERM && number != SIGHUP)
        return;
    driver_interrupt(h->driver);
    loop_clear_timer(h->loop, &h->tick);
    clear_live(h);
    conclude(h);
    h->code = EXIT_CODE_INTERRUPTED;
    loop_stop(h->loop);
}

/*
 * Run a session without a screen. It prints a line for each event and, at the end, a summary with
 * the branch of the best kernel. With --ask, decisions are read from standard input, one on each
 * line.
 */
static enum exit_code headless_run(const struct run_options *options)
{
    struct headless h = {.began_us = clock_now_us(),
                         .as_json = options->screen.as_json,
                         .takes_handed = options->takes_handed,
                         .is_quiet = options->is_quiet,
                         .shows_live = !options->screen.as_json && !options->is_quiet &&
                                       isatty(STDOUT_FILENO)};
    const struct driver_listener listener = {
        .event = on_event, .live = on_live, .waiting = on_waiting, .ended = on_ended, .data = &h};
    struct driver_options driver = options->driver;
    struct signals signals;
    struct error err;

    driver.is_unattended = !options->ask;
    h.loop = loop_new();
    if (driver_open(h.loop, &driver, &listener, &h.driver, &err)) {
        loop_free(h.loop);
        return command_fail(&err);
    }
    signals_watch(&signals, h.loop, on_signal, &h);
    if (options->ask)
        h.prompt = decision_prompt_new(h.loop, h.driver, on_over, &h);
    driver_run(h.driver);
    loop_run(h.loop);
    decision_prompt_free(h.prompt);
    driver_close(h.driver);
    signals_unwatch(&signals);
    loop_free(h.loop);
    return h.code;
}

/* The session that was left last on the screen. */
struct left {
    struct strbuf summary;
    enum exit_code code;
};

static void on_left(void *data, struct driver *driver)
{
    struct left *left = data;

    left->summary.len = 0;
    session_summary_add(driver, &left->summary);
    left->code = session_exit_code(driver_session(driver));
}

enum exit_code session_run_workbench(const struct app_options *options)
{
    struct left left = {.code = EXIT_CODE_IMPROVED};
    struct app_options app = *options;
    struct error err;
    enum status st;

    app.left = on_left;
    app.data = &left;
    st = app_run(&app, &err);
    command_print("%s", strbuf_cstr(&left.summary));
    strbuf_release(&left.summary);
    return st ? command_fail(&err) : left.code;
}

enum exit_code session_run(const struct run_options *options)
{
    const struct app_options app = {.driver = &options->driver,
                                    .theme = options->screen.theme,
                                    .tolerance = options->tolerance,
                                    .keys = options->screen.keys};

    return options->on_screen ? session_run_workbench(&app) : headless_run(options);
}

enum exit_code session_run_problem(struct run_options *options)
{
    struct worker_query *worker_query = NULL;
    const struct problem_file file = {options->driver.problem_path, options->tolerance,
                                      options->driver.evaluator};
    struct strbuf text = {0};
    struct error err;
    enum exit_code code;

    if (file.path && problem_file_read(&file, &worker_query, &text, &err)) {
        code = command_fail(&err);
    } else {
        options->driver.problem_text = file.path ? strbuf_cstr(&text) : NULL;
        options->driver.earlier = worker_query_evaluator(worker_query);
        code = session_run(options);
    }
    worker_query_close(worker_query);
    strbuf_release(&text);
    return code;
}
