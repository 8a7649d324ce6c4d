/*
 * Checks that the plain kernels of every operation give the values that the oracle expects, at the
 * dimensions in the problem's file and at others. Usage: test_plain PROBLEM...
 */
#include "tests/unit/unit.h"

#include "core/codegen/plain.h"
#include "tests/contract/court.h"

/* All tests share one judge: starting an executor takes most of the time of a small problem. */
static struct court court;

static void is_correct(void **state)
{
    struct candidate candidate = {0};
    struct error err;

    court_open(&court, *state);
    if (plain_candidate(&court.problem, court_language(&court), &candidate, &err))
        fail_msg("%s", err.text);
    court_assert_correct(&court, &candidate, *state);
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
    court_close(&court);
    return failed;
}
