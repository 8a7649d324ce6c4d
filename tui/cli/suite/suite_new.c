#include "tui/cli/suite/suite_new.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/agent/agents.h"
#include "core/base/vec.h"
#include "core/model/problem_reader.h"
#include "core/suite/suite_ablation.h"
#include "core/suite/suite_place.h"
#include "core/system/file.h"
#include "tui/cli/problem_file.h"

enum { SUITE_MAX_BYTES = 16 << 20, PROBLEM_MAX_BYTES = 16 << 20 };

/* The place that an error names, and the folder to which relative paths refer. */
struct place {
    const char *document;
    char *folder;    /* owned */
    bool is_file;    /* the suite comes from a file; else from the command line */
    char where[256]; /* the part being read, such as "night.json: problems[2]", or an option */
};

/* Set the place to an element of the suite's "problems" or "arms", or to a member of it. */
static void go_to(struct place *place, const char *list, size_t index, const char *member)
{
    if (place->is_file)
        snprintf(place->where, sizeof(place->where), "%.180s: %s[%zu]%s%s", place->document, list,
                 index, *member ? "." : "", member);
    else
        snprintf(place->where, sizeof(place->where), "--%s", *member ? member : list);
}

/* The path of a file: `name` if it is absolute, else `name` in the folder; the caller frees. */
static char *locate(const struct place *place, const char *name)
{
    return *name == '/' ? mem_strdup(name) : file_join(place->folder, name);
}

/* Replace the path of a file by its absolute one. */
static enum status make_absolute(const struct place *place, char **path, struct error *err)
{
    char *located = locate(place, *path), *absolute = realpath(located, NULL);
    enum status st = STATUS_OK;

    if (absolute) {
        free(*path);
        *path = absolute;
    } else {
        st = error_set(err, STATUS_INVALID, "%s: %s: %s", place->where, located, strerror(errno));
    }
    free(located);
    return st;
}

/*
 * Check that kforge knows each agent. Whether the service has the model is only known when a
 * session begins.
 */
static enum status check_agents(struct place *place, const struct suite_arm *arm, size_t index,
                                struct error *err)
{
    const struct roles roles = suite_arm_roles(arm);
    struct error why = {0};
    enum status st = STATUS_OK;
    char member[32];

    for (size_t i = 0; !st && i < roles_count_writers(&roles); i++) {
        snprintf(member, sizeof(member), roles.other_count ? "agent[%zu]" : "agent", i);
        go_to(place, "arms", index, place->is_file ? member : "agent");
        st = agents_check(roles_writer(&roles, arm->agent, i), &why);
    }
    if (!st && arm->analyst && roles_analyst(&roles, arm->agent)) {
        go_to(place, "arms", index, "analyst");
        st = agents_check(arm->analyst, &why);
    }
    return st ? error_set(err, STATUS_INVALID, "%s: %s", place->where, why.text) : STATUS_OK;
}

static enum status resolve_arms(struct suite *suite, struct place *place, struct error *err)
{
    enum status st = STATUS_OK;
    struct gate gate;

    for (size_t i = 0; !st && i < suite->arms.count; i++) {
        struct suite_arm *arm = &suite->arms.items[i];

        st = check_agents(place, arm, i, err);
        go_to(place, "arms", i, "reference");
        if (!st && arm->reference)
            st = make_absolute(place, &arm->reference, err);
        go_to(place, "arms", i, "policy");
        if (!st && !gate_preset(arm->policy, &gate))
            st = make_absolute(place, &arm->policy, err);
    }
    return st;
}

/* Read a JSON problem, so that its errors are reported before the first session. */
static enum status check_problem(const char *path, struct error *err)
{
    struct strbuf text = {0};
    struct problem problem = {0};
    enum status st = file_read(path, PROBLEM_MAX_BYTES, &text, err);

    if (!st && !file_has_ending(path, ".py")) {
        st = problem_parse(&problem, strbuf_cstr(&text), text.len, path, err);
        if (!st)
            problem_release(&problem);
    }
    strbuf_release(&text);
    return st;
}

/* Add a problem, unless the list has it already: patterns may overlap. */
static enum status add_problem(struct suite *found, char *path, struct error *err)
{
    enum status st;

    for (size_t i = 0; i < found->problems.count; i++) {
        if (strcmp(found->problems.items[i], path) == 0) {
            free(path);
            return STATUS_OK;
        }
    }
    st = check_problem(path, err);
    vec_push(&found->problems, path);
    return st;
}

static enum status add_matches(struct suite *found, const struct place *place, const char *pattern,
                               struct error *err)
{
    char *located = locate(place, pattern);
    glob_t matches = {0};
    enum status st = STATUS_OK;

    if (glob(located, 0, NULL, &matches) != 0)
        st = error_set(err, STATUS_INVALID, "%s: no file matches \"%s\": check the pattern",
                       place->where, located);
    for (size_t i = 0; !st && i < matches.gl_pathc; i++)
        st = add_problem(found, mem_strdup(matches.gl_pathv[i]), err);
    globfree(&matches);
    free(located);
    return st;
}

static bool is_folder(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static int is_problem(const struct dirent *entry)
{
    return entry->d_name[0] != '.' &&
           (file_has_ending(entry->d_name, ".py") || file_has_ending(entry->d_name, ".json"));
}

/* Add the problems of a folder, such as a level of KernelBench, in the order of their numbers. */
static enum status add_folder(struct suite *found, const struct place *place, const char *folder,
                              struct error *err)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_problem, versionsort);
    enum status st = STATUS_OK;

    if (count <= 0)
        st = error_set(err, STATUS_INVALID, "%s: %s: %s", place->where, folder,
                       count ? strerror(errno) : "no problem (*.json, *.py) is in it");
    for (int i = 0; i < count; i++) {
        if (!st)
            st = add_problem(found, file_join(folder, entries[i]->d_name), err);
        free(entries[i]);
    }
    free(entries);
    return st;
}

/*
 * Add the problems that `name` means: a pattern, a folder, a file, or the name of a shipped
 * problem.
 */
static enum status add_named(struct suite *found, const struct place *place, const char *name,
                             struct error *err)
{
    char *located = locate(place, name), *path = NULL;
    enum status st;

    if (strpbrk(name, "*?[")) {
        free(located);
        return add_matches(found, place, name, err);
    }
    if (is_folder(located)) {
        st = add_folder(found, place, located, err);
        free(located);
        return st;
    }
    path = problem_file_find(file_exists(located) ? located : name);
    if (path)
        st = add_problem(found, path, err);
    else
        st = error_set(err, STATUS_INVALID,
                       "%s: no file %s, and no problem \"%s\" ships with kforge: kforge without "
                       "arguments lists those that do",
                       place->where, located, name);
    free(located);
    return st;
}

static enum status resolve_problems(struct suite *suite, struct place *place, struct error *err)
{
    struct suite found = {0};
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < suite->problems.count; i++) {
        go_to(place, "problems", i, "");
        st = add_named(&found, place, suite->problems.items[i], err);
    }
    for (size_t i = 0; i < suite->problems.count; i++)
        free(suite->problems.items[i]);
    vec_release(&suite->problems);
    suite->problems.items = found.problems.items;
    suite->problems.count = found.problems.count;
    suite->problems.capacity = found.problems.capacity;
    if (!st && suite->problems.count > SUITE_MOST_TASKS / suite->arms.count / suite->repeats)
        st = error_set(err, STATUS_INVALID,
                       "%s: %zu problems x %zu arms x %u repeats are over %d "
                       "tasks",
                       place->document, suite->problems.count, suite->arms.count, suite->repeats,
                       SUITE_MOST_TASKS);
    return st;
}

static enum status read_file(struct suite *suite, const char *path, struct error *err)
{
    struct strbuf text = {0};
    enum status st = file_read(path, SUITE_MAX_BYTES, &text, err);

    if (!st)
        st = suite_parse(suite, strbuf_cstr(&text), text.len, path, err);
    strbuf_release(&text);
    return st;
}

/*
 * The name of the only arm: its agent's, without protocol, folders and arguments, in the letters
 * that names have. The caller frees.
 */
static char *name_arm(const char *agent)
{
    const char *colon = agent ? strchr(agent, ':') : NULL;
    const char *text = colon && colon[1] ? colon + 1 : agent && *agent ? agent : "builtin";
    struct strbuf word = {0};
    char *name;

    strbuf_add(&word, text, strcspn(text, " "));
    name = mem_strdup(file_name(strbuf_cstr(&word)));
    strbuf_release(&word);
    if (strlen(name) > SUITE_MOST_NAME)
        name[SUITE_MOST_NAME] = '\0';
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("._+-", *c))
            *c = '-';
    return name;
}

/* Make the arm that the options of the command line describe. */
static struct suite_arm make_arm(const struct suite_options *options)
{
    const struct driver_options *driver = &options->run.driver;
    const struct roles *roles = &driver->roles;
    struct suite_arm arm = {
        .name = options->ablate ? mem_strdup("full") : name_arm(driver->agent),
        .agent = mem_strdup(driver->agent),
        .other_count = roles->other_count,
        .analyst = mem_strdup(roles->analyst),
        .without_profile = roles->without_profile,
        .policy = mem_strdup(options->policy ? options->policy : "auto"),
        .language = mem_strdup(driver->language),
        .reference = mem_strdup(driver->reference),
        .tolerance = mem_strdup(options->run.tolerance),
        .device = mem_strdup(driver->evaluator.device),
        .worker = mem_strdup(driver->evaluator.prefix),
        .limits = driver->limits,
        .build_limit = (double)driver->evaluator.build_limit_us * 1e-6,
        .run_limit = (double)driver->evaluator.run_limit_us * 1e-6,
        .tune_limit = (double)driver->evaluator.tune_limit_us * 1e-6,
        .timing_limit = (double)driver->evaluator.timing_limit_us * 1e-6,
        .tune_choices = driver->evaluator.tune_choices,
    };

    for (size_t i = 0; i < roles->other_count; i++)
        arm.others[i] = mem_strdup(roles->others[i]);
    return arm;
}

/*
 * Write the options in the format of a suite's file and read that, so that both get the same
 * checks.
 */
static enum status read_options(struct suite *suite, const struct suite_options *options,
                                struct error *err)
{
    struct suite made = {.name = mem_strdup(options->name ? options->name : "suite"),
                         .on = mem_strdup(options->on),
                         .repeats = options->repeats ? options->repeats : 1};
    struct strbuf text = {0};
    enum status st;

    for (size_t i = 0; i < options->problems.count; i++)
        vec_push(&made.problems, mem_strdup(options->problems.items[i]));
    for (size_t i = 0; i < options->argument_count; i++)
        vec_push(&made.problems, mem_strdup(options->arguments[i]));
    vec_push(&made.arms, make_arm(options));
    suite_print(&made, &text);
    st = suite_parse(suite, strbuf_cstr(&text), text.len, "the command line", err);
    suite_release(&made);
    strbuf_release(&text);
    return st;
}

static bool are_default(const struct limits *limits)
{
    const struct limits *usual = &limits_default;

    for (size_t i = 0; i < RESOURCES; i++)
        if (limits->budget[i] > 0)
            return false;
    return limits->functional == usual->functional && limits->optimize == usual->optimize &&
           limits->attempts == usual->attempts && limits->flat == usual->flat &&
           limits->context == usual->context;
}

/* Refuse options of an arm together with FILE, because the arms are in the file. */
static enum status check_file_alone(const struct suite_options *options, struct error *err)
{
    const struct driver_options *driver = &options->run.driver;
    const struct evaluator_options none = {0};
    const struct roles *roles = &driver->roles;

    if (options->argument_count == 0)
        return error_set(err, STATUS_INVALID,
                         "suite run: expected FILE, or --problems PATTERN...: see kforge suite "
                         "--help");
    if (options->argument_count > 1)
        return error_set(err, STATUS_INVALID, "one argument too many: %s", options->arguments[1]);
    if (options->run.agents || roles->analyst || roles->without_profile || options->policy ||
        options->repeats || options->name || driver->language || driver->reference ||
        options->run.tolerance || !are_default(&driver->limits) ||
        memcmp(&driver->evaluator, &none, sizeof(none)) != 0)
        return error_set(err, STATUS_INVALID,
                         "options of sessions are for --problems: write them into the arms of %s",
                         options->arguments[0]);
    return STATUS_OK;
}

static void find_place(struct place *place, const struct suite_options *options)
{
    const char *path = options->arguments ? options->arguments[0] : NULL;
    bool is_file = options->problems.count == 0 && path;
    struct strbuf folder = {0};

    place->is_file = is_file;
    place->document = is_file ? path : "--problems";
    if (is_file && file_name(path) > path)
        strbuf_add(&folder, path, (size_t)(file_name(path) - path));
    else
        strbuf_adds(&folder, ".");
    place->folder = strbuf_take(&folder);
}

static enum status take_order(struct suite *suite, const char *name, struct error *err)
{
    size_t i = 0;

    if (!name)
        return STATUS_OK;
    while (suite_order_names[i] && strcmp(suite_order_names[i], name) != 0)
        i++;
    if (!suite_order_names[i])
        return error_set(err, STATUS_INVALID, "--order %.60s: expected round-robin or shortest",
                         name);
    suite->order = (enum suite_order)i;
    return STATUS_OK;
}

/* Let --on and --order override the file. */
static enum status take_place(struct suite *suite, const struct suite_options *options,
                              struct error *err)
{
    struct suite_place place = {0};
    enum status st = suite_place_parse(&place, options->on, err);

    suite_place_release(&place);
    if (!st)
        st = take_order(suite, options->order, err);
    if (!st && options->on) {
        free(suite->on);
        suite->on = mem_strdup(options->on);
    }
    return st;
}

enum status suite_new(struct suite *suite, const struct suite_options *options, struct error *err)
{
    bool is_file = options->problems.count == 0;
    struct place place = {0};
    enum status st = is_file ? check_file_alone(options, err) : STATUS_OK;

    if (st)
        return st;
    find_place(&place, options);
    st = is_file ? read_file(suite, place.document, err) : read_options(suite, options, err);
    if (!st)
        st = take_place(suite, options, err);
    if (!st)
        st = resolve_arms(suite, &place, err);
    if (!st && options->ablate)
        st = suite_ablate(suite, options->ablate, err);
    if (!st)
        st = resolve_problems(suite, &place, err);
    if (st)
        suite_release(suite);
    free(place.folder);
    return st;
}
