#include "tui/cli/run_options.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/quantity.h"
#include "core/session/store/rules_file.h"
#include "core/system/file.h"
#include "tui/term/theme.h"

enum option_id {
    OPTION_AGENT = 1,
    OPTION_POLICY,
    OPTION_ASK,
    OPTION_HEADLESS,
    OPTION_JSON,
    OPTION_REPO,
    OPTION_FUNCTIONAL,
    OPTION_OPTIMIZE,
    OPTION_ATTEMPTS,
    OPTION_FLAT,
    OPTION_THEME,
    OPTION_KEYS,
    OPTION_USD,
    OPTION_TOKENS,
    OPTION_MINUTES,
    OPTION_REFERENCE,
    OPTION_CONTEXT,
};

/* What a session has from its beginning. */
#define SESSION_ROWS                                                 \
    {"agent", required_argument, NULL, OPTION_AGENT},                \
        {"functional", required_argument, NULL, OPTION_FUNCTIONAL},  \
        {"optimize", required_argument, NULL, OPTION_OPTIMIZE},      \
        {"attempts", required_argument, NULL, OPTION_ATTEMPTS},      \
        {"flat", required_argument, NULL, OPTION_FLAT},              \
        {"context", required_argument, NULL, OPTION_CONTEXT},        \
        {"budget-usd", required_argument, NULL, OPTION_USD},         \
        {"budget-tokens", required_argument, NULL, OPTION_TOKENS},   \
        {"budget-minutes", required_argument, NULL, OPTION_MINUTES}, \
    {                                                                \
        "policy", required_argument, NULL, OPTION_POLICY             \
    }

/* How it is gone on with, where it runs and who sees it. */
#define RUNNING_ROWS                                                                          \
    {"ask", no_argument, NULL, OPTION_ASK}, {"headless", no_argument, NULL, OPTION_HEADLESS}, \
        {"json", no_argument, NULL, OPTION_JSON},                                             \
        {"theme", required_argument, NULL, OPTION_THEME},                                     \
        {"keys", required_argument, NULL, OPTION_KEYS}, WORKER_OPTIONS

const struct option run_option_rows[] = {
    SESSION_ROWS,
    RUNNING_ROWS,
    TOLERANCE_OPTION,
    {"repo", required_argument, NULL, OPTION_REPO},
    {"reference", required_argument, NULL, OPTION_REFERENCE},
    {0},
};

const struct option resume_option_rows[] = {
    RUNNING_ROWS,
    {"policy", required_argument, NULL, OPTION_POLICY},
    {0},
};

const struct option fork_option_rows[] = {SESSION_ROWS, {0}};

enum status options_parse_count(const char *text, const char *what, unsigned *count,
                                struct error *err)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);

    if (*end || !isdigit((unsigned char)*text) || value > 100000000)
        return error_set(err, STATUS_INVALID, "%s \"%s\": expected a whole number", what, text);
    *count = (unsigned)value;
    return STATUS_OK;
}

static enum status parse_attempts(const char *text, unsigned *attempts, struct error *err)
{
    size_t count;
    enum status st = quantity_parse_count(text, "--attempts", ROUND_ATTEMPTS, &count, err);

    if (!st)
        *attempts = (unsigned)count;
    return st;
}

static enum status parse_budget(const char *text, const char *what, double *budget,
                                struct error *err)
{
    char *end;
    double value = strtod(text, &end);

    if (*end || end == text || !(value > 0 && isfinite(value)))
        return error_set(err, STATUS_INVALID, "%s \"%s\": expected a number above 0", what, text);
    *budget = value;
    return STATUS_OK;
}

static enum status take_repository(struct driver_options *options, const char *folder,
                                   struct error *err)
{
    if (!*folder)
        return error_set(err, STATUS_INVALID,
                         "--repo \"\": expected a folder; without it kforge has its own");
    options->repository = folder;
    return STATUS_OK;
}

/* A preset, or a file of rules. */
static enum status take_policy(struct run_options *options, const char *name, struct error *err)
{
    enum status st;

    options->has_policy = true;
    rules_release(&options->rules);
    options->driver.rules = NULL;
    if (gate_preset(name, &options->driver.gate))
        return STATUS_OK;
    if (!file_exists(name))
        return error_set(err, STATUS_INVALID,
                         "no policy \"%s\": there is auto, guided, manual, or a file", name);
    st = rules_file_read(name, &options->rules, err);
    if (st)
        return st;
    options->driver.gate = options->rules.gate;
    options->driver.rules = &options->rules;
    return STATUS_OK;
}

static enum status take_option(struct run_options *options, int id, const char *value,
                               struct error *err)
{
    struct driver_options *d = &options->driver;

    switch (id) {
    case OPTION_AGENT:
        d->agent = value;
        return STATUS_OK;
    case OPTION_REPO:
        return take_repository(d, value, err);
    case OPTION_ASK:
        options->ask = true;
        return STATUS_OK;
    case OPTION_HEADLESS:
        options->headless = true;
        return STATUS_OK;
    case OPTION_JSON:
        options->as_json = true;
        options->headless = true;
        return STATUS_OK;
    case OPTION_POLICY:
        return take_policy(options, value, err);
    case OPTION_FUNCTIONAL:
        return options_parse_count(value, "--functional", &d->limits.functional, err);
    case OPTION_OPTIMIZE:
        return options_parse_count(value, "--optimize", &d->limits.optimize, err);
    case OPTION_ATTEMPTS:
        return parse_attempts(value, &d->limits.attempts, err);
    case OPTION_FLAT:
        return options_parse_count(value, "--flat", &d->limits.flat, err);
    case OPTION_THEME:
        options->theme = value;
        return STATUS_OK;
    case OPTION_CONTEXT:
        return options_parse_count(value, "--context", &d->limits.context, err);
    case OPTION_REFERENCE:
        d->reference = value;
        return STATUS_OK;
    case OPTION_TOLERANCE:
        return problem_file_take_tolerance(&options->tolerance, value, err);
    case OPTION_KEYS:
        options->keys = value;
        return STATUS_OK;
    case OPTION_USD:
        return parse_budget(value, "--budget-usd", &d->limits.budget[RESOURCE_USD], err);
    case OPTION_TOKENS:
        return parse_budget(value, "--budget-tokens", &d->limits.budget[RESOURCE_TOKENS], err);
    case OPTION_MINUTES:
        return parse_budget(value, "--budget-minutes", &d->limits.budget[RESOURCE_MINUTES], err);
    default:
        return worker_options_take(&d->evaluator, id, value, err);
    }
}

void run_options_release(struct run_options *options)
{
    rules_release(&options->rules);
}

static enum status check_together(const struct run_options *options, struct error *err)
{
    struct theme theme;

    if (options->ask && options->as_json)
        return error_set(err, STATUS_INVALID, "--ask and --json both want standard output");
    if (options->keys && (options->ask || options->headless))
        return error_set(err, STATUS_INVALID,
                         "--keys is for the screen: leave out --headless, --json and --ask");
    return options->theme ? theme_load(options->theme, &theme, err) : STATUS_OK;
}

enum status run_options_take(struct run_options *options, const struct option *rows, int argc,
                             char **argv, struct error *err)
{
    enum status st = STATUS_OK;
    int id;

    optind = 1;
    while (!st && (id = command_option(argc, argv, rows, err)) != -1)
        st = take_option(options, id, optarg, err);
    if (!st)
        st = check_together(options, err);
    if (st)
        return st;
    if (argc - optind > 2)
        return error_set(err, STATUS_INVALID, "one argument too many: %s", argv[optind + 2]);
    options->argument = argv[optind];
    options->second = options->argument ? argv[optind + 1] : NULL;
    return STATUS_OK;
}

/* Who is there to see and to decide. */
static void settle(struct run_options *options)
{
    options->on_screen = !options->headless && !options->ask &&
                         (options->keys || (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)));
    if (!options->has_policy)
        gate_preset(options->on_screen || options->ask ? "guided" : "auto", &options->driver.gate);
}

enum status run_options_parse(struct run_options *options, const struct option *rows, int argc,
                              char **argv, struct error *err)
{
    enum status st;

    *options = (struct run_options){
        .driver = {.agent = "builtin", .limits = {.functional = 5, .optimize = 12, .flat = 4}}};
    st = run_options_take(options, rows, argc, argv, err);
    if (!st && options->second)
        st = error_set(err, STATUS_INVALID, "one argument too many: %s", options->second);
    if (!st)
        settle(options);
    return st;
}
