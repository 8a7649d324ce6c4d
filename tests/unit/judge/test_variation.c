#include "tests/unit/unit.h"

#include <math.h>

#include "core/judge/oracle/fill.h"
#include "tests/unit/variation_fixture.h"

static void a_seed_names_its_variation(void **state)
{
    uint64_t seed = fill_secret_seed();

    (void)state;
    assert_int_equal(variation_of(seed), VARIATION_NONE);
    for (int v = 0; v < VARIATION_COUNT; v++) {
        assert_int_equal(variation_of(variation_seed((enum variation)v, seed)), v);
        assert_true(variation_seed((enum variation)v, seed) < UINT64_C(1) << 49);
    }
}

static void each_variation_has_its_kind_of_rows(void **state)
{
    const struct value normal = value_with(FILL_NORMAL, 0, 1);
    float x[COUNT_ELEMENTS], largest = 0;

    (void)state;
    make(VARIATION_TIES, &normal, x);
    assert_in_range(count_different(x + COLUMNS), 2, 16);
    make(VARIATION_CONSTANT, &normal, x);
    assert_int_equal(count_different(x), 1);
    assert_true(count_different(x + COLUMNS) > COLUMNS / 2);
    assert_true(largest_of(x + (size_t)3 * COLUMNS, COLUMNS) < 0x1p-80F);
    make(VARIATION_NEGATIVE, &normal, x);
    for (size_t i = 0; i < COLUMNS; i++)
        assert_true(x[i] <= 0);
    for (size_t row = 0; row < ROWS; row++)
        for (size_t i = 0; i < COLUMNS / 2; i++)
            assert_true(x[row * COLUMNS + i] <= 0);
    assert_true(count_positive(x + COLUMNS, COLUMNS) > 9);
    make(VARIATION_TIES, &normal, x);
    for (size_t i = 1; i < COLUMNS; i++)
        assert_true(x[COLUMNS + i] >= x[COLUMNS + i - 1] &&
                    x[(size_t)3 * COLUMNS + i] <= x[(size_t)3 * COLUMNS + i - 1]);
    make(VARIATION_LARGE, &normal, x);
    for (size_t i = 0; i < COUNT_ELEMENTS; i++)
        largest = fmaxf(largest, fabsf(x[i]));
    assert_true(largest > 16);
}

static size_t count_outliers(const float *elements, size_t count)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++)
        found += fabsf(elements[i]) > 60;
    return found;
}

static size_t count_equal(const float *elements, size_t count, float number)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++)
        found += elements[i] == number;
    return found;
}

/* A loop that leaves out its first or last step is wrong there. */
static void a_row_has_one_outlier(void **state)
{
    struct value normal = value_with(FILL_NORMAL, 0, 1);
    float x[COUNT_ELEMENTS];

    (void)state;
    make(VARIATION_OUTLIERS, &normal, x);
    for (size_t row = 0; row < ROWS; row++)
        assert_int_equal(count_outliers(x + row * COLUMNS, COLUMNS), row > 0);
    assert_true(fabsf(x[COLUMNS + COLUMNS - 1]) > 60);
    assert_true(fabsf(x[(size_t)3 * COLUMNS + COLUMNS - 1]) > 60);
    normal.shape = (struct shape){.rank = 2, .dims = {8, COUNT_ELEMENTS / 8}};
    make(VARIATION_OUTLIERS, &normal, x);
    assert_true(fabsf(x[(size_t)5 * COUNT_ELEMENTS / 8]) > 60);
}

/* A few elements of such a row, or of the row before, do not tell what the others are. */
static void most_elements_are_alike(void **state)
{
    struct value normal = value_with(FILL_NORMAL, 0, 1), mask = value_with(FILL_MASK, 0.5, 0);
    const struct value order = {.name = "x",
                                .dtype = DTYPE_F32,
                                .shape = {.rank = 1, .dims = {COLUMNS}},
                                .fill = {FILL_PERMUTATION, 0, 0}};
    float x[COUNT_ELEMENTS], again[COUNT_ELEMENTS];

    (void)state;
    make(VARIATION_ALIKE, &normal, x);
    make(VARIATION_ALIKE_AGAIN, &normal, again);
    assert_in_range(count_different(x) - 1, 1,
                    COLUMNS / 2 - count_equal(x + COLUMNS / 2, COLUMNS / 2, 0));
    for (size_t i = 0; i < COLUMNS / 8; i++) {
        assert_true(x[i] == 0 && x[COLUMNS + i] == x[COLUMNS] && again[COLUMNS + i] == 0);
        assert_true(x[(size_t)2 * COLUMNS + i] == x[COLUMNS]);
        assert_true(again[(size_t)2 * COLUMNS + i] == x[COLUMNS]);
        assert_true(x[(size_t)3 * COLUMNS + i] <= x[(size_t)3 * COLUMNS + i + 1]);
    }
    assert_true(again[COUNT_ELEMENTS - 1] == 0);
    assert_in_range(count_equal(x + COLUMNS, COLUMNS, x[COLUMNS]), COLUMNS / 2, COLUMNS - 1);
    make(VARIATION_ALIKE, &mask, x);
    assert_in_range(count_equal(x, COLUMNS, 0), COLUMNS / 2, COLUMNS - 1);
    make(VARIATION_ALIKE, &order, x);
    assert_true(x[3] == 5 && x[5] == 3 && x[COLUMNS - 1] == COLUMNS - 1);
    assert_int_equal(count_different(x), COLUMNS);
}

/* A kernel may treat a factor of 0 or 1 separately. */
static void scalars_are_nothing_and_one(void **state)
{
    struct value scalar = value_with(FILL_UNIFORM, -2, 2);
    float x[1];

    (void)state;
    scalar.shape = (struct shape){0};
    make(VARIATION_ALIKE, &scalar, x);
    assert_true(x[0] == 0);
    make(VARIATION_ALIKE_AGAIN, &scalar, x);
    assert_true(x[0] == 1);
}

/* Rows that may be normalized together have few outliers, and are negative by matrices. */
static void tensors_of_matrices_have_few_outliers(void **state)
{
    struct value normal = value_with(FILL_NORMAL, 0, 1);
    float x[COUNT_ELEMENTS];

    (void)state;
    normal.shape = (struct shape){.rank = 3, .dims = {2, 2, COLUMNS}};
    make(VARIATION_OUTLIERS, &normal, x);
    assert_int_equal(count_outliers(x, COUNT_ELEMENTS), 1);
    make(VARIATION_NEGATIVE, &normal, x);
    for (size_t i = 0; i < COLUMNS + COLUMNS; i++)
        assert_true(x[i] <= 0);
}

/* A comparison of fewer bits is wrong there. */
static void ties_differ_in_their_last_bits_somewhere(void **state)
{
    const struct value normal = value_with(FILL_NORMAL, 0, 1),
                       whole = value_with(FILL_INTEGERS, -3, 1000000);
    float x[COUNT_ELEMENTS];

    (void)state;
    make(VARIATION_TIES, &normal, x);
    assert_true(count_different(x) > count_different(x + COLUMNS));
    for (size_t i = 0; i < COLUMNS; i++)
        x[i] = roundf(x[i] * 0x1p10F);
    assert_in_range(count_different(x), 2, 16);
    make(VARIATION_TIES, &whole, x);
    for (size_t i = 0; i < COUNT_ELEMENTS; i++)
        assert_true(x[i] >= 458752 && x[i] <= 458755);
    assert_int_equal(count_different(x), 4);
}

/* A maximum that leaves out an element is wrong there, along rows and along columns. */
static void rows_and_columns_have_one_peak(void **state)
{
    struct value normal = value_with(FILL_NORMAL, 0, 1);
    float x[COUNT_ELEMENTS];

    (void)state;
    make(VARIATION_PEAKS, &normal, x);
    assert_true(x[0] > 104 && count_outliers(x + COLUMNS + 1, COLUMNS - 3) == 1);
    assert_true(x[(size_t)2 * COLUMNS + COLUMNS - 2] > 104 &&
                x[(size_t)3 * COLUMNS + COLUMNS - 1] > 104);
    assert_int_equal(count_outliers(x, COUNT_ELEMENTS), ROWS);
    normal.shape = (struct shape){.rank = 2, .dims = {COLUMNS, ROWS}};
    make(VARIATION_PEAKS, &normal, x);
    assert_true(x[0] > 104 && x[ROWS + 1] > 104);
    assert_true(x[COUNT_ELEMENTS - 1] > 104 && x[COUNT_ELEMENTS - ROWS - 2] > 104);
    assert_int_equal(count_outliers(x, COUNT_ELEMENTS), ROWS);
}

/* Half of the elements' bits hold them, and no usual first value of a maximum is below them. */
static void deep_lines_have_one_peak(void **state)
{
    const struct value normal = value_with(FILL_NORMAL, 0, 1);
    float x[COUNT_ELEMENTS];

    (void)state;
    make(VARIATION_DEEP, &normal, x);
    for (size_t row = 0; row < ROWS; row++) {
        int peaks = 0;

        for (size_t i = row * COLUMNS; i < (row + 1) * COLUMNS; i++) {
            peaks += x[i] == -0x1p14F;
            assert_true(x[i] == -0x1p14F || (x[i] <= -0x1.8p14F && x[i] > -0x1p15F));
            assert_true(fmodf(x[i], 128) == 0);
        }
        assert_int_equal(peaks, 1);
    }
    make(VARIATION_DEEP_COLUMNS, &normal, x);
    for (size_t column = 0; column < COLUMNS; column++) {
        int peaks = 0;

        for (size_t row = 0; row < ROWS; row++)
            peaks += x[row * COLUMNS + column] == -0x1p14F;
        assert_int_equal(peaks, 1);
    }
}

/* The index of a row and its largest or least element are made apart, each from its own number. */
static void indices_name_winners(void **state)
{
    const struct value normal = value_with(FILL_NORMAL, 0, 1);
    struct value index = value_with(FILL_INTEGERS, 0, COLUMNS - 1);
    float x[COUNT_ELEMENTS], named[ROWS];

    (void)state;
    index.shape = (struct shape){.rank = 1, .dims = {ROWS}};
    make(VARIATION_WINNERS, &normal, x);
    make(VARIATION_WINNERS, &index, named);
    for (size_t row = 0; row < ROWS; row++) {
        float winner = x[row * COLUMNS + (size_t)named[row]];

        for (size_t i = 0; i < COLUMNS; i++)
            assert_true(row < 2 ? x[row * COLUMNS + i] <= winner : x[row * COLUMNS + i] >= winner);
        assert_true(row < 2 ? winner > 7 : winner < 0);
    }
}

/* A classifier that is sure and right has a loss near zero in all rows. */
static void sure_winners_stand_out_in_all_rows(void **state)
{
    const struct value normal = value_with(FILL_NORMAL, 0, 1);
    struct value index = value_with(FILL_INTEGERS, 0, COLUMNS - 1);
    float x[COUNT_ELEMENTS], named[ROWS];

    (void)state;
    index.shape = (struct shape){.rank = 1, .dims = {ROWS}};
    make(VARIATION_SURE, &normal, x);
    make(VARIATION_SURE, &index, named);
    for (size_t row = 0; row < ROWS; row++)
        for (size_t i = 0; i < COLUMNS; i++)
            assert_true(i == (size_t)named[row] ||
                        x[row * COLUMNS + i] + 8 <= x[row * COLUMNS + (size_t)named[row]]);
}

/* Padding has no length to divide by. A range without zero has no rows of zeros. */
static void some_rows_are_zero(void **state)
{
    const struct value normal = value_with(FILL_NORMAL, 0, 1),
                       gain = value_with(FILL_UNIFORM, 1, 2);
    float x[COUNT_ELEMENTS];

    (void)state;
    make(VARIATION_TIES, &normal, x);
    for (size_t i = 0; i < COLUMNS; i++)
        assert_true(x[(size_t)2 * COLUMNS + i] == 0 && !signbit(x[(size_t)2 * COLUMNS + i]));
    assert_true(largest_of(x, COLUMNS) > 1);
    make(VARIATION_SORTED, &normal, x);
    assert_true(largest_of(x + (size_t)2 * COLUMNS, COLUMNS) > 1);
    make(VARIATION_TIES, &gain, x);
    assert_true(largest_of(x + (size_t)2 * COLUMNS, COLUMNS) >= 1);
    assert_int_equal(variation_milder(VARIATION_TIES), VARIATION_EVEN);
    make(VARIATION_EVEN, &normal, x);
    assert_true(largest_of(x + (size_t)2 * COLUMNS, COLUMNS) == 0);
    assert_true(count_different(x) <= 16);
}

/* So the first and the last sums are the largest, and sums of moved inputs have one sign. */
static void params_change_where_sums_need_it(void **state)
{
    struct value param = value_with(FILL_NORMAL, 0, 1);
    float x[COUNT_ELEMENTS], ends = 0, middle = 0;

    (void)state;
    param.role = TENSOR_PARAM;
    make(VARIATION_LARGE, &param, x);
    for (size_t i = 0; i < COLUMNS; i++) {
        ends = fmaxf(ends, fminf(fabsf(x[i]), fabsf(x[COUNT_ELEMENTS - COLUMNS + i])));
        middle = fmaxf(middle, fabsf(x[COLUMNS + i]));
    }
    assert_true(ends > 6 && middle < 6);
    make(VARIATION_MOVED, &param, x);
    for (size_t i = 0; i < COUNT_ELEMENTS; i++)
        assert_true(x[i] < -88);
    assert_false(variation_applies(VARIATION_TIES, &param));
}

/* A model of words has its data in a table. */
static void tables_vary_as_inputs_do(void **state)
{
    const struct value input = value_with(FILL_NORMAL, 0, 1);
    struct value table = input;
    float want[COUNT_ELEMENTS], got[COUNT_ELEMENTS];

    (void)state;
    table.role = TENSOR_PARAM;
    make(VARIATION_OUTLIERS, &input, want);
    assert_false(variation_changes(variation_seed(VARIATION_OUTLIERS, 12345), &table));
    assert_true(variation_changes(variation_seed_of_tables(VARIATION_OUTLIERS, 12345), &table));
    fill_make(&table, variation_seed_of_tables(VARIATION_OUTLIERS, 12345), 0, got);
    assert_int_equal(count_outliers(got, COUNT_ELEMENTS), count_outliers(want, COUNT_ELEMENTS));
    assert_true(count_outliers(got, COUNT_ELEMENTS) > 0);
}

/* A bias does not hide small results, and a norm's weights change signs. Matrices stay. */
static void vectors_of_params_change(void **state)
{
    struct value param = value_with(FILL_NORMAL, 0, 1);
    float x[COUNT_ELEMENTS];

    (void)state;
    param.role = TENSOR_PARAM;
    make(VARIATION_SMALL, &param, x);
    assert_true(fabsf(x[0]) > 0.006F || fabsf(x[1]) > 0.006F);
    make(VARIATION_NEGATIVE, &param, x);
    assert_true(count_positive(x, COLUMNS / 2) > 9);
    param.shape = (struct shape){.rank = 1, .dims = {COLUMNS}};
    make(VARIATION_SMALL, &param, x);
    for (size_t i = 0; i < COLUMNS; i++)
        assert_true(fabsf(x[i]) < 0.006F);
    make(VARIATION_NEGATIVE, &param, x);
    assert_int_equal(count_positive(x, COLUMNS / 2), 0);
    assert_true(count_positive(x, COLUMNS) > 9);
}

/* Rows of one number are not fair to sums, whose roundings would not cancel each other. */
static void numbers_of_a_kept_range_come_near_its_ends(void **state)
{
    const struct value share = value_with(FILL_UNIFORM, 0, 1),
                       both = value_with(FILL_UNIFORM, -1, 1);
    float x[COUNT_ELEMENTS];

    (void)state;
    assert_false(variation_applies(VARIATION_ENDS, &both));
    make(VARIATION_ENDS, &share, x);
    for (size_t i = 0; i < COLUMNS; i++)
        assert_true(x[(size_t)2 * COLUMNS + i] >= 0.9375F && x[(size_t)3 * COLUMNS + i] <= 0.0625F);
    assert_true(count_different(x + (size_t)2 * COLUMNS) > COLUMNS / 2);
    assert_true(x[0] == 1 && x[COLUMNS - 1] == 0);
}

/* Of several tensors one varies, which the seed names. */
static void one_tensor_varies_alone(void **state)
{
    struct value normal = value_with(FILL_NORMAL, 0, 1), other = normal;
    uint64_t seed = variation_seed_alone(fill_secret_seed(), &normal);
    float x[COUNT_ELEMENTS], largest = 0;
    size_t positive = 0;

    (void)state;
    other.name = "other";
    assert_int_equal(variation_of(seed), VARIATION_ALONE);
    assert_true(variation_changes(seed, &normal) && !variation_changes(seed, &other));
    fill_make(&normal, seed, 0, x);
    for (size_t row = 0; row < ROWS; row++) {
        positive += count_positive(x + row * COLUMNS, COLUMNS) == COLUMNS;
        largest = fmaxf(largest, largest_of(x + row * COLUMNS, COLUMNS));
    }
    assert_true(largest > 65504 && positive >= ROWS / 4);
    other.role = TENSOR_PARAM;
    assert_true(variation_changes(variation_seed_alone(5, &other), &other));
}

/* No drawn mask is empty, and none is full. */
static void whole_tensors_are_at_an_end(void **state)
{
    const struct value index = value_with(FILL_INTEGERS, -1, 9),
                       mask = value_with(FILL_MASK, 0.5, 0);
    float x[COUNT_ELEMENTS];

    (void)state;
    make(VARIATION_LEAST, &index, x);
    assert_true(count_equal(x, COUNT_ELEMENTS, -1) == COUNT_ELEMENTS);
    make(VARIATION_MOST, &index, x);
    assert_true(count_equal(x, COUNT_ELEMENTS, 9) == COUNT_ELEMENTS);
    make(VARIATION_LEAST, &mask, x);
    assert_true(count_equal(x, COUNT_ELEMENTS, 0) == COUNT_ELEMENTS);
    make(VARIATION_MOST, &mask, x);
    assert_true(count_equal(x, COUNT_ELEMENTS, 1) == COUNT_ELEMENTS);
}

/* Numbers of a range that has a meaning stay in it, and tensors of other fills stay as drawn. */
static void what_a_fill_means_stays(void **state)
{
    const struct value share = value_with(FILL_UNIFORM, 0, 1),
                       gain = value_with(FILL_UNIFORM, 1, 2);
    const struct value index = value_with(FILL_INTEGERS, 0, 9),
                       mask = value_with(FILL_MASK, 0.5, 0);

    (void)state;
    for (int v = VARIATION_NONE + 1; v < VARIATION_COUNT; v++) {
        bool is_alike = v == VARIATION_ALIKE || v == VARIATION_ALIKE_AGAIN;
        bool is_of_ends = v == VARIATION_ENDS || v == VARIATION_END_COLUMNS ||
                          v == VARIATION_LEAST || v == VARIATION_MOST || is_alike;
        bool is_for_whole = is_of_ends || v == VARIATION_WINNERS || v == VARIATION_SURE ||
                            v == VARIATION_ROUND || v == VARIATION_TIES || v == VARIATION_EVEN ||
                            v == VARIATION_SORTED;
        float x[COUNT_ELEMENTS];

        assert_int_equal(variation_applies((enum variation)v, &index), is_for_whole);
        assert_int_equal(variation_applies((enum variation)v, &mask), is_of_ends);
        make((enum variation)v, &share, x);
        for (size_t i = 0; i < COUNT_ELEMENTS; i++)
            assert_true(x[i] >= 0 && x[i] <= 1);
        make((enum variation)v, &gain, x);
        for (size_t i = 0; i < COUNT_ELEMENTS; i++)
            assert_true(x[i] >= 1 && x[i] <= 2);
    }
}

static void varied_elements_are_recognised(void **state)
{
    const struct value normal = value_with(FILL_NORMAL, 0, 1);

    (void)state;
    for (int v = VARIATION_NONE + 1; v < VARIATION_COUNT; v++) {
        uint64_t seed = variation_seed((enum variation)v, 12345);
        float x[COUNT_ELEMENTS];

        if ((v >= VARIATION_ALONE && v <= VARIATION_ALONE_WIDE) ||
            !variation_applies((enum variation)v, &normal))
            continue;
        fill_make(&normal, seed, 0, x);
        assert_true(fill_is_made(&normal, seed, 0, x));
        assert_false(fill_is_made(&normal, 12345, 0, x));
        x[77] += 1;
        assert_false(fill_is_made(&normal, seed, 0, x));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_seed_names_its_variation),
        cmocka_unit_test(each_variation_has_its_kind_of_rows),
        cmocka_unit_test(a_row_has_one_outlier),
        cmocka_unit_test(most_elements_are_alike),
        cmocka_unit_test(scalars_are_nothing_and_one),
        cmocka_unit_test(tensors_of_matrices_have_few_outliers),
        cmocka_unit_test(ties_differ_in_their_last_bits_somewhere),
        cmocka_unit_test(rows_and_columns_have_one_peak),
        cmocka_unit_test(deep_lines_have_one_peak),
        cmocka_unit_test(indices_name_winners),
        cmocka_unit_test(sure_winners_stand_out_in_all_rows),
        cmocka_unit_test(params_change_where_sums_need_it),
        cmocka_unit_test(tables_vary_as_inputs_do),
        cmocka_unit_test(vectors_of_params_change),
        cmocka_unit_test(some_rows_are_zero),
        cmocka_unit_test(numbers_of_a_kept_range_come_near_its_ends),
        cmocka_unit_test(one_tensor_varies_alone),
        cmocka_unit_test(whole_tensors_are_at_an_end),
        cmocka_unit_test(what_a_fill_means_stays),
        cmocka_unit_test(varied_elements_are_recognised),
    };

    return cmocka_run_group_tests_name("variation", tests, NULL, NULL);
}
