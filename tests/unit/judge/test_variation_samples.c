#include "tests/unit/unit.h"

#include "tests/unit/variation_fixture.h"

/* Data of which samples, or the usual differences, do not tell all. */

enum { MOST_ROWS = 21 };

/* The elements at the end, in the middle and of many rows at quarters; those between zeros. */
static void assert_same_samples(const float *x, const float *again, size_t rows)
{
    size_t count = rows * COLUMNS, parts = rows < 16 ? 2 : 4;

    for (size_t part = 0; part < parts; part++) {
        size_t at = part * count / parts;

        if (at % COLUMNS < COLUMNS / 2)
            assert_true(x[at] == 0 && again[at] == 0);
    }
    assert_true(x[count - 1] == 0 && again[count - 1] == 0);
}

/* A kernel may keep results, and take inputs with the same samples for the same inputs. */
static void samples_do_not_tell_alike_tensors_apart(void **state)
{
    struct value normal = value_with(FILL_NORMAL, 0, 1);
    float x[MOST_ROWS * COLUMNS], again[MOST_ROWS * COLUMNS];

    (void)state;
    for (size_t rows = 8; rows <= MOST_ROWS; rows++) {
        size_t different = 0;

        normal.shape.dims[0] = (int64_t)rows;
        make(VARIATION_ALIKE, &normal, x);
        make(VARIATION_ALIKE_AGAIN, &normal, again);
        for (size_t i = 0; i < rows * COLUMNS; i++)
            different += x[i] != again[i];
        assert_true(different > COLUMNS / 2);
        assert_same_samples(x, again, rows);
    }
}

/* A kernel may leave out small exponentials, although together they count. */
static void some_peaks_leave_small_exponentials(void **state)
{
    struct value normal = value_with(FILL_NORMAL, 0, 1);
    float x[16 * COLUMNS];
    size_t tall = 0, low = 0;

    (void)state;
    normal.shape.dims[0] = 16;
    make(VARIATION_PEAKS, &normal, x);
    for (size_t row = 0; row < 16; row++) {
        float peak = largest_of(x + row * COLUMNS, COLUMNS);

        tall += peak > 104;
        low += peak > 12 && peak < 42;
    }
    assert_true(tall == 12 && low == 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_do_not_tell_alike_tensors_apart),
        cmocka_unit_test(some_peaks_leave_small_exponentials),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
