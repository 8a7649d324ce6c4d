#include "tui/cli/suite/suite_work.h"

#include <signal.h>
#include <stdio.h>

#include "core/session/state/scale.h"
#include "core/suite/run/suite_run.h"
#include "core/suite/suite_session.h"
#include "tui/term/signals.h"

struct work {
    struct loop *loop;
    struct suite_store *store;
    struct suite_run *run;
    bool as_json, is_interrupted;
    int64_t began_us;
    enum exit_code code;
};

/* Append a session's result, such as "71.8 us, 1.25x over the plain kernel, 12 attempts". */
static void describe_session(const char *id, struct strbuf *out)
{
    struct session session = {0};
    const struct attempt *best;
    struct error err;

    if (!suite_session_read(id, &session, &err)) {
        best = session_attempt(&session, session.now.best);
        if (best) {
            strbuf_adds(out, ", ");
            scale_describe(&session, best, out);
        }
        strbuf_addf(out, ", %zu %s", session.attempts.count,
                    session.attempts.count == 1 ? "attempt" : "attempts");
    }
    session_release(&session);
}

/* Print the task, the number of ended tasks and of all tasks, and `result`. */
static void print_task(const struct work *work, unsigned number, const char *result)
{
    const struct suite_state *state = &work->store->state;
    const struct suite *suite = &work->store->suite;
    struct suite_task at = suite_task_at(suite, number - 1);
    struct strbuf label = {0};

    suite_add_label(suite, at.problem, &label);
    command_print("%7.1fs  %zu/%zu  %s, %s, repeat %u: %s\n",
                  (double)(clock_now_us() - work->began_us) * 1e-6,
                  state->in_phase[TASK_HAS_ENDED] + state->in_phase[TASK_HAS_FAILED], state->count,
                  strbuf_cstr(&label), suite->arms.items[at.arm].name, at.repeat + 1, result);
    fflush(stdout);
    strbuf_release(&label);
}

static void print_ended(const struct work *work, const struct task_ended *ended)
{
    static const char *const words[] = {[TASK_IMPROVED] = "faster",
                                        [TASK_NO_GAIN] = "correct, no gain over its first kernel",
                                        [TASK_INCORRECT] = "nothing correct",
                                        [TASK_OVER_BUDGET] = "a budget is used up"};
    struct strbuf text = {0};

    strbuf_adds(&text, words[ended->result]);
    describe_session(ended->session, &text);
    print_task(work, ended->task, strbuf_cstr(&text));
    strbuf_release(&text);
}

static void on_recorded(void *data, const struct event *event)
{
    const struct work *work = data;
    union event_data read;
    struct strbuf text = {0};

    if (work->as_json) {
        command_print_json(event->body);
        return;
    }
    if (event_decode(event, event_name(event->type), &read, NULL))
        return;
    if (event->type == EVENT_TASK_ENDED) {
        print_ended(work, &read.task_ended);
    } else if (event->type == EVENT_TASK_FAILED) {
        strbuf_addf(&text, "failed: %s", read.task_failed.reason);
        print_task(work, read.task_failed.task, strbuf_cstr(&text));
    } else if (event->type == EVENT_SUITE_STOPPED) {
        command_print("stopped: %s\n", read.suite_stopped.reason);
    } else if (event->type == EVENT_SUITE_SUBMITTED) {
        command_print("%7.1fs  %u tasks are job %s of Slurm\n",
                      (double)(clock_now_us() - work->began_us) * 1e-6, read.suite_submitted.tasks,
                      read.suite_submitted.job);
        fflush(stdout);
    }
    strbuf_release(&text);
}

static void on_asks(void *data, size_t task)
{
    const struct work *work = data;

    if (!work->as_json)
        print_task(work, (unsigned)task + 1, "waits for a decision");
}

static void on_notice(void *data, const char *line)
{
    const struct work *work = data;

    if (work->as_json)
        command_notice(NULL, line);
    else
        command_print("%7.1fs  %s\n", (double)(clock_now_us() - work->began_us) * 1e-6, line);
    fflush(stdout);
}

static enum exit_code find_code(const struct work *work)
{
    const struct suite_state *state = &work->store->state;

    if (work->is_interrupted)
        return EXIT_CODE_INTERRUPTED;
    if (state->in_phase[TASK_HAS_FAILED])
        return EXIT_CODE_UNAVAILABLE;
    if (state->stopped)
        return EXIT_CODE_BUDGET;
    if (state->in_phase[TASK_WAITS])
        return EXIT_CODE_UNAVAILABLE; /* no host can be used any more */
    return state->in_phase[TASK_RUNS] ? EXIT_CODE_ASKS : EXIT_CODE_IMPROVED;
}

/* Print the number of tasks in each phase, and the command that continues the suite. */
static void conclude(const struct work *work)
{
    const struct suite_state *state = &work->store->state;
    size_t open = state->in_phase[TASK_WAITS] + state->in_phase[TASK_RUNS];

    command_print("suite %s: %zu of %zu tasks ended, %zu failed\n", state->id,
                  state->in_phase[TASK_HAS_ENDED], state->count, state->in_phase[TASK_HAS_FAILED]);
    if (open + state->in_phase[TASK_HAS_FAILED])
        command_print("continue with: kforge suite resume %s\n", work->store->id);
}

static void on_ended(void *data, const struct error *err)
{
    struct work *work = data;

    work->code = err ? command_fail(err) : find_code(work);
    if (!work->as_json)
        conclude(work);
    loop_stop(work->loop);
}

static void on_signal(void *data, int number)
{
    struct work *work = data;

    if (number != SIGINT && number != SIGTERM && number != SIGHUP)
        return;
    work->is_interrupted = true;
    suite_run_interrupt(work->run);
}

static enum exit_code run(struct suite_store *store, const struct suite_options *options,
                          const struct suite_place *place)
{
    const struct suite_run_options how = {options->jobs, place};
    struct work work = {.loop = loop_new(),
                        .store = store,
                        .as_json = options->as_json,
                        .began_us = clock_now_us()};
    const struct suite_run_listener listener = {on_recorded, on_asks, on_ended, &work, on_notice};
    struct signals signals;

    if (!work.as_json)
        command_print("suite %s: %zu %s x %zu %s x %u %s\n", store->id, store->suite.problems.count,
                      store->suite.problems.count == 1 ? "problem" : "problems",
                      store->suite.arms.count, store->suite.arms.count == 1 ? "arm" : "arms",
                      store->suite.repeats, store->suite.repeats == 1 ? "repeat" : "repeats");
    work.run = suite_run_new(work.loop, store, &how, &listener);
    signals_watch(&signals, work.loop, on_signal, &work);
    loop_run(work.loop);
    signals_unwatch(&signals);
    suite_run_free(work.run);
    loop_free(work.loop);
    return work.code;
}

enum exit_code suite_work(struct suite_store *store, const struct suite_options *options)
{
    struct suite_place place = {0};
    struct error err;
    enum exit_code code;

    if (suite_place_parse(&place, options->on ? options->on : store->suite.on, &err))
        return command_fail(&err);
    code = run(store, options, &place);
    suite_place_release(&place);
    return code;
}
