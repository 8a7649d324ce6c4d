#include <stdio.h>

#include "core/session/recorded/port.h"
#include "tui/cli/command.h"
#include "tui/cli/run_options.h"

static void print_fork(const struct recording *parent, unsigned number, const char *id)
{
    const struct step *step = session_step(&parent->session, number);

    command_print("session %s shares the steps of %s before step %u (%s: %s)\ncontinue with: "
                  "kforge resume %s\n",
                  id, parent->session.id, number, step_kind_name(step->kind), step->title, id);
}

/* Make a new session in another language or on another device. */
static enum exit_code port_from(const struct recording *parent, const struct run_options *options)
{
    const struct port_target target = {options->driver.language, options->driver.evaluator.device};
    const struct fork_options fork = {options->driver.agent, options->driver.roles,
                                      options->driver.limits, options->driver.gate};
    char id[CATALOG_ID_SIZE];
    struct error err;

    if (port_session(parent, &target, &fork, id, &err))
        return command_fail(&err);
    command_print("session %s begins with the best kernel of %s as its reference\n"
                  "continue with: kforge resume %s\n",
                  id, parent->session.id, id);
    return EXIT_CODE_IMPROVED;
}

/* Make a fork. Its options are those of the parent session, which the command line overrides. */
static enum exit_code fork_from(const struct recording *parent, struct run_options *options,
                                int argc, char **argv)
{
    struct fork_options fork;
    char id[CATALOG_ID_SIZE];
    struct error err;
    unsigned step;

    if (fork_read_options(parent, &fork, &err))
        return command_fail(&err);
    options->driver.agent = fork.agent;
    options->driver.roles = fork.roles;
    options->agents = 0;
    options->driver.limits = fork.limits;
    options->driver.gate = fork.gate;
    if (run_options_take(options, fork_option_sets, argc, argv, &err))
        return command_fail(&err);
    if (options->driver.language || options->driver.evaluator.device)
        return port_from(parent, options);
    fork = (struct fork_options){options->driver.agent, options->driver.roles,
                                 options->driver.limits, options->driver.gate};
    if (option_parse_count(options->second, "step", &step, &err) ||
        fork_session(parent, step, &fork, id, &err))
        return command_fail(&err);
    print_fork(parent, step, id);
    return EXIT_CODE_IMPROVED;
}

static enum status take_options(struct run_options *options, int argc, char **argv,
                                struct error *err)
{
    enum status st = run_options_take(options, fork_option_sets, argc, argv, err);
    bool ports;

    ports = options->driver.language || options->driver.evaluator.device;
    if (!st && ports && options->second)
        st = error_set(err, STATUS_INVALID,
                       "%s: with --language or --device the new session begins with the best "
                       "kernel: leave the step out",
                       options->second);
    if (!st && (!options->argument || (!options->second && !ports)))
        st = command_expects(&fork_command, err);
    if (!st && options->driver.rules)
        st = error_set(
            err, STATUS_INVALID,
            "--policy FILE: kforge fork takes auto, guided or manual; kforge resume takes a file");
    return st;
}

static enum exit_code fork_run(int argc, char **argv)
{
    struct recording parent = {0};
    struct run_options options = {0};
    enum exit_code code;
    struct error err;

    if (take_options(&options, argc, argv, &err) || recording_open(options.argument, &parent, &err))
        code = command_fail(&err);
    else
        code = fork_from(&parent, &options, argc, argv);
    recording_release(&parent);
    run_options_release(&options);
    return code;
}

const struct command fork_command = {
    .name = "fork",
    .arguments = "SESSION [STEP]",
    .options = fork_option_sets,
    .summary = "Make a new session from another one: it shares the steps before STEP, or ports the "
               "best kernel.",
    .details =
        "STEP is decided again.  With --language or --device and without STEP, the new "
        "session shares no\nsteps: it begins with the best kernel as the reference to "
        "port.\nThe agent, the policy, the limits and the budgets are those of the other session "
        "unless options\nchange them.  The cost of the shared steps does not count.",
    .exits = "0 done, 2 usage, no such session or step, 5 disk",
    .run = fork_run,
};
