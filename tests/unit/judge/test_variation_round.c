#include "tests/unit/unit.h"

#include <math.h>

#include "tests/unit/variation_fixture.h"

/* The number of elements that differ from `number` by at most `part` of it. */
static size_t count_near(const float *elements, size_t count, float number, float part)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++)
        found += fabsf(elements[i] - number) <= part * number;
    return found;
}

static void numbers_are_at_limits_and_on_both_sides_of_them(void **state)
{
    const struct value normal = value_with(FILL_NORMAL, 0, 1);
    float x[COUNT_ELEMENTS];
    size_t above = 0, below = 0;

    (void)state;
    make(VARIATION_ROUND, &normal, x);
    assert_true(count_near(x, COUNT_ELEMENTS, 1, 0) > 0);
    assert_true(count_near(x, COUNT_ELEMENTS, 1, 0x1p-21F) > count_near(x, COUNT_ELEMENTS, 1, 0));
    for (size_t i = 0; i < COUNT_ELEMENTS; i++) {
        above += x[i] > 1 && x[i] < 1.001F;
        below += x[i] < 1 && x[i] > 0.999F;
        assert_false(x[i] == 0 && signbit(x[i]));
    }
    assert_true(above > 3 && below > 3);
}

/* What rows are compared with has round numbers as often as the rows. */
static void every_other_number_of_a_column_is_round(void **state)
{
    struct value column = value_with(FILL_NORMAL, 0, 1);
    float x[COUNT_ELEMENTS];

    (void)state;
    column.shape = (struct shape){.rank = 2, .dims = {COUNT_ELEMENTS, 1}};
    make(VARIATION_ROUND, &column, x);
    for (size_t i = 0; i < COUNT_ELEMENTS; i += 2)
        assert_true(2 * x[i] == roundf(2 * x[i]));
}

static void a_range_is_kept(void **state)
{
    const struct value share = value_with(FILL_UNIFORM, 0, 1),
                       large = value_with(FILL_UNIFORM, 1000, 2000);
    float x[COUNT_ELEMENTS];

    (void)state;
    make(VARIATION_ROUND, &share, x);
    for (size_t i = 0; i < COUNT_ELEMENTS; i++)
        assert_true(x[i] >= 0 && x[i] <= 1);
    assert_true(count_different(x) > 10);
    make(VARIATION_ROUND, &large, x);
    assert_true(count_different(x) > COLUMNS / 2);
}

static void one_row_of_four_is_nearly_the_same_in_all_tensors(void **state)
{
    const struct value first = value_with(FILL_NORMAL, 0, 1);
    struct value second = first;
    float x[COUNT_ELEMENTS], y[COUNT_ELEMENTS];
    char name[] = "other";
    size_t near[ROWS] = {0};

    (void)state;
    second.name = name;
    make(VARIATION_ROUND, &first, x);
    make(VARIATION_ROUND, &second, y);
    for (size_t row = 0; row < ROWS; row++)
        for (size_t i = row * COLUMNS; i < (row + 1) * COLUMNS; i++)
            near[row] += fabsf(x[i] - y[i]) <= 0x1p-5F * fmaxf(fabsf(x[i]), 1);
    assert_int_equal(near[1], COLUMNS);
    assert_true(near[0] < COLUMNS / 2 && near[2] < COLUMNS / 2);
}

static void a_square_begins_like_a_symmetric_one(void **state)
{
    struct value square = value_with(FILL_NORMAL, 0, 1);
    float x[COUNT_ELEMENTS];
    size_t n = 12, different = 0;

    (void)state;
    square.shape.dims[0] = square.shape.dims[1] = (int64_t)n;
    make(VARIATION_ROUND, &square, x);
    for (size_t i = 1; i < n; i++)
        assert_true(x[i] == x[i * n] && x[n + i] == x[i * n + 1]);
    for (size_t i = 4; i < n; i++)
        for (size_t j = 4; j < i; j++)
            different += x[i * n + j] != x[j * n + i];
    assert_true(different > 15);
}

static void a_scalar_is_near_one(void **state)
{
    struct value scalar = value_with(FILL_NORMAL, 0, 1);
    float x[COUNT_ELEMENTS];

    (void)state;
    scalar.shape.rank = 0;
    make(VARIATION_ROUND, &scalar, x);
    assert_true(x[0] != 1 && fabsf(x[0] - 1) < 0.001F);
}

/* Whatever the data are of which losses are measured, near zero they differ in all rows. */
static void all_rows_of_two_tensors_are_nearly_the_same(void **state)
{
    const struct value first = value_with(FILL_NORMAL, 0, 1);
    struct value second = first;
    float x[COUNT_ELEMENTS], y[COUNT_ELEMENTS];
    char name[] = "other";

    (void)state;
    second.name = name;
    make(VARIATION_NEAR, &first, x);
    make(VARIATION_NEAR, &second, y);
    for (size_t i = 0; i < COUNT_ELEMENTS; i++)
        assert_true(x[i] != y[i] && fabsf(x[i] - y[i]) < 0.05F && fabsf(x[i]) < 1.6F);
    assert_true(count_different(x) > COLUMNS / 2);
}

/* Of padding all elements but one, or all, are counted. */
static void rows_of_integers_repeat_a_number(void **state)
{
    const struct value index = value_with(FILL_INTEGERS, 0, 900);
    float x[COUNT_ELEMENTS];

    (void)state;
    make(VARIATION_ROUND, &index, x);
    for (size_t row = 0; row < ROWS; row++) {
        const float *first = x + row * COLUMNS;

        assert_int_equal(count_different(first), row == 3 ? 1 : 2);
        assert_true(first[COLUMNS - 1] <= 4 || first[COLUMNS - 1] == 900);
        assert_true(row == 0 || first[COLUMNS - 1] != first[-1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_other_number_of_a_column_is_round),
        cmocka_unit_test(numbers_are_at_limits_and_on_both_sides_of_them),
        cmocka_unit_test(a_range_is_kept),
        cmocka_unit_test(one_row_of_four_is_nearly_the_same_in_all_tensors),
        cmocka_unit_test(a_square_begins_like_a_symmetric_one),
        cmocka_unit_test(a_scalar_is_near_one),
        cmocka_unit_test(all_rows_of_two_tensors_are_nearly_the_same),
        cmocka_unit_test(rows_of_integers_repeat_a_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
