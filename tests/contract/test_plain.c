/*
 * Checks that the plain kernels of every operation give the values that the oracle expects, at the
 * dimensions in the problem's file and at others. Usage: test_plain PROBLEM...
 */
#include "tests/unit/unit.h"

#include "core/codegen/plain.h"
#include "tests/contract/judge_fixture.h"

/* All tests share one judge: starting an executor takes most of the time of a small problem. */
static struct judge_fixture fixture;

static void is_correct(void **state)
{
    struct candidate candidate = {0};
    struct error err;

    judge_fixture_open(&fixture, *state);
    if (plain_candidate(&fixture.problem, judge_fixture_language(&fixture), &candidate, &err))
        fail_msg("%s", err.text);
    judge_fixture_assert_correct(&fixture, &candidate, *state);
    candidate_release(&candidate);
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[64] = {{0}};
    size_t count = 0;
    int failed;

    for (int i = 1; i < argc && count < 64; i++)
        tests[count++] = (struct CMUnitTest){argv[i], is_correct, NULL, NULL, argv[i]};
    failed = _cmocka_run_group_tests("plain", tests, count, NULL, NULL);
    judge_fixture_close(&fixture);
    return failed;
}
