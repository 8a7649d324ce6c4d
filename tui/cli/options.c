#include "tui/cli/options.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/quantity.h"

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

static const struct option long_options[] = {
    {"agent", required_argument, NULL, OPTION_AGENT},
    WORKER_OPTIONS,
    TOLERANCE_OPTION,
    {"policy", required_argument, NULL, OPTION_POLICY},
    {"ask", no_argument, NULL, OPTION_ASK},
    {"headless", no_argument, NULL, OPTION_HEADLESS},
    {"json", no_argument, NULL, OPTION_JSON},
    {"repo", required_argument, NULL, OPTION_REPO},
    {"functional", required_argument, NULL, OPTION_FUNCTIONAL},
    {"optimize", required_argument, NULL, OPTION_OPTIMIZE},
    {"attempts", required_argument, NULL, OPTION_ATTEMPTS},
    {"flat", required_argument, NULL, OPTION_FLAT},
    {"theme", required_argument, NULL, OPTION_THEME},
    {"keys", required_argument, NULL, OPTION_KEYS},
    {"budget-usd", required_argument, NULL, OPTION_USD},
    {"budget-tokens", required_argument, NULL, OPTION_TOKENS},
    {"budget-minutes", required_argument, NULL, OPTION_MINUTES},
    {"reference", required_argument, NULL, OPTION_REFERENCE},
    {"context", required_argument, NULL, OPTION_CONTEXT},
    {0},
};

static bool refuse(const char *what, const char *text, const char *expected)
{
    fprintf(stderr, "kforge: %s \"%s\": expected %s\n", what, text, expected);
    return false;
}

bool options_parse_count(const char *text, const char *what, unsigned *count)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);

    if (*end || !isdigit((unsigned char)*text) || value > 100000000)
        return refuse(what, text, "a whole number");
    *count = (unsigned)value;
    return true;
}

static bool parse_attempts(const char *text, unsigned *attempts)
{
    struct error err;
    size_t count;

    if (quantity_parse_count(text, "--attempts", ROUND_ATTEMPTS, &count, &err)) {
        (void)command_fail(&err);
        return false;
    }
    *attempts = (unsigned)count;
    return true;
}

static bool parse_budget(const char *text, const char *what, double *budget)
{
    char *end;
    double value = strtod(text, &end);

    if (*end || end == text || !(value > 0 && isfinite(value)))
        return refuse(what, text, "a number above 0");
    *budget = value;
    return true;
}

/* A preset, or a file of rules. */
static bool take_policy(struct run_options *options, const char *name)
{
    struct error err;

    options->has_policy = true;
    rules_release(&options->rules);
    options->driver.rules = NULL;
    if (gate_preset(name, &options->driver.gate))
        return true;
    if (!file_exists(name)) {
        fprintf(stderr, "kforge: no policy \"%s\": there is auto, guided, manual, or a file\n",
                name);
        return false;
    }
    if (rules_read(name, &options->rules, &err)) {
        fprintf(stderr, "kforge: %s\n", err.text);
        return false;
    }
    options->driver.gate = options->rules.gate;
    options->driver.rules = &options->rules;
    return true;
}

static bool take_option(struct run_options *options, int id, const char *value)
{
    struct driver_options *d = &options->driver;

    switch (id) {
    case OPTION_AGENT:
        d->agent = value;
        return true;
    case OPTION_REPO:
        d->repository = value;
        return true;
    case OPTION_ASK:
        options->ask = true;
        return true;
    case OPTION_HEADLESS:
        options->headless = true;
        return true;
    case OPTION_JSON:
        options->as_json = true;
        options->headless = true;
        return true;
    case OPTION_POLICY:
        return take_policy(options, value);
    case OPTION_FUNCTIONAL:
        return options_parse_count(value, "--functional", &d->limits.functional);
    case OPTION_OPTIMIZE:
        return options_parse_count(value, "--optimize", &d->limits.optimize);
    case OPTION_ATTEMPTS:
        return parse_attempts(value, &d->limits.attempts);
    case OPTION_FLAT:
        return options_parse_count(value, "--flat", &d->limits.flat);
    case OPTION_THEME:
        options->theme = value;
        return true;
    case OPTION_CONTEXT:
        return options_parse_count(value, "--context", &d->limits.context);
    case OPTION_REFERENCE:
        d->reference = value;
        return true;
    case OPTION_TOLERANCE:
        return problem_file_take_tolerance(&options->tolerance, value);
    case OPTION_KEYS:
        options->keys = value;
        return true;
    case OPTION_USD:
        return parse_budget(value, "--budget-usd", &d->limits.budget[RESOURCE_USD]);
    case OPTION_TOKENS:
        return parse_budget(value, "--budget-tokens", &d->limits.budget[RESOURCE_TOKENS]);
    case OPTION_MINUTES:
        return parse_budget(value, "--budget-minutes", &d->limits.budget[RESOURCE_MINUTES]);
    default:
        return worker_options_take(&d->evaluator, id, value);
    }
}

void run_options_release(struct run_options *options)
{
    rules_release(&options->rules);
}

bool run_options_take(struct run_options *options, int argc, char **argv)
{
    int id;

    optind = 1;
    while ((id = getopt_long(argc, argv, "", long_options, NULL)) != -1)
        if (!take_option(options, id, optarg))
            return false;
    if (options->ask && options->as_json) {
        fprintf(stderr, "kforge: --ask and --json both want standard output\n");
        return false;
    }
    if (argc - optind > 2) {
        fprintf(stderr, "kforge: one argument too many: %s\n", argv[optind + 2]);
        return false;
    }
    options->argument = argv[optind];
    options->second = options->argument ? argv[optind + 1] : NULL;
    return true;
}

bool run_options_parse(struct run_options *options, int argc, char **argv)
{
    *options = (struct run_options){
        .driver = {.agent = "builtin", .limits = {.functional = 5, .optimize = 12, .flat = 4}}};
    if (!run_options_take(options, argc, argv))
        return false;
    if (options->second) {
        fprintf(stderr, "kforge: one argument too many: %s\n", options->second);
        return false;
    }
    options->on_screen = !options->headless && !options->ask &&
                         (options->keys || (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)));
    if (!options->has_policy)
        gate_preset(options->on_screen || options->ask ? "guided" : "auto", &options->driver.gate);
    return true;
}
