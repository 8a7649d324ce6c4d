#include "tests/unit/unit.h"

#include <string.h>

#include "core/base/vec.h"
#include "core/judge/tool_runs/tool_run.h"
#include "core/model/baseline_label.h"

/* A profile of a session's candidate with this speedup over the best. The caller releases it. */
static struct verdict examined(double speedup)
{
    const struct judge_tools tools = {.profile = true, .skips_slower = true};
    struct comparison best = {.name = mem_strdup(BASELINE_BEST), .speedup = speedup};
    struct verdict verdict = {.outcome = OUTCOME_CORRECT};
    struct evaluation evaluation = {.verdict = &verdict};
    struct ncu_process *ahead = NULL;
    struct error err;

    vec_push(&verdict.against, best);
    assert_int_equal(tool_run_examine(&evaluation, &tools, NULL, &ahead, &err), STATUS_OK);
    assert_null(ahead);
    return verdict;
}

/* The analyst reads the profile of the best candidate: one that does not become it gets none. */
static void candidates_without_a_gain_get_no_profile(void **state)
{
    static const struct {
        double speedup;
        const char *said;
    } cases[] = {{0.5, "0.500x over the best"}, {1.0056, "1.01x over the best"}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct verdict verdict = examined(cases[i].speedup);

        assert_int_equal(verdict.profile.kernels.count, 0);
        assert_non_null(verdict.profile.missing);
        assert_non_null(strstr(verdict.profile.missing, cases[i].said));
        verdict_release(&verdict);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidates_without_a_gain_get_no_profile),
    };

    return cmocka_run_group_tests_name("tool_run", tests, NULL, NULL);
}
