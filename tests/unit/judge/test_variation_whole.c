#include "tests/unit/unit.h"

#include <math.h>

#include "tests/unit/variation_fixture.h"

/* Variations of whole numbers: indices, masks and other integers. */

/* Indices have both ends of their range; rows of masks are uniform. */
static void whole_numbers_reach_their_ends(void **state)
{
    struct value index = value_with(FILL_INTEGERS, -3, 70000);
    const struct value mask = value_with(FILL_MASK, 0.5, 0);
    float x[COUNT_ELEMENTS];

    (void)state;
    make(VARIATION_ENDS, &mask, x);
    assert_int_equal(count_positive(x + (size_t)2 * COLUMNS, COLUMNS), COLUMNS);
    assert_int_equal(count_positive(x + (size_t)3 * COLUMNS, COLUMNS), 0);
    make(VARIATION_ENDS, &index, x);
    for (size_t i = 0; i < COLUMNS; i++)
        assert_true(x[(size_t)2 * COLUMNS + i] == 70000 && x[(size_t)3 * COLUMNS + i] == -3);
    index.shape = (struct shape){.rank = 1, .dims = {COLUMNS}};
    make(VARIATION_ENDS, &index, x);
    assert_true(count_different(x) == 2 && x[1] == 70000);
    make(VARIATION_END_COLUMNS, &index, x);
    assert_true(count_different(x) == 2 && x[1] == -3);
}

/* The odd one of elements that are all alike otherwise is the first of one row, the last of
 * another. */
static void a_line_of_whole_numbers_has_one_odd_element(void **state)
{
    struct value mask = value_with(FILL_MASK, 0.5, 0);
    float x[COUNT_ELEMENTS];
    size_t n = COUNT_ELEMENTS / 16;

    (void)state;
    mask.shape = (struct shape){.rank = 2, .dims = {16, (int64_t)n}};
    make(VARIATION_ENDS, &mask, x);
    assert_true(count_positive(x + n, n) == 1 && x[n] == 1);
    assert_true(count_positive(x + 5 * n, n) == 1 && x[6 * n - 1] == 1);
    assert_true(count_positive(x + 9 * n, n) == n - 1 && x[9 * n] == 0);
    assert_true(count_positive(x + 13 * n, n) == n - 1 && x[14 * n - 1] == 0);
    mask.shape = (struct shape){.rank = 2, .dims = {(int64_t)n, 16}};
    make(VARIATION_END_COLUMNS, &mask, x);
    for (size_t row = 0; row < n; row++)
        assert_true(x[row * 16 + 3] == (row == 0) && x[row * 16 + 7] == (row == n - 1) &&
                    x[row * 16 + 11] == (row != 0) && x[row * 16 + 15] == (row != n - 1));
}

/* Whole params reach their ends as inputs do: sums are largest where both have them. */
static void whole_params_reach_their_ends(void **state)
{
    struct value weights = value_with(FILL_INTEGERS, -127, 127);
    float x[COUNT_ELEMENTS];

    (void)state;
    weights.role = TENSOR_PARAM;
    make(VARIATION_ENDS, &weights, x);
    for (size_t i = 0; i < COLUMNS; i++)
        assert_true(x[(size_t)2 * COLUMNS + i] == 127 && x[(size_t)3 * COLUMNS + i] == -127);
}

/* A counter of a column overflows where all of it counts. */
static void columns_of_whole_numbers_reach_their_ends(void **state)
{
    const struct value mask = value_with(FILL_MASK, 0.5, 0);
    float x[COUNT_ELEMENTS];

    (void)state;
    make(VARIATION_END_COLUMNS, &mask, x);
    for (size_t row = 0; row < ROWS; row++)
        for (size_t i = 0; i < COLUMNS; i += 4)
            assert_true(x[row * COLUMNS + i] == x[i] && x[row * COLUMNS + i + 1] == 1 - x[i]);
    assert_true(x[0] == 1);
    assert_in_range(count_positive(x, COLUMNS), COLUMNS / 4 + 9, COLUMNS * 3 / 4 - 9);
}

/* A sum of differences is largest where one operand has the high end and the other the low one. */
static void two_tensors_reach_all_pairs_of_ends(void **state)
{
    struct value first = value_with(FILL_INTEGERS, -128, 127), second = first;
    bool reached[2][2] = {{false}};
    float x[COUNT_ELEMENTS], y[COUNT_ELEMENTS];

    (void)state;
    second.name = "y";
    first.shape = second.shape = (struct shape){.rank = 2, .dims = {32, COUNT_ELEMENTS / 32}};
    make(VARIATION_ENDS, &first, x);
    make(VARIATION_ENDS, &second, y);
    for (size_t i = 1; i < COUNT_ELEMENTS; i += COUNT_ELEMENTS / 32)
        if (fabsf(x[i] + 0.5F) == 127.5F && fabsf(y[i] + 0.5F) == 127.5F)
            reached[x[i] > 0][y[i] > 0] = true;
    assert_true(reached[0][0] && reached[0][1] && reached[1][0] && reached[1][1]);
}

/* Kernels may take sorted places for granted, or that each row moves. */
static void permutations_are_sorted_and_stay_permutations(void **state)
{
    const struct value places = value_with(FILL_PERMUTATION, 0, 0);
    float up[COUNT_ELEMENTS], down[COUNT_ELEMENTS], kept[COUNT_ELEMENTS];
    double sum = 0;

    (void)state;
    make(VARIATION_TIES, &places, up);
    make(VARIATION_NEGATIVE, &places, down);
    make(VARIATION_SMALL, &places, kept);
    for (size_t i = 0; i < COLUMNS; i++) {
        assert_true(up[i] == (float)i && down[i] == (float)(COLUMNS - 1 - i));
        sum += (double)kept[i];
    }
    assert_true(kept[0] == 0 && kept[COLUMNS - 1] == COLUMNS - 1);
    assert_true(count_different(kept) == COLUMNS && sum == COLUMNS * (COLUMNS - 1) / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers_reach_their_ends),
        cmocka_unit_test(a_line_of_whole_numbers_has_one_odd_element),
        cmocka_unit_test(whole_params_reach_their_ends),
        cmocka_unit_test(columns_of_whole_numbers_reach_their_ends),
        cmocka_unit_test(two_tensors_reach_all_pairs_of_ends),
        cmocka_unit_test(permutations_are_sorted_and_stay_permutations),
    };

    return cmocka_run_group_tests_name("variation_whole", tests, NULL, NULL);
}
