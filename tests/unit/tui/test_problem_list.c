#include "tests/unit/unit.h"

#include "tui/screens/problem_list.h"

/* The best speedup of a problem over all of its sessions. */

static const char problem_text[] =
    "{\"kforge\": 1, \"name\": \"twice\", \"summary\": \"\", \"dims\": {},"
    " \"tensors\": {"
    "  \"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [4],"
    "         \"fill\": {\"uniform\": [-1, 1]}},"
    "  \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [4]}},"
    " \"graph\": [{\"op\": \"mul\", \"in\": [\"x\", 2], \"out\": \"y\"}],"
    " \"tolerance\": {\"class\": \"f32\"}}";

/* A session of "twice", over a baseline on a device. */
static struct listed_session session(char *device, char *over, double speedup)
{
    static char name[] = "twice";

    return (struct listed_session){
        .problem = name, .device = device, .over = over, .best_speedup = speedup};
}

static void speedups_over_other_baselines_do_not_count(void **state)
{
    char here[] = "opencl:0", there[] = "cuda:0", plain[] = "reference", host[] = "library";
    const struct listed_session sessions[] = {
        session(here, NULL, 0),   session(here, host, 2),   session(here, plain, 90),
        session(there, host, 80), session(here, host, 1.5), session(here, host, 3),
    };
    static const double best[] = {0, 2, 2, 2, 2, 3};
    struct problem_list list = {0};

    (void)state;
    assert_int_equal(problem_list_add(&list, "twice.json", problem_text, NULL), STATUS_OK);
    for (size_t i = 0; i < sizeof(best) / sizeof(*best); i++) {
        problem_list_note_best(&list, &sessions[i]);
        assert_float_equal(list.items[0].best_speedup, best[i], 0);
    }
    assert_string_equal(list.items[0].over, host);
    assert_string_equal(list.items[0].device, here);
    problem_list_forget_best(&list);
    problem_list_note_best(&list, &sessions[2]);
    assert_float_equal(list.items[0].best_speedup, 90, 0);
    assert_string_equal(list.items[0].over, plain);
    problem_list_release(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(speedups_over_other_baselines_do_not_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
