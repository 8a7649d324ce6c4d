#include "tui/cli/run_options.h"

#include "core/base/array.h"
#include "core/model/language.h"
#include "core/session/store/rules_file.h"
#include "core/system/file.h"
#include "tui/cli/problem_file.h"
#include "tui/cli/worker_options.h"
#include "tui/term/theme.h"

static enum status take_repository(void *field, const char *folder, struct error *err)
{
    if (!*folder)
        return error_set(err, STATUS_INVALID,
                         "--repo \"\": expected a folder; leave --repo out to use kforge's own");
    *(const char **)field = folder;
    return STATUS_OK;
}

enum status run_options_set_policy(struct run_options *options, const char *name, struct error *err)
{
    enum status st;

    options->has_policy = true;
    rules_release(&options->rules);
    options->driver.rules = NULL;
    if (gate_preset(name, &options->driver.gate))
        return STATUS_OK;
    if (!file_exists(name))
        return error_set(err, STATUS_INVALID,
                         "no policy \"%s\": expected auto, guided, manual or a file", name);
    st = rules_file_read(name, &options->rules, err);
    if (st)
        return st;
    options->driver.gate = options->rules.gate;
    options->driver.rules = &options->rules;
    return STATUS_OK;
}

static enum status take_language(void *field, const char *name, struct error *err)
{
    if (!language_of(name)->name)
        return language_refuse(name, err);
    *(const char **)field = name;
    return STATUS_OK;
}

static enum status take_policy(void *field, const char *name, struct error *err)
{
    return run_options_set_policy(field, name, err);
}

/* Take an agent. The first one replaces the default; further ones write kernels in turn with it. */
static enum status take_agent(void *field, const char *name, struct error *err)
{
    struct run_options *options = field;
    struct roles *roles = &options->driver.roles;

    if (options->agents++ == 0) {
        options->driver.agent = name;
        roles->other_count = 0;
        return STATUS_OK;
    }
    if (roles->other_count == COUNT(roles->others))
        return error_set(err, STATUS_INVALID, "--agent: at most %zu agents write kernels",
                         roles_count_writers(roles));
    roles->others[roles->other_count++] = name;
    return STATUS_OK;
}

/* Take a file for the first analysis; the files keep the order of the options. */
static enum status take_attached(void *field, const char *path, struct error *err)
{
    const char **attached = field;
    size_t count = 0;

    while (count < DRIVER_ATTACHMENTS && attached[count])
        count++;
    if (count == DRIVER_ATTACHMENTS)
        return error_set(err, STATUS_INVALID, "--attach: at most %d files can be attached",
                         DRIVER_ATTACHMENTS);
    attached[count] = path;
    return STATUS_OK;
}

#define AT(field) offsetof(struct run_options, field)

const struct option_row session_options[] = {
    {.name = "agent",
     .value = "builtin|openai:MODEL|anthropic:MODEL|command:COMMAND|manual[:FOLDER]|"
              "recorded:FOLDER",
     .help = "the agent that writes kernels, and analyses them without --analyst; given several\n"
             "times, each attempt goes to the next agent",
     .kind = OPTION_CUSTOM,
     .take = take_agent},
    {.name = "analyst",
     .value = "AGENT|none",
     .help = "the agent that analyses; with `none` the writers choose each change by themselves",
     .kind = OPTION_TEXT,
     .offset = AT(driver.roles.analyst)},
    {.name = "without-profile",
     .help = "do not profile kernels: agents see only times and bounds",
     .kind = OPTION_FLAG,
     .offset = AT(driver.roles.without_profile)},
    {.name = "language",
     .value = "NAME",
     .help = "the language to write, one that the device takes; the default is the device's own",
     .kind = OPTION_CUSTOM,
     .offset = AT(driver.language),
     .take = take_language},
    {.name = "functional",
     .value = "N",
     .help = "at most N attempts until the first correct candidate",
     .kind = OPTION_COUNT,
     .offset = AT(driver.limits.functional)},
    {.name = "optimize",
     .value = "N",
     .help = "at most N attempts after the first correct candidate",
     .kind = OPTION_COUNT,
     .offset = AT(driver.limits.optimize)},
    {.name = "attempts",
     .value = "N",
     .help = "ask for N candidates in each round and continue with the best; by default one of\n"
             "each agent",
     .kind = OPTION_COUNT,
     .offset = AT(driver.limits.attempts),
     .most = ROUND_ATTEMPTS},
    {.name = "flat",
     .value = "N",
     .help = "end after N rounds in a row without a gain",
     .kind = OPTION_COUNT,
     .offset = AT(driver.limits.flat)},
    {.name = "context",
     .value = "N",
     .help = "the most tokens of prompt and reply together; longer prompts are\n"
             "shortened.  Known for the models in prompts/prices.json",
     .kind = OPTION_COUNT,
     .offset = AT(driver.limits.context)},
    {.name = "budget-usd",
     .value = "X",
     .help = "end after X dollars",
     .kind = OPTION_AMOUNT,
     .offset = AT(driver.limits.budget[RESOURCE_USD])},
    {.name = "budget-tokens",
     .value = "N",
     .help = "end after N tokens",
     .kind = OPTION_AMOUNT,
     .offset = AT(driver.limits.budget[RESOURCE_TOKENS])},
    {.name = "budget-minutes",
     .value = "X",
     .help = "end after X minutes",
     .kind = OPTION_AMOUNT,
     .offset = AT(driver.limits.budget[RESOURCE_MINUTES])},
    {0},
};

static const struct option_row policy_option[] = {
    {.name = "policy",
     .value = "auto|guided|manual|FILE",
     .help = "the steps that wait for your decision",
     .kind = OPTION_CUSTOM,
     .take = take_policy},
    {0},
};

static const struct option_row fork_policy_option[] = {
    {.name = "policy",
     .value = "auto|guided|manual",
     .help = "the steps that wait for your decision",
     .kind = OPTION_CUSTOM,
     .take = take_policy},
    {0},
};

static const struct option_row language_option[] = {
    {.name = "language",
     .value = "NAME",
     .help = "the language to write from now on, one that the device takes; the best kernel\n"
             "is the reference",
     .kind = OPTION_CUSTOM,
     .offset = AT(driver.language),
     .take = take_language},
    {0},
};

static const struct option_row ask_option[] = {
    {.name = "ask",
     .help = "without a screen: read decisions from standard input, one on each line",
     .kind = OPTION_FLAG,
     .offset = AT(ask)},
    {0},
};

static const struct option_row no_wait_option[] = {
    {.name = "no-wait",
     .help = "end without waiting for baselines that PyTorch is still compiling",
     .kind = OPTION_FLAG,
     .offset = AT(driver.leaves_baselines)},
    {0},
};

static const struct option_row problem_options[] = {
    {.name = "repo",
     .value = "DIR",
     .help = "commit candidates to this git repository instead of kforge's own",
     .kind = OPTION_CUSTOM,
     .offset = AT(driver.repository),
     .take = take_repository},
    {.name = "reference",
     .value = "FILE|SESSION",
     .help = "give the model the implementation in FILE, in any language, or the best kernel of\n"
             "SESSION, to port; a kernel that the device takes is judged first",
     .kind = OPTION_TEXT,
     .offset = AT(driver.reference)},
    {.name = "attach",
     .value = "FILE",
     .help = "give the first analysis a text or an image; can be given several times",
     .kind = OPTION_CUSTOM,
     .offset = AT(driver.attached),
     .take = take_attached},
    {.name = "picture",
     .value = "kcachegrind|COMMAND",
     .help = "after each correct candidate let COMMAND write NAME.png, a picture of a profiler's\n"
             "window with the candidate, for the analysis; COMMAND runs it outside of the judge",
     .kind = OPTION_TEXT,
     .offset = AT(driver.picture)},
    {0},
};

const struct option_set run_option_sets[] = {
    {session_options, 0},
    {policy_option, 0},
    {ask_option, 0},
    {no_wait_option, 0},
    {screen_option_rows, AT(screen)},
    {problem_options, 0},
    {tolerance_option, AT(tolerance)},
    {worker_options, AT(driver.evaluator)},
    {0},
};

const struct option_set resume_option_sets[] = {
    {language_option, 0},
    {policy_option, 0},
    {ask_option, 0},
    {no_wait_option, 0},
    {screen_option_rows, AT(screen)},
    {worker_options, AT(driver.evaluator)},
    {0},
};

static const struct option_row fork_device_option[] = {
    {.name = "device",
     .value = "ID",
     .help = "begin on this device, an id or the beginning of one, with the best kernel as the\n"
             "reference",
     .kind = OPTION_TEXT,
     .offset = AT(driver.evaluator.device)},
    {0},
};

const struct option_set fork_option_sets[] = {
    {fork_device_option, 0},
    {session_options, 0},
    {fork_policy_option, 0},
    {0},
};

void run_options_release(struct run_options *options)
{
    rules_release(&options->rules);
}

static enum status check_together(const struct run_options *options, struct error *err)
{
    struct theme theme;

    if (options->ask && options->screen.as_json)
        return error_set(err, STATUS_INVALID,
                         "--ask and --json both use standard output: leave one out");
    if (options->screen.keys &&
        (options->ask || options->screen.headless || options->screen.as_json))
        return error_set(err, STATUS_INVALID,
                         "--keys needs the screen: leave out --headless, --json and --ask");
    return options->screen.theme ? theme_load(options->screen.theme, &theme, err) : STATUS_OK;
}

enum status run_options_take(struct run_options *options, const struct option_set *sets, int argc,
                             char **argv, struct error *err)
{
    struct arguments arguments = {argc, argv};
    enum status st = option_parse(sets, options, &arguments, err);

    if (!st)
        st = check_together(options, err);
    if (st)
        return st;
    if (arguments.count > 2)
        return error_set(err, STATUS_INVALID, "one argument too many: %s", arguments.items[2]);
    options->argument = arguments.items[0];
    options->second = options->argument ? arguments.items[1] : NULL;
    return STATUS_OK;
}

/* Without --policy, the policy asks the engineer only if one can answer. */
static void settle(struct run_options *options)
{
    options->on_screen = !options->ask && screen_options_want_screen(&options->screen);
    if (!options->has_policy)
        gate_preset(options->on_screen || options->ask ? "guided" : "auto", &options->driver.gate);
}

enum status run_options_parse(struct run_options *options, const struct option_set *sets, int argc,
                              char **argv, struct error *err)
{
    enum status st;

    *options = (struct run_options){.driver = {.agent = "builtin", .limits = limits_default}};
    st = run_options_take(options, sets, argc, argv, err);
    if (!st && options->second)
        st = error_set(err, STATUS_INVALID, "one argument too many: %s", options->second);
    if (!st)
        settle(options);
    return st;
}
