#include <stdio.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/model/problem_reader.h"
#include "tui/cli/command.h"
#include "tui/cli/problem_file.h"
#include "tui/cli/worker_query.h"

struct linting {
    char **paths; /* paths of the problems; owned */
    size_t count;
    const char *tolerance;
    bool as_json;
    struct json *report; /* an array of files with their findings; NULL: text output */
    struct worker_query *worker_query; /* NULL: none has started, or it has failed */
    enum exit_code code;
};

static void print_findings(const char *path, const struct hazard_list *findings)
{
    if (!findings->count)
        command_print("%s: ok\n", path);
    for (size_t i = 0; i < findings->count; i++)
        command_print("%s: %s: %s\n", path, findings->items[i].name, findings->items[i].evidence);
    fflush(stdout);
}

static enum status take_answer(struct linting *l, const char *path, const struct json *answer,
                               struct error *err)
{
    struct json_ref root = json_ref_root(answer, "worker");
    struct json_ref list = json_ref_member(&root, "findings");
    struct hazard_list findings = {0};
    enum status st = hazard_list_decode(&findings, &list, err);

    if (st)
        return st;
    if (findings.count && l->code == EXIT_CODE_IMPROVED)
        l->code = EXIT_CODE_NO_GAIN;
    if (l->report) {
        struct json *entry = json_push(l->report, json_object_new());

        json_put_string(entry, "file", path);
        json_put_string(entry, "name", json_get_string(answer, "name", NULL));
        json_put(entry, "findings", json_dup(list.value));
    } else {
        print_findings(path, &findings);
    }
    hazard_list_release(&findings);
    return STATUS_OK;
}

static enum status ask(struct linting *l, const char *path, const struct strbuf *text,
                       struct error *err)
{
    struct json *members = json_object_new(), *answer = NULL;
    enum status st;

    json_put_string(members, "problem", strbuf_cstr(text));
    json_put_string(members, "file", path);
    st = worker_query_ask(l->worker_query, "lint", members, &answer, err);
    if (!st)
        st = take_answer(l, path, answer, err);
    json_free(answer);
    return st;
}

/* Read the problem's text, and check that it parses. */
static enum status read_file(struct linting *l, const char *path, struct strbuf *text,
                             struct error *err)
{
    const struct problem_file file = {.path = path, .tolerance = l->tolerance};
    struct problem problem = {0};
    enum status st = problem_file_read(&file, &l->worker_query, text, err);

    if (!st)
        st = problem_parse(&problem, strbuf_cstr(text), text->len, path, err);
    problem_release(&problem);
    return st;
}

static enum status lint_file(struct linting *l, const char *path, struct error *err)
{
    struct strbuf text = {0};
    enum status st = read_file(l, path, &text, err);

    if (!st)
        st = ask(l, path, &text, err);
    strbuf_release(&text);
    return st;
}

/* Report that a file cannot be linted. A worker that has failed is not asked about the next one. */
static void refuse(struct linting *l, const char *path, const struct error *err)
{
    enum exit_code code = command_fail(err);

    if (l->code == EXIT_CODE_IMPROVED || l->code == EXIT_CODE_NO_GAIN)
        l->code = code;
    if (l->report) {
        struct json *entry = json_push(l->report, json_object_new());

        json_put_string(entry, "file", path);
        json_put_string(entry, "error", err->text);
    }
    if (code != EXIT_CODE_USAGE) {
        worker_query_close(l->worker_query);
        l->worker_query = NULL;
    }
}

/* Lint each file, also after one that cannot be linted. */
static enum exit_code run_lint(struct linting *l)
{
    const struct evaluator_options here = {0};
    struct error err;

    for (size_t i = 0; i < l->count && l->code != EXIT_CODE_INTERRUPTED; i++) {
        if (!l->worker_query && worker_query_open(&here, &l->worker_query, &err))
            return command_fail(&err);
        if (lint_file(l, l->paths[i], &err))
            refuse(l, l->paths[i], &err);
    }
    worker_query_close(l->worker_query);
    if (l->report) {
        struct strbuf text = {0};

        json_print_pretty(l->report, &text);
        command_print("%s\n", strbuf_cstr(&text));
        strbuf_release(&text);
    }
    return l->code;
}

static const struct option_row own_options[] = {
    {.name = "json",
     .help = "print the findings as JSON",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct linting, as_json)},
    {0},
};

static const struct option_set option_sets[] = {
    {own_options, 0},
    {tolerance_option, offsetof(struct linting, tolerance)},
    {0},
};

/*
 * Find the paths of the problems. A path that does not exist is kept, and reading it gives the
 * error.
 */
static void find_problems(struct linting *l, const struct arguments *arguments)
{
    l->count = (size_t)arguments->count;
    l->paths = mem_alloc_zeroed(l->count + 1, sizeof(*l->paths));
    for (size_t i = 0; i < l->count; i++) {
        l->paths[i] = problem_file_find(arguments->items[i]);
        if (!l->paths[i])
            l->paths[i] = mem_strdup(arguments->items[i]);
    }
}

static enum status parse(struct linting *l, int argc, char **argv, struct error *err)
{
    struct arguments arguments = {argc, argv};
    enum status st = command_parse(&lint_command, l, &arguments, err);

    find_problems(l, &arguments);
    l->report = l->as_json ? json_array_new() : NULL;
    return !st && !l->count ? command_expects(&lint_command, err) : st;
}

static enum exit_code lint(int argc, char **argv)
{
    struct linting l = {0};
    enum exit_code code;
    struct error err;

    code = parse(&l, argc, argv, &err) ? command_fail(&err) : run_lint(&l);
    for (size_t i = 0; i < l.count; i++)
        free(l.paths[i]);
    free(l.paths);
    json_free(l.report);
    return code;
}

const struct command lint_command = {
    .name = "lint",
    .arguments = "PROBLEM...",
    .options = option_sets,
    .summary = "Check problems for weaknesses that let a wrong kernel pass or win.",
    .details = PROBLEM_DETAILS,
    .exits =
        "0 nothing found, 1 findings, 2 usage or input, 5 no worker; a file that cannot be linted\n"
        "does not stop the others",
    .run = lint,
};
