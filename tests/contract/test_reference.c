/*
 * The plain kernels of every operation give what the oracle expects, at the dimensions in the file
 * and at others.  usage: test_reference PROBLEM...
 */
#include "tests/unit/unit.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/file.h"
#include "core/judge/judge.h"
#include "core/judge/reference.h"

static void hear_nothing(void *data, const struct judge_progress *progress)
{
    (void)data;
    (void)progress;
}

static struct judge *start_judge(void)
{
    static const char *executor[] = {NULL, "--executor", NULL};
    struct judge_options options = {
        .executor = {.argv = executor, .build_limit_us = 60000000, .run_limit_us = 10000000},
        .trials = 2,
        .unseen = 2,
        .precision = 1,
        .timing_budget_us = 1000,
        .progress = hear_nothing,
    };

    executor[0] = getenv("KFORGE_WORKER");
    signal(SIGPIPE, SIG_IGN);
    return judge_new(&options);
}

static struct candidate make_reference(const char *text, size_t len, const char *path)
{
    struct problem problem = {0};
    struct candidate candidate = {0};
    struct error err;

    if (problem_parse(&problem, text, len, path, &err) ||
        reference_candidate(&problem, &candidate, &err))
        fail_msg("%s", err.text);
    problem_release(&problem);
    return candidate;
}

static void is_correct(void **state)
{
    const char *path = *state;
    struct judge *judge = start_judge();
    struct strbuf text = {0};
    struct verdict verdict = {0};
    struct candidate candidate;
    struct error err;

    if (file_read(path, 1 << 20, &text, &err) ||
        judge_load(judge, strbuf_cstr(&text), text.len, path, &err))
        fail_msg("%s", err.text);
    candidate = make_reference(strbuf_cstr(&text), text.len, path);
    if (judge_evaluate(judge, &candidate, NULL, &verdict, &err))
        fail_msg("%s: %s", path, err.text);
    if (verdict.outcome != OUTCOME_CORRECT)
        fail_msg("%s: %s: %s\n%s\n%s", path, outcome_name(verdict.outcome), verdict.detail,
                 candidate.source, verdict.build.log ? verdict.build.log : "");
    verdict_release(&verdict);
    candidate_release(&candidate);
    strbuf_release(&text);
    judge_free(judge);
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[64] = {{0}};
    size_t count = 0;

    for (int i = 1; i < argc && count < 64; i++)
        tests[count++] = (struct CMUnitTest){argv[i], is_correct, NULL, NULL, argv[i]};
    return _cmocka_run_group_tests("reference", tests, count, NULL, NULL);
}
