#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/suite/suite.h"
#include "core/suite/suite_ablation.h"

static const char full[] =
    "{\"kforge\": 1, \"name\": \"night\", \"problems\": [\"a.json\", \"b/*.py\"], \"repeats\": 3,"
    " \"budget\": {\"usd\": 20}, \"arms\": [{\"name\": \"plain\"},"
    " {\"name\": \"gpt\", \"agent\": \"openai:gpt-5\", \"optimize\": 0, \"attempts\": 2,"
    "  \"device\": \"cuda:0\", \"timing_limit\": 0.5, \"budget\": {\"minutes\": 30}}]}";

static enum status parse(struct suite *suite, const char *text, struct error *err)
{
    *err = (struct error){0};
    return suite_parse(suite, text, strlen(text), "s.json", err);
}

static void test_defaults_are_those_of_run(void **state)
{
    struct suite suite = {0};
    struct error err;
    const struct suite_arm *arm;

    (void)state;
    assert_int_equal(parse(&suite, full, &err), STATUS_OK);
    arm = &suite.arms.items[0];
    assert_string_equal(arm->agent, "builtin");
    assert_string_equal(arm->policy, "auto");
    assert_null(arm->device);
    assert_memory_equal(&arm->limits, &limits_default, sizeof(limits_default));
    arm = &suite.arms.items[1];
    assert_int_equal(arm->limits.functional, limits_default.functional);
    assert_int_equal(arm->limits.optimize, 0);
    assert_int_equal(arm->limits.attempts, 2);
    assert_true(arm->limits.budget[RESOURCE_MINUTES] == 30);
    assert_true(suite.budget[RESOURCE_USD] == 20);
    assert_int_equal(suite_task_count(&suite), 12);
    suite_release(&suite);
}

static const char roles[] =
    "{\"kforge\": 1, \"name\": \"n\", \"problems\": [\"a\"], \"arms\": ["
    " {\"name\": \"b\", \"reference\": \"r.cu\"},"
    " {\"name\": \"p\", \"agent\": [\"builtin\", \"openai:x\"], \"analyst\": \"openai:y\","
    "  \"profile\": false, \"reference\": \"r.cu\"}]}";

static void test_an_arm_has_several_agents(void **state)
{
    struct suite suite = {0};
    struct roles read;
    struct error err;

    (void)state;
    assert_int_equal(parse(&suite, roles, &err), STATUS_OK);
    assert_false(suite_arm_thinks(&suite.arms.items[0]));
    assert_true(suite_arm_thinks(&suite.arms.items[1]));
    read = suite_arm_roles(&suite.arms.items[1]);
    assert_int_equal(read.other_count, 1);
    assert_string_equal(read.others[0], "openai:x");
    assert_string_equal(read.analyst, "openai:y");
    assert_true(read.without_profile);
    suite_release(&suite);
}

static void test_ablations_make_arms_that_lack_a_part(void **state)
{
    struct suite suite = {0};
    struct error err;

    (void)state;
    assert_int_equal(parse(&suite, roles, &err), STATUS_OK);
    assert_int_equal(suite_ablate(&suite, "reference,analyst", &err), STATUS_OK);
    assert_int_equal(suite.arms.count, 6);
    assert_string_equal(suite.arms.items[3].name, "p-no-reference");
    assert_null(suite.arms.items[3].reference);
    assert_string_equal(suite.arms.items[3].others[0], "openai:x");
    assert_string_equal(suite.arms.items[5].name, "p-no-analyst");
    assert_string_equal(suite.arms.items[5].analyst, "none");
    assert_int_equal(suite_ablate(&suite, "profile", &err), STATUS_INVALID);
    assert_string_equal(err.text, "--ablate profile: arm \"p\" has none");
    assert_int_equal(suite_ablate(&suite, "prompt", &err), STATUS_INVALID);
    suite_release(&suite);
}

static void test_a_printed_suite_reads_back(void **state)
{
    struct strbuf once = {0}, twice = {0};
    struct suite suite = {0}, again = {0};
    struct error err;

    (void)state;
    assert_int_equal(parse(&suite, roles, &err), STATUS_OK);
    suite_print(&suite, &once);
    assert_int_equal(parse(&again, strbuf_cstr(&once), &err), STATUS_OK);
    suite_print(&again, &twice);
    assert_string_equal(strbuf_cstr(&once), strbuf_cstr(&twice));
    suite_release(&suite);
    suite_release(&again);
    strbuf_release(&once);
    strbuf_release(&twice);
}

/* Each repeat is whole before the next, and each problem goes through all arms in it. */
static void test_the_order_of_tasks(void **state)
{
    static const unsigned expected[12][3] = {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1},
                                             {1, 0, 0}, {1, 0, 1}, {1, 1, 0}, {1, 1, 1},
                                             {2, 0, 0}, {2, 0, 1}, {2, 1, 0}, {2, 1, 1}};
    struct suite suite = {0};
    struct error err;

    (void)state;
    assert_int_equal(parse(&suite, full, &err), STATUS_OK);
    for (size_t i = 0; i < COUNT(expected); i++) {
        struct suite_task task = suite_task_at(&suite, i);

        assert_int_equal(task.repeat, expected[i][0]);
        assert_int_equal(task.problem, expected[i][1]);
        assert_int_equal(task.arm, expected[i][2]);
    }
    suite_release(&suite);
}

static void test_errors_name_the_place(void **state)
{
#define SUITE(rest) "{\"kforge\": 1, \"name\": \"n\", \"problems\": [\"a\"], " rest "}"
#define ARM(rest)   SUITE("\"arms\": [{\"name\": \"a\"}, {\"name\": \"b\", " rest "}]")
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"[]", "s.json: expected an object, found an array"},
        {"{\"kforge\": 2, \"name\": \"n\"}", "s.json: \"kforge\" must be 1"},
        {"{\"kforge\": 1, \"problems\": [\"a\"]}", "s.json: \"name\" is missing"},
        {"{\"kforge\": 1, \"name\": \"../x\"}", "s.json: name: expected 1 to 40 letters"},
        {"{\"kforge\": 1, \"name\": \"\"}", "s.json: name: expected 1 to 40 letters"},
        {SUITE("\"arm\": []"), "s.json: unknown key \"arm\""},
        {SUITE("\"repeats\": 1"), "s.json: \"arms\" has none"},
        {SUITE("\"arms\": [{}]"), "s.json: arms[0]: \"name\" is missing"},
        {SUITE("\"repeats\": 0, \"arms\": [{\"name\": \"a\"}]"), "s.json: repeats: expected 1 to"},
        {SUITE("\"arms\": [{\"name\": \"a\"}, {\"name\": \"a\"}]"),
         "s.json: arms[1].name: an earlier arm"},
        {SUITE("\"budget\": {\"eur\": 1}, \"arms\": [{\"name\": \"a\"}]"),
         "s.json: budget: unknown key \"eur\""},
        {ARM("\"model\": \"x\""), "s.json: arms[1]: unknown key \"model\""},
        {ARM("\"agent\": [\"builtin\", 3]"), "s.json: arms[1].agent[1]: expected a"},
        {ARM("\"agent\": []"), "s.json: arms[1].agent: expected at least one agent"},
        {ARM("\"attempts\": 9"), "s.json: arms[1].attempts: expected at most 8"},
        {ARM("\"tolerance\": \"f64\""), "s.json: arms[1].tolerance: no tolerance \"f64\""},
        {ARM("\"run_limit\": -1"), "s.json: arms[1].run_limit: expected seconds"},
        {ARM("\"budget\": {\"usd\": -1}"), "s.json: arms[1].budget.usd: expected an amount"},
        {ARM("\"optimize\": -3"), "s.json: arms[1].optimize: -3 is not in the range"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct suite suite = {0};
        struct error err;

        assert_int_equal(parse(&suite, cases[i].text, &err), STATUS_INVALID);
        if (strncmp(err.text, cases[i].error, strlen(cases[i].error)) != 0)
            fail_msg("%s\ngives    %s\nexpected %s", cases[i].text, err.text, cases[i].error);
        assert_null(suite.name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults_are_those_of_run),
        cmocka_unit_test(test_an_arm_has_several_agents),
        cmocka_unit_test(test_ablations_make_arms_that_lack_a_part),
        cmocka_unit_test(test_a_printed_suite_reads_back),
        cmocka_unit_test(test_the_order_of_tasks),
        cmocka_unit_test(test_errors_name_the_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
