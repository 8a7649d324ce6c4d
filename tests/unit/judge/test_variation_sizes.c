#include "tests/unit/unit.h"

#include <math.h>

#include "core/judge/oracle/fill.h"
#include "tests/unit/variation_fixture.h"

/* Variations whose numbers have other sizes, or lie far from zero. */

static void moved_rows_have_no_ordinary_number(void **state)
{
    const struct value normal = value_with(FILL_NORMAL, 0, 1);
    float x[COUNT_ELEMENTS];

    (void)state;
    make(VARIATION_MOVED, &normal, x);
    for (size_t i = 0; i < COLUMNS; i++)
        assert_true(x[i] < -104 && x[COLUMNS + i] > 104);
    make(VARIATION_MOVED_COLUMNS, &normal, x);
    for (size_t i = 0; i < COUNT_ELEMENTS; i++)
        assert_true(i % COLUMNS < COLUMNS / 2 ? x[i] < -104 : x[i] > 104);
}

/* All products of a row of queries with one of keys are negative. */
static void queries_and_keys_are_opposite(void **state)
{
    struct value query = value_with(FILL_NORMAL, 0, 1), key = query;
    float q[COUNT_ELEMENTS], k[COUNT_ELEMENTS];

    (void)state;
    query.name = "q";
    key.name = "k";
    make(VARIATION_OPPOSITE_COLUMNS, &query, q);
    make(VARIATION_OPPOSITE_COLUMNS, &key, k);
    for (size_t i = 0; i < COUNT_ELEMENTS; i++)
        assert_true(q[i] * k[i] < -10000);
}

/* Maxima begin at -10000 at times. What lies farther has to fit f16 with room to spare. */
static void some_rows_lie_beyond_usual_first_maxima(void **state)
{
    const struct value normal = value_with(FILL_NORMAL, 0, 1);
    float x[COUNT_ELEMENTS];

    (void)state;
    make(VARIATION_FAR, &normal, x);
    for (size_t i = 0; i < COLUMNS; i++) {
        assert_true(x[i] < -104 && x[i] > -130 && x[COLUMNS + i] > 104 && x[COLUMNS + i] < 130);
        assert_true(x[(size_t)2 * COLUMNS + i] < -10000 && x[(size_t)2 * COLUMNS + i] > -0x1p15F);
        assert_true(x[(size_t)3 * COLUMNS + i] > 10000);
    }
    make(VARIATION_FAR_COLUMNS, &normal, x);
    for (size_t row = 0; row < ROWS; row++) {
        assert_true(x[row * COLUMNS] < -10000 && x[row * COLUMNS + COLUMNS - 1] > 10000);
        assert_true(x[row * COLUMNS + 1] > -130 && x[row * COLUMNS + COLUMNS - 2] < 130);
    }
    make(VARIATION_FARTHEST, &normal, x);
    assert_true(x[0] < -10000 && x[COLUMNS] > 10000 && x[COLUMNS] < 0x1p15F);
    assert_true(x[(size_t)2 * COLUMNS] < -1e7F && x[(size_t)3 * COLUMNS] > 1e7F);
    assert_int_equal(variation_milder(VARIATION_FARTHEST), VARIATION_FAR);
    assert_int_equal(variation_milder(VARIATION_FAR), VARIATION_MOVED);
    assert_int_equal(variation_milder(VARIATION_FAR_COLUMNS), VARIATION_MOVED_COLUMNS);
}

/* Variations are milder for data that exceed f16. */
static void numbers_have_other_sizes(void **state)
{
    struct value normal = value_with(FILL_NORMAL, 0, 1);
    float x[COUNT_ELEMENTS];

    (void)state;
    normal.shape = (struct shape){.rank = 2, .dims = {8, COUNT_ELEMENTS / 8}};
    make(VARIATION_SMALL, &normal, x);
    assert_true(largest_of(x, COUNT_ELEMENTS / 8) < 0.1F && largest_of(x, COUNT_ELEMENTS) > 0.5F);
    assert_true(largest_of(x + COUNT_ELEMENTS / 8, COUNT_ELEMENTS / 8) < 0.006F);
    assert_true(largest_of(x + (size_t)COUNT_ELEMENTS / 8 * 7, COUNT_ELEMENTS / 8) < 6e-6F);
    make(VARIATION_MINUTE, &normal, x);
    assert_true(largest_of(x + (size_t)COUNT_ELEMENTS / 8 * 3, COUNT_ELEMENTS / 8) < 6e-9F);
    assert_true(largest_of(x + (size_t)COUNT_ELEMENTS / 8 * 7, COUNT_ELEMENTS / 8) < 1e-7F);
    assert_int_equal(variation_milder(VARIATION_MINUTE), VARIATION_SMALL);
    make(VARIATION_TINY, &normal, x);
    assert_true(largest_of(x, COUNT_ELEMENTS) < 6e-6F && largest_of(x, COUNT_ELEMENTS) > 1e-6F);
    normal.shape = (struct shape){.rank = 2, .dims = {ROWS, COLUMNS}};
    make(VARIATION_HUGE, &normal, x);
    assert_true(largest_of(x, COLUMNS) < 100);
    assert_true(largest_of(x + COLUMNS, COLUMNS) > 65536);
    make(VARIATION_VAST, &normal, x);
    assert_true(largest_of(x, COLUMNS) < 100);
    assert_in_range(largest_of(x + COLUMNS, COLUMNS), 256, 512 * 6);
    make(VARIATION_TENS, &normal, x);
    for (size_t row = 0; row < ROWS; row++)
        assert_true(fabsf(largest_of(x + row * COLUMNS, COLUMNS) - 10) < 1e-4F);
    assert_int_equal(variation_milder(VARIATION_HUGE), VARIATION_VAST);
    assert_int_equal(variation_milder(VARIATION_VAST), VARIATION_LARGE);
    assert_int_equal(variation_milder(VARIATION_LARGE), VARIATION_WIDE);
    assert_int_equal(variation_milder(VARIATION_WIDE), VARIATION_TENS);
    assert_int_equal(variation_milder(VARIATION_TENS), VARIATION_NONE);
}

/* Kernels may be wrong between two sizes of numbers only. A vector has all sizes. */
static void a_vector_has_numbers_of_all_sizes(void **state)
{
    struct value normal = value_with(FILL_NORMAL, 0, 1);
    float x[COUNT_ELEMENTS];
    size_t middle = 0;

    (void)state;
    normal.shape = (struct shape){.rank = 1, .dims = {COUNT_ELEMENTS}};
    make(VARIATION_HUGE, &normal, x);
    for (size_t i = 0; i < COUNT_ELEMENTS; i++)
        middle += fabsf(x[i]) > 100 && fabsf(x[i]) < 3200;
    assert_true(largest_of(x, COUNT_ELEMENTS) > 65536 && middle > COUNT_ELEMENTS / 8);
}

/* However few numbers it has, a bias exceeds what is lost below and above usual results. */
static void large_params_have_both_signs(void **state)
{
    struct value bias = value_with(FILL_NORMAL, 0, 1);
    float x[COUNT_ELEMENTS];

    (void)state;
    bias.role = TENSOR_PARAM;
    bias.shape.dims[1] = 1;
    for (uint64_t seed = 0; seed < 8; seed++) {
        fill_make(&bias, variation_seed(VARIATION_HUGE, seed), 0, x);
        assert_true(x[0] > 0 && x[ROWS - 1] < 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moved_rows_have_no_ordinary_number),
        cmocka_unit_test(queries_and_keys_are_opposite),
        cmocka_unit_test(some_rows_lie_beyond_usual_first_maxima),
        cmocka_unit_test(numbers_have_other_sizes),
        cmocka_unit_test(a_vector_has_numbers_of_all_sizes),
        cmocka_unit_test(large_params_have_both_signs),
    };

    return cmocka_run_group_tests_name("variation_sizes", tests, NULL, NULL);
}
