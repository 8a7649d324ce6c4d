#include "tui/screens/suite/task_session.h"

#include "tui/screens/screen_replay.h"

static int64_t in_us(double seconds)
{
    return (int64_t)(seconds * 1e6);
}

struct evaluator_options task_session_evaluator(const struct suite_arm *arm)
{
    return (struct evaluator_options){
        .prefix = arm->worker,
        .device = arm->device,
        .build_limit_us = in_us(arm->build_limit),
        .run_limit_us = in_us(arm->run_limit),
        .tune_limit_us = in_us(arm->tune_limit),
        .timing_limit_us = in_us(arm->timing_limit),
        .tune_choices = arm->tune_choices,
    };
}

static void replay(struct screen_host *host, const char *id)
{
    struct error err = {0};

    if (screen_replay_open(host, id, 0, &err))
        chrome_say_error(host->chrome, &err);
    else
        chrome_say(host->chrome, ROLE_WARNING,
                   "another kforge runs the session: this is a replay so far");
}

void task_session_open(struct screen_host *host, const struct suite_follow *follow, size_t task)
{
    const struct suite *suite = &follow->store.suite;
    const struct suite_arm *arm = &suite->arms.items[suite_task_at(suite, task).arm];
    struct driver_options options = *host->options;
    struct error err = {0};

    options.problem_path = NULL;
    options.resume = follow->store.state.tasks[task].session;
    options.evaluator = task_session_evaluator(arm);
    if (!*options.resume)
        chrome_say(host->chrome, ROLE_WARNING, "this task has not begun yet");
    else if (follow->tasks[task].is_owned)
        replay(host, options.resume);
    else if (host->ops->open_session(host, &options, &err))
        chrome_say_error(host->chrome, &err);
}
