#include "tests/unit/unit.h"

#include <stdlib.h>

#include "core/judge/tune.h"

static void every_choice_comes_once(void **state)
{
    static const size_t counts[] = {1, 2, 3, 4, 6, 12, 64, 81, 210, 4096};

    (void)state;
    for (size_t c = 0; c < sizeof(counts) / sizeof(*counts); c++) {
        bool *seen = calloc(counts[c], sizeof(*seen));

        assert_int_equal(tune_choice(counts[c], 0), 0);
        for (size_t turn = 0; turn < counts[c]; turn++) {
            size_t choice = tune_choice(counts[c], turn);

            assert_true(choice < counts[c] && !seen[choice]);
            seen[choice] = true;
        }
        free(seen);
    }
}

/*
 * Of the 4096 choices of three tunables with 16 values each, the first 64 include every value of
 * each tunable.
 */
static void the_first_choices_cover_all_values(void **state)
{
    unsigned seen[3] = {0};

    (void)state;
    for (size_t turn = 0; turn < 64; turn++) {
        size_t choice = tune_choice(4096, turn);

        for (size_t i = 0; i < 3; i++, choice /= 16)
            seen[i] |= 1U << choice % 16;
    }
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(seen[i], 0xffff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_choice_comes_once),
        cmocka_unit_test(the_first_choices_cover_all_values),
    };

    return cmocka_run_group_tests_name("tune", tests, NULL, NULL);
}
