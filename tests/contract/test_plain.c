/*
 * Checks that the plain kernels of every operation give the values that the oracle expects, at the
 * dimensions in the problem's file and at others. Usage: test_plain PROBLEM...
 */
#include "tests/unit/unit.h"

#include <string.h>

#include "core/codegen/plain.h"
#include "tests/contract/judge_fixture.h"

/* All tests share one judge: starting an executor takes most of the time of a small problem. */
static struct judge_fixture fixture;

static void assert_correct(const char *path, bool is_gpu, struct candidate *candidate)
{
    struct plain_target target = {.is_gpu = is_gpu};
    struct error err;

    judge_fixture_open(&fixture, path);
    target.language = judge_fixture_language(&fixture);
    if (plain_candidate(&fixture.problem, &target, candidate, &err))
        fail_msg("%s", err.text);
    judge_fixture_assert_correct(&fixture, candidate, path);
}

static void is_correct(void **state)
{
    struct candidate candidate = {0};

    assert_correct(*state, false, &candidate);
    candidate_release(&candidate);
}

/* On a GPU a work-group computes each long row, and several the mean of a whole tensor. */
static void shares_long_rows(void **state)
{
    struct candidate candidate = {0};

    assert_correct(*state, true, &candidate);
    assert_non_null(strstr(candidate.plan, "\"2 * 3 * 256\""));
    assert_non_null(strstr(candidate.plan, "\"1 * 256 * 256\""));
    candidate_release(&candidate);
}

/* On a GPU a work-group computes a tile of a product. */
static void computes_tiles(void **state)
{
    struct candidate candidate = {0};

    assert_correct(*state, true, &candidate);
    assert_non_null(strstr(candidate.plan, "\"2 * ceildiv(M, 16) * ceildiv(N, 16) * 256\""));
    assert_non_null(strstr(candidate.plan, "\"1 * ceildiv(L, 64) * ceildiv(L, 64) * 256\""));
    candidate_release(&candidate);
}

/* On a GPU a work-group computes all steps of a sample. */
static void shares_the_state_of_a_recurrent_layer(void **state)
{
    struct candidate candidate = {0};

    assert_correct(*state, true, &candidate);
    assert_non_null(strstr(candidate.plan, "\"B * 256\""));
    candidate_release(&candidate);
}

/* On a GPU a work-group sorts rows, and merges pieces of long ones; elements are added atomically.
 */
static void sorts_in_groups(void **state)
{
    struct candidate candidate = {0};

    assert_correct(*state, true, &candidate);
    assert_non_null(strstr(candidate.source, "add_to("));
    assert_non_null(strstr(candidate.source, "raise_to("));
    assert_non_null(strstr(candidate.source, "middle = (low + high) / 2"));
    candidate_release(&candidate);
}

int main(int argc, char **argv)
{
    static char orders[] = KFORGE_SOURCE_DIR "/tests/problems/orders.json";
    static char long_rows[] = KFORGE_SOURCE_DIR "/tests/contract/long_rows.json";
    static char tiles[] = KFORGE_SOURCE_DIR "/tests/contract/tiles.json";
    static char layers[] = KFORGE_SOURCE_DIR "/tests/problems/recurrence.json";
    struct CMUnitTest tests[64] = {{"shares_long_rows", shares_long_rows, NULL, NULL, long_rows},
                                   {"computes_tiles", computes_tiles, NULL, NULL, tiles},
                                   {"shares_the_state_of_a_recurrent_layer",
                                    shares_the_state_of_a_recurrent_layer, NULL, NULL, layers},
                                   {"sorts_in_groups", sorts_in_groups, NULL, NULL, orders}};
    size_t count = 4;
    int failed;

    for (int i = 1; i < argc && count < 64; i++)
        tests[count++] = (struct CMUnitTest){argv[i], is_correct, NULL, NULL, argv[i]};
    failed = _cmocka_run_group_tests("plain", tests, count, NULL, NULL);
    judge_fixture_close(&fixture);
    return failed;
}
