#include <stdlib.h>

#include "core/base/mem.h"
#include "core/model/problem_reader.h"
#include "tui/cli/command.h"
#include "tui/cli/problem_file.h"
#include "tui/cli/worker_query.h"

struct linting {
    char **paths; /* paths of the problems; owned */
    size_t count;
    struct strbuf *texts; /* texts of the problems */
    const char *tolerance;
    bool as_json;
    struct json *report; /* an array of files with their findings; NULL: text output */
    struct strbuf lines;
    bool is_degenerate; /* at least one problem has findings */
};

static void add_findings(const char *path, const struct hazard_list *findings, struct strbuf *out)
{
    if (!findings->count)
        strbuf_addf(out, "%s: ok\n", path);
    for (size_t i = 0; i < findings->count; i++)
        strbuf_addf(out, "%s: %s: %s\n", path, findings->items[i].name,
                    findings->items[i].evidence);
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
    l->is_degenerate = l->is_degenerate || findings.count;
    if (l->report) {
        struct json *entry = json_push(l->report, json_object_new());

        json_put_string(entry, "file", path);
        json_put_string(entry, "name", json_get_string(answer, "name", NULL));
        json_put(entry, "findings", json_dup(list.value));
    } else {
        add_findings(path, &findings, &l->lines);
    }
    hazard_list_release(&findings);
    return STATUS_OK;
}

static enum status lint_file(struct linting *l, struct worker_query *worker_query, size_t index,
                             struct error *err)
{
    struct json *members = json_object_new(), *answer = NULL;
    enum status st;

    json_put_string(members, "problem", strbuf_cstr(&l->texts[index]));
    json_put_string(members, "file", l->paths[index]);
    st = worker_query_ask(worker_query, "lint", members, &answer, err);
    if (!st)
        st = take_answer(l, l->paths[index], answer, err);
    json_free(answer);
    return st;
}

/* Read the problem's text, and check that it parses. */
static enum status read_file(struct linting *l, struct worker_query **worker_query, size_t index,
                             struct error *err)
{
    const struct problem_file file = {.path = l->paths[index], .tolerance = l->tolerance};
    struct problem problem = {0};
    enum status st = problem_file_read(&file, worker_query, &l->texts[index], err);

    if (!st)
        st = problem_parse(&problem, strbuf_cstr(&l->texts[index]), l->texts[index].len, file.path,
                           err);
    problem_release(&problem);
    return st;
}

/*
 * Lint the files. Nothing is printed before all are done, so that an error in a later file leaves
 * no partial output.
 */
static enum status lint_files(struct linting *l, struct error *err)
{
    const struct evaluator_options here = {0};
    struct worker_query *worker_query = NULL;
    enum status st = worker_query_open(&here, &worker_query, err);

    for (size_t i = 0; !st && i < l->count; i++)
        st = read_file(l, &worker_query, i, err);
    for (size_t i = 0; !st && i < l->count; i++)
        st = lint_file(l, worker_query, i, err);
    worker_query_close(worker_query);
    return st;
}

static void print(struct linting *l)
{
    if (l->report) {
        json_print_pretty(l->report, &l->lines);
        strbuf_adds(&l->lines, "\n");
    }
    command_print("%s", strbuf_cstr(&l->lines));
}

static enum exit_code run_lint(struct linting *l)
{
    struct error err;
    enum status st;

    l->texts = mem_alloc_zeroed(l->count, sizeof(*l->texts));
    st = lint_files(l, &err);
    for (size_t i = 0; i < l->count; i++)
        strbuf_release(&l->texts[i]);
    free(l->texts);
    if (st)
        return command_fail(&err);
    print(l);
    return l->is_degenerate ? EXIT_CODE_NO_GAIN : EXIT_CODE_IMPROVED;
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
    strbuf_release(&l.lines);
    return code;
}

const struct command lint_command = {
    .name = "lint",
    .arguments = "PROBLEM...",
    .options = option_sets,
    .summary = "Check problems for weaknesses that let a wrong kernel pass or win.",
    .details = PROBLEM_DETAILS,
    .exits = "0 nothing found, 1 findings, 2 usage or input, 5 no worker",
    .run = lint,
};
