#include "tests/unit/tried_fixture.h"

#include <stdio.h>

#include "core/base/strbuf.h"
#include "core/judge/task/expectations.h"
#include "core/model/problem_reader.h"

static void see(struct tried *tried, const struct expectations_case *shape,
                const struct expectation *expectation)
{
    enum variation variation = variation_of(expectation->input_seed);

    if (variation == VARIATION_NONE)
        return;
    tried->is_tried[variation] = true;
    tried->is_fair[variation] = !expectation->is_unfair;
    tried->has_varied_params = variation_of(expectation->param_seed) == variation;
    if (variation == VARIATION_ENDS)
        snprintf(tried->ends_dims, sizeof(tried->ends_dims), "%s", shape->text);
    else
        snprintf(tried->dims, sizeof(tried->dims), "%s", shape->text);
}

static struct tried tried_in(const char *body, const char *class,
                             const struct oracle_evaluator *evaluator)
{
    struct problem problem = {0};
    const struct expectations_options options = {
        .problem = &problem, .evaluator = evaluator, .trials = 2};
    struct expectations *expectations = NULL;
    struct tried tried = {.dims = ""};
    struct strbuf text = {0};
    struct error err = {0};

    strbuf_addf(&text,
                "{\"kforge\": 1, \"name\": \"p\", \"summary\": \"\", %s,"
                "\"tolerance\": {\"class\": \"%s\"}}",
                body, class);
    if (problem_parse(&problem, strbuf_cstr(&text), text.len, "p.json", &err))
        fail_msg("%s", err.text);
    strbuf_release(&text);
    assert_int_equal(expectations_new(&options, &expectations, &err), STATUS_OK);
    assert_int_equal(expectations_start(expectations, &err), STATUS_OK);
    for (size_t i = 0; i < expectations_cases(expectations); i++)
        for (unsigned t = 0; t < expectations_trials(expectations, i); t++) {
            const struct expectation *expectation = NULL;

            assert_int_equal(expectations_take(expectations, i, t, &expectation, &err), STATUS_OK);
            see(&tried, expectations_case(expectations, i), expectation);
        }
    expectations_free(expectations);
    problem_release(&problem);
    return tried;
}

struct tried tried_by(const char *body, const struct oracle_evaluator *evaluator)
{
    return tried_in(body, "f32", evaluator);
}

struct tried tried_on(const char *body)
{
    return tried_in(body, "f32", NULL);
}

struct tried tried_in_mixed(const char *body)
{
    return tried_in(body, "mixed", NULL);
}
