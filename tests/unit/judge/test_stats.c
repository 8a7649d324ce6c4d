#include "tests/unit/unit.h"

#include <math.h>

#include "core/base/mem.h"
#include "core/judge/stats/stats.h"

/* The median of the samples 1 to `count`, so that interval bounds are ranks. */
static struct estimate median_of_ranks(size_t count)
{
    double *samples = mem_alloc_zeroed(count, sizeof(*samples));
    struct estimate estimate;

    for (size_t i = 0; i < count; i++)
        samples[i] = (double)(count - i);
    estimate = stats_median(samples, count);
    free(samples);
    return estimate;
}

/* The ranks come from sums of binomial coefficients, computed in exact integers. */
static void intervals_have_the_exact_ranks(void **state)
{
    static const struct {
        size_t count;
        double low, high;
    } table[] = {
        {6, 1, 6},    {7, 1, 7},    {8, 1, 8},    {9, 2, 8},    {10, 2, 9},    {11, 2, 10},
        {12, 3, 10},  {15, 4, 12},  {17, 5, 13},  {20, 6, 15},  {25, 8, 18},   {30, 10, 21},
        {40, 14, 27}, {49, 18, 32}, {50, 18, 33}, {51, 19, 33}, {100, 40, 61}, {1000, 469, 532},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        struct estimate e = median_of_ranks(table[i].count);

        assert_true(e.low_us == table[i].low);
        assert_true(e.high_us == table[i].high);
        assert_true(e.median_us == ((double)table[i].count + 1) / 2);
    }
}

static void few_samples_give_the_whole_range(void **state)
{
    (void)state;
    for (size_t count = 1; count < 6; count++) {
        struct estimate e = median_of_ranks(count);

        assert_true(e.low_us == 1);
        assert_true(e.high_us == (double)count);
    }
}

static void many_samples_do_not_underflow(void **state)
{
    struct estimate e = median_of_ranks(20000);
    double half_width = (e.high_us - e.low_us) / 2;

    (void)state;
    assert_true(fabs(half_width - 1.96 * sqrt(20000) / 2) < 2); /* the normal approximation */
}

static void no_samples_are_no_estimate(void **state)
{
    struct estimate e = stats_median(NULL, 0);

    (void)state;
    assert_true(e.median_us == 0);
    assert_true(isinf(stats_relative_width(&e)));
    assert_true(stats_quantile(NULL, 0, 0.5) == 0);
}

static void quantiles_interpolate(void **state)
{
    static const double sorted[] = {10, 20, 30, 40};

    (void)state;
    assert_true(stats_quantile(sorted, 4, 0) == 10);
    assert_true(stats_quantile(sorted, 4, 0.5) == 25);
    assert_true(fabs(stats_quantile(sorted, 4, 0.1) - 13) < 1e-12);
    assert_true(stats_quantile(sorted, 4, 1) == 40);
}

/* Drift that affects both kernels cancels: the ratios are equal although the times differ. */
static void a_speedup_is_of_pairs(void **state)
{
    static const double own[] = {1, 2, 4, 8, 16, 32}, other[] = {3, 6, 12, 24, 48, 96};
    struct estimate speedup = stats_speedup(own, other, 6);

    (void)state;
    assert_true(speedup.median_us == 3 && speedup.low_us == 3 && speedup.high_us == 3);
}

static void the_time_of_a_baseline_is_the_speedup_times_ones_own(void **state)
{
    static const struct estimate own = {20, 19, 21};
    struct comparison c = {.speedup = 3, .speedup_low = 2, .speedup_high = 5};

    (void)state;
    stats_scale_time(&own, &c);
    assert_true(c.time.median_us == 60 && c.time.low_us == 40 && c.time.high_us == 100);
}

/* Lord's factor for two ratios is 6.353, for five 0.507. */
static void few_ratios_have_an_interval_wider_than_their_range(void **state)
{
    double two[] = {2, 2.2}, five[] = {1, 2, 2, 2, 4}, one[] = {3};
    struct estimate of_two = stats_ratio(two, 2), of_five = stats_ratio(five, 5),
                    of_one = stats_ratio(one, 1);

    (void)state;
    assert_true(fabs(of_two.high_us - 2.1 * pow(1.1, 6.353)) < 1e-9);
    assert_true(fabs(of_two.low_us - 2.1 / pow(1.1, 6.353)) < 1e-9);
    assert_true(fabs(of_five.high_us - 2 * pow(4, 0.507)) < 1e-9);
    assert_true(of_one.low_us == 0 && isinf(of_one.high_us));
}

static void relative_width_is_half_the_interval(void **state)
{
    const struct estimate e = {100, 98, 104};

    (void)state;
    assert_true(stats_relative_width(&e) == 0.03);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_have_the_exact_ranks),
        cmocka_unit_test(few_samples_give_the_whole_range),
        cmocka_unit_test(many_samples_do_not_underflow),
        cmocka_unit_test(no_samples_are_no_estimate),
        cmocka_unit_test(quantiles_interpolate),
        cmocka_unit_test(a_speedup_is_of_pairs),
        cmocka_unit_test(the_time_of_a_baseline_is_the_speedup_times_ones_own),
        cmocka_unit_test(few_ratios_have_an_interval_wider_than_their_range),
        cmocka_unit_test(relative_width_is_half_the_interval),
    };

    return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
