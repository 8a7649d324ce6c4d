#include "tests/unit/unit.h"

#include <math.h>

#include "core/judge/oracle/rounding/row_order.h"

/* The elements that may be at each place, as bits. */
static void note(void *data, size_t place, const double *elements, size_t count)
{
    unsigned *found = data;

    for (size_t i = 0; i < count; i++)
        found[place] |= 1U << (size_t)elements[i];
}

static void nan_is_the_largest_and_equal_elements_keep_their_order(void **state)
{
    const double x[] = {2, (double)NAN, -1, 2, (double)INFINITY};
    const double rising[] = {2, 0, 3, 4, 1}, falling[] = {1, 4, 0, 3, 2};
    double order[5];

    (void)state;
    row_order_find(x, 5, false, order);
    assert_memory_equal(order, rising, sizeof(order));
    row_order_find(x, 5, true, order);
    assert_memory_equal(order, falling, sizeof(order));
}

/* Exact elements between which an uncertain one moves take each other's places. */
static void elements_that_another_may_pass_move_by_one_place(void **state)
{
    const double x[] = {1, 1.01, 1.005, 7, 1.02}, off = 0.1 / ROUNDING_DEVIATIONS;
    const double variance[] = {0, 0, off * off, 0, 0};
    const struct spread_line line = {.values = {.x = x, .n = 5}, .variance = variance};
    const unsigned wanted[] = {1 | 4, 1 | 2 | 4, 2 | 4 | 16, 4 | 16, 8};
    unsigned found[5] = {0};
    double order[5];

    (void)state;
    row_order_find(x, 5, false, order);
    row_order_choices(&line, order, note, found);
    assert_memory_equal(found, wanted, sizeof(found));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nan_is_the_largest_and_equal_elements_keep_their_order),
        cmocka_unit_test(elements_that_another_may_pass_move_by_one_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
