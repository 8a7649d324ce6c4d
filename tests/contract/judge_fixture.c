#include "tests/contract/judge_fixture.h"

#include "tests/unit/unit.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/problem_reader.h"

static void hear_nothing(void *data, const struct evaluation_progress *progress)
{
    (void)data;
    (void)progress;
}

static struct judge *new_judge(void)
{
    static const char *executor[] = {NULL, "--executor", NULL};
    static const char *bridge[] = {NULL, "--contained", NULL, "-B", NULL, NULL};
    const struct judge_options options = {
        .tune = {.choices = 64, .budget_us = 60000000},
        .executor = {.argv = executor,
                     .device = getenv("KFORGE_DEVICE"),
                     .build_limit_us = 120000000,
                     .run_limit_us = 20000000},
        .bridge_argv = bridge,
        .trials = 2,
        .unseen = 2,
        .precision = 1,
        .timing_budget_us = 1000,
        .progress = hear_nothing,
    };

    executor[0] = bridge[0] = getenv("KFORGE_WORKER");
    bridge[2] = getenv("KFORGE_PYTHON");
    bridge[4] = KFORGE_SOURCE_DIR "/backends/torch/bridge.py";
    signal(SIGPIPE, SIG_IGN);
    return judge_new(&options);
}

void judge_fixture_load(struct judge_fixture *fixture, const struct json *document,
                        const char *file)
{
    struct strbuf text = {0};
    struct error err;

    if (!fixture->judge)
        fixture->judge = new_judge();
    problem_release(&fixture->problem);
    json_print(document, &text);
    if (problem_parse(&fixture->problem, strbuf_cstr(&text), text.len, file, &err) ||
        judge_load(fixture->judge, strbuf_cstr(&text), text.len, file, &err))
        fail_msg("%s", err.text);
    strbuf_release(&text);
}

void judge_fixture_open(struct judge_fixture *fixture, const char *problem_path)
{
    struct problem problem = {0};
    struct error err;

    if (fixture->problem.file && strcmp(fixture->problem.file, problem_path) == 0)
        return;
    if (problem_load(&problem, problem_path, &err))
        fail_msg("%s", err.text);
    judge_fixture_load(fixture, problem.document, problem_path);
    problem_release(&problem);
}

const char *judge_fixture_language(const struct judge_fixture *fixture)
{
    const struct device_info *device;
    const struct roofs *roofs;
    struct error err;

    if (judge_device(fixture->judge, &device, &roofs, &err))
        fail_msg("%s", err.text);
    return device->language;
}

void judge_fixture_close(struct judge_fixture *fixture)
{
    judge_free(fixture->judge);
    problem_release(&fixture->problem);
}

void judge_fixture_assert_correct(const struct judge_fixture *fixture,
                                  const struct candidate *candidate, const char *name)
{
    struct verdict verdict = {0};
    struct error err;

    if (judge_evaluate(fixture->judge, &(struct judge_request){.candidate = candidate}, &verdict,
                       &err))
        fail_msg("%s: %s", name, err.text);
    if (verdict.outcome != OUTCOME_CORRECT)
        fail_msg("%s: %s: %s\n%s\n%s", name, outcome_name(verdict.outcome), verdict.detail,
                 candidate->source, verdict.build.log ? verdict.build.log : "");
    verdict_release(&verdict);
}
