#include "tui/screens/suite/suite_queue.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/base/array.h"
#include "core/system/file.h"
#include "tui/screens/suite/screen_suite.h"

static void on_started(void *data, const char *suite)
{
    struct suite_queue *queue = data;
    struct error err = {0};

    for (size_t i = 0; i < queue->problem_list->count; i++)
        queue->problem_list->items[i].is_marked = false;
    if (screen_suite_open(queue->host, suite, &err))
        chrome_say_error(queue->host->chrome, &err);
    else
        chrome_say(queue->host->chrome, ROLE_GOOD,
                   "suite %s runs in the background: leaving kforge does not end it", suite);
}

void suite_queue_open(struct suite_queue *queue)
{
    queue->starter =
        (struct suite_starter){.host = queue->host, .started = on_started, .data = queue};
}

void suite_queue_release(struct suite_queue *queue)
{
    suite_starter_leave(&queue->starter);
}

static size_t count_marked(const struct suite_queue *queue)
{
    size_t count = 0;

    for (size_t i = 0; i < queue->problem_list->count; i++)
        count += queue->problem_list->items[i].is_marked;
    return count;
}

static void mark(struct suite_queue *queue, size_t problem)
{
    struct listed_problem *listed = &queue->problem_list->items[problem];
    size_t count;
    char key[KEYMAP_KEY_SIZE];

    listed->is_marked = !listed->is_marked;
    count = count_marked(queue);
    if (count)
        chrome_say(queue->host->chrome, ROLE_TEXT, "%zu marked: %s runs %s as a suite", count,
                   keymap_key_of(&queue->host->chrome->keymap, COMMAND_RUN_SUITE, key),
                   count == 1 ? "it" : "them");
}

static void add_count(struct suite_arguments *arguments, const char *option, unsigned value)
{
    char text[24];

    snprintf(text, sizeof(text), "%u", value);
    suite_arguments_add_option(arguments, option, text);
}

static void add_limits(struct suite_arguments *arguments, const struct limits *limits)
{
    static const char *const budgets[RESOURCES] = {[RESOURCE_USD] = "--budget-usd",
                                                   [RESOURCE_TOKENS] = "--budget-tokens",
                                                   [RESOURCE_MINUTES] = "--budget-minutes"};
    char text[32];

    add_count(arguments, "--functional", limits->functional);
    add_count(arguments, "--optimize", limits->optimize);
    if (limits->attempts) /* without the option, one attempt of each agent */
        add_count(arguments, "--attempts", limits->attempts);
    add_count(arguments, "--flat", limits->flat);
    for (size_t i = 0; i < RESOURCES; i++) {
        snprintf(text, sizeof(text), "%.17g", limits->budget[i]);
        if (limits->budget[i] > 0)
            suite_arguments_add_option(arguments, budgets[i], text);
    }
}

static void add_time(struct suite_arguments *arguments, const char *option, int64_t us)
{
    char text[32];

    snprintf(text, sizeof(text), "%g", (double)us * 1e-6);
    if (us > 0)
        suite_arguments_add_option(arguments, option, text);
}

/* Add the time limits that the command line gave. */
static void add_times(struct suite_arguments *arguments, const struct evaluator_options *options)
{
    add_time(arguments, "--build-limit", options->build_limit_us);
    add_time(arguments, "--run-limit", options->run_limit_us);
    add_time(arguments, "--tune-limit", options->tune_limit_us);
    add_time(arguments, "--timing-limit", options->timing_limit_us);
    if (options->tune_choices)
        add_count(arguments, "--tune-choices", (unsigned)options->tune_choices);
}

/*
 * Name the suite after its first problem and the number of the others: "softmax+2".  Names of
 * suites allow letters, digits and some marks (suite.h); characters that they do not allow are
 * replaced.
 */
static void add_name(struct suite_arguments *arguments, const struct suite_queue *queue)
{
    size_t first = 0, count = count_marked(queue);
    char name[32], text[sizeof(name) + 24];

    while (!queue->problem_list->items[first].is_marked)
        first++;
    snprintf(name, sizeof(name), "%s", queue->problem_list->items[first].problem.name);
    for (char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("._+-", *at))
            *at = '_';
    if (count > 1)
        snprintf(text, sizeof(text), "%s+%zu", name, count - 1);
    suite_arguments_add_option(arguments, "--name", count > 1 ? text : name);
}

/* Add the agents besides the first one. */
static void add_roles(struct suite_arguments *arguments, const struct roles *roles)
{
    for (size_t i = 0; i < roles->other_count; i++)
        suite_arguments_add_option(arguments, "--agent", roles->others[i]);
    suite_arguments_add_option(arguments, "--analyst", roles->analyst);
    if (roles->without_profile)
        suite_arguments_add(arguments, "--without-profile");
}

/* Add the settings of the first screen as options of `kforge suite run`. */
static void add_settings(struct suite_arguments *arguments, const struct start_settings *settings)
{
    const struct driver_options options = start_settings_options(settings);

    suite_arguments_add_option(arguments, "--agent", options.agent);
    add_roles(arguments, &options.roles);
    suite_arguments_add_option(arguments, "--policy", start_settings_policy(settings));
    suite_arguments_add_option(arguments, "--device", options.evaluator.device);
    suite_arguments_add_option(arguments, "--worker", options.evaluator.prefix);
    suite_arguments_add_option(arguments, "--reference", options.reference);
    suite_arguments_add_option(arguments, "--language", options.language);
    suite_arguments_add_option(arguments, "--tolerance", start_settings_tolerance(settings));
    add_limits(arguments, &options.limits);
    add_times(arguments, &options.evaluator);
}

static void enter_repeats(void *data, const char *repeats)
{
    static const char *const words[] = {"/proc/self/exe", "suite", "run", "--detach", "--json"};
    struct suite_queue *queue = data;
    struct suite_arguments arguments = {0};

    if (!*repeats)
        return;
    for (size_t i = 0; i < COUNT(words); i++)
        suite_arguments_add(&arguments, words[i]);
    suite_arguments_add_option(&arguments, "--repeats", repeats);
    add_name(&arguments, queue);
    add_settings(&arguments, queue->settings);
    for (size_t i = 0; i < queue->problem_list->count; i++)
        if (queue->problem_list->items[i].is_marked)
            suite_arguments_add_option(&arguments, "--problems",
                                       queue->problem_list->items[i].path);
    suite_starter_begin(&queue->starter, &arguments);
}

static void run_or_ask(struct suite_queue *queue, const char *repeats)
{
    static const struct screen_prompt prompt = {.entered = enter_repeats};
    size_t count = count_marked(queue);
    char label[CHROME_LABEL_SIZE], key[KEYMAP_KEY_SIZE];

    if (!count) {
        chrome_say(queue->host->chrome, ROLE_WARNING,
                   "no problem is marked: %s marks the selected one",
                   keymap_key_of(&queue->host->chrome->keymap, COMMAND_SELECT, key));
        return;
    }
    if (*repeats) {
        enter_repeats(queue, repeats);
        return;
    }
    snprintf(label, sizeof(label), "run %zu %s as a suite, %s, policy %s; repeats: ", count,
             count == 1 ? "problem" : "problems", queue->settings->agent,
             start_settings_policy(queue->settings));
    queue->host->ops->ask(queue->host, &prompt, queue, label, "1");
}

bool suite_queue_command(struct suite_queue *queue, const struct call *call,
                         struct widget_list *list)
{
    size_t count = queue->problem_list->count;

    if (call->row->command == COMMAND_RUN_SUITE) {
        run_or_ask(queue, call->argument);
        return true;
    }
    if (call->row->command != COMMAND_SELECT)
        return false;
    if (list && list->selected < count) {
        mark(queue, list->selected);
        widget_list_move(list, COMMAND_DOWN, count);
    }
    return true;
}
