#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/judge/stats/stats.h"
#include "core/suite/statistics/geometric.h"
#include "core/suite/statistics/paired.h"
#include "core/suite/statistics/student.h"
#include "core/suite/statistics/success.h"
#include "core/system/file.h"

/*
 * Holds the statistics against SciPy and R: tests/golden/suite/make_statistics.py and
 * make_statistics.R wrote the expected values.
 */

static const char *const files[] = {"statistics.json", "statistics_r.json"};
static struct json *golden[COUNT(files)];

static int read_golden(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(files); i++) {
        char *path = file_join(KFORGE_SOURCE_DIR "/tests/golden/suite", files[i]);
        struct strbuf text = {0};
        struct error err;

        if (file_read(path, 1 << 20, &text, &err) == STATUS_OK)
            golden[i] = json_parse(strbuf_cstr(&text), text.len, &err);
        strbuf_release(&text);
        free(path);
        if (!golden[i])
            return -1;
    }
    return 0;
}

static int free_golden(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(files); i++)
        json_free(golden[i]);
    return 0;
}

/* Check each case of that name in all files, which have `count` altogether. */
static void for_each_case(const char *name, size_t count, void (*check)(const struct json *))
{
    size_t found = 0;

    for (size_t i = 0; i < COUNT(files); i++)
        for (const struct json *c = json_first(json_get(golden[i], name)); c; c = json_next(c)) {
            check(c);
            found++;
        }
    assert_int_equal(found, count);
}

static void assert_near(double found, double expected, double relative)
{
    if (!(fabs(found - expected) <= relative * fmax(fabs(expected), 1e-300)))
        fail_msg("found %.12g, expected %.12g", found, expected);
}

static double *read_numbers(const struct json *array, size_t *count)
{
    double *numbers = mem_alloc_zeroed(json_count(array) + 1, sizeof(*numbers));

    *count = 0;
    for (const struct json *e = json_first(array); e; e = json_next(e))
        numbers[(*count)++] = json_number(e, NAN);
    return numbers;
}

static void check_paired(const struct json *c)
{
    size_t count;
    double *differences = read_numbers(json_get(c, "differences"), &count);
    struct paired_test test = paired_test(differences, count);

    assert_int_equal(test.count + test.zeros, count);
    assert_int_equal(test.is_exact, test.count <= PAIRED_MOST_EXACT);
    assert_near(test.positive, json_get_number(c, "positive", NAN), 1e-12);
    assert_near(test.negative, json_get_number(c, "negative", NAN), 1e-12);
    assert_near(test.effect, json_get_number(c, "effect", NAN), 1e-12);
    assert_near(test.p, json_get_number(c, "p", NAN), 1e-9);
    free(differences);
}

static void test_paired(void **state)
{
    (void)state;
    for_each_case("paired", 33, check_paired);
}

static void test_paired_without_differences(void **state)
{
    const double zeros[] = {0, 0};
    struct paired_test test = paired_test(zeros, 2);

    (void)state;
    assert_int_equal(test.zeros, 2);
    assert_true(test.p == 1 && test.effect == 0);
    assert_true(paired_test(NULL, 0).p == 1);
}

static void check_holm(const struct json *c)
{
    size_t count;
    double *p = read_numbers(json_get(c, "p"), &count);

    paired_correct(p, count);
    for (size_t i = 0; i < count; i++)
        assert_near(p[i], json_number(json_at(json_get(c, "corrected"), i), NAN), 1e-12);
    free(p);
}

static void test_holm(void **state)
{
    (void)state;
    for_each_case("holm", 14, check_holm);
}

/* The draws are those of SciPy or R, but for other random numbers. */
static void check_geometric(const struct json *c)
{
    struct geometric_group groups[64];
    double *ratios[64];
    size_t count = 0;
    struct ratio mean;

    for (const struct json *g = json_first(json_get(c, "groups")); g; g = json_next(g)) {
        ratios[count] = read_numbers(g, &groups[count].count);
        groups[count].ratios = ratios[count];
        count++;
    }
    mean = geometric_mean(groups, count);
    assert_near(mean.value, json_get_number(c, "mean", NAN), 1e-9);
    assert_near(mean.low, json_get_number(c, "low", NAN), 0.015);
    assert_near(mean.high, json_get_number(c, "high", NAN), 0.015);
    while (count > 0)
        free(ratios[--count]);
}

/* One ratio a problem: problems are drawn. */
static void test_geometric_mean(void **state)
{
    (void)state;
    for_each_case("geometric", 7, check_geometric);
}

static void test_geometric_mean_of_problems_and_repeats(void **state)
{
    (void)state;
    for_each_case("nested", 5, check_geometric);
}

/* Repeats that differ widen the interval; a single ratio has none. */
static void test_geometric_mean_of_repeats(void **state)
{
    const double same[] = {2, 2, 2}, other[] = {1, 2, 4}, one[] = {3};
    const struct geometric_group steady[] = {{same, 3}, {same, 3}},
                                 varied[] = {{other, 3}, {same, 3}};
    const struct geometric_group single = {one, 1};
    struct ratio mean = geometric_mean(steady, 2);

    (void)state;
    assert_near(mean.low, 2, 1e-12);
    assert_near(mean.high, 2, 1e-12);
    mean = geometric_mean(varied, 2);
    assert_near(mean.value, 2, 1e-12);
    assert_true(mean.low < 1.7 && mean.high > 2.3);
    mean = geometric_mean(&single, 1);
    assert_true(mean.value > 2.99 && mean.low == 0 && isinf(mean.high));
    assert_true(geometric_mean(NULL, 0).value == 0);
}

static void assert_ratio(struct ratio found, const struct json *expected, const char *value)
{
    assert_near(found.value, json_get_number(expected, value, NAN), 1e-9);
    assert_near(found.low, json_get_number(expected, "low", NAN), 1e-9);
    assert_near(found.high, json_get_number(expected, "high", NAN), 1e-9);
}

static void check_student(const struct json *c)
{
    size_t count;
    double *ratios = read_numbers(json_get(c, "ratios"), &count);

    assert_ratio(student_mean(ratios, count), c, "mean");
    free(ratios);
}

static void test_student(void **state)
{
    const double one = 3;

    (void)state;
    for_each_case("student", 8, check_student);
    assert_true(student_mean(&one, 1).low == 0 && isinf(student_mean(&one, 1).high));
}

static void check_welch(const struct json *c)
{
    size_t first_count, second_count;
    double *first = read_numbers(json_get(c, "first"), &first_count);
    double *second = read_numbers(json_get(c, "second"), &second_count);
    struct student_comparison found = student_compare(first, first_count, second, second_count);

    assert_ratio(found.ratio, c, "ratio");
    assert_near(found.p, json_get_number(c, "p", NAN), 1e-9);
    free(first);
    free(second);
}

static void test_welch(void **state)
{
    const double same[] = {2, 2};

    (void)state;
    for_each_case("welch", 9, check_welch);
    assert_true(student_compare(same, 2, same, 2).p == 1);
    assert_true(student_compare(same, 1, same, 2).ratio.low == 0);
    assert_true(student_compare(same, 0, same, 2).ratio.value == 0);
}

static void check_success(const struct json *c)
{
    size_t count = (size_t)json_get_number(c, "count", 0);
    size_t right = (size_t)json_get_number(c, "right", 0);
    size_t k = (size_t)json_get_number(c, "k", 0);

    assert_near(success_at(count, right, k), json_get_number(c, "chance", NAN), 1e-9);
}

static void test_success(void **state)
{
    (void)state;
    for_each_case("success", 15, check_success);
    assert_true(isnan(success_at(3, 1, 4)));
}

static void check_quantile(const struct json *c)
{
    size_t count;
    double *samples = read_numbers(json_get(c, "samples"), &count);

    assert_near(stats_quantile(samples, count, json_get_number(c, "share", NAN)),
                json_get_number(c, "value", NAN), 1e-12);
    free(samples);
}

/* The medians of attempts, and the ends of bootstrap intervals. */
static void test_quantile(void **state)
{
    (void)state;
    for_each_case("quantile", 7, check_quantile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paired),
        cmocka_unit_test(test_paired_without_differences),
        cmocka_unit_test(test_holm),
        cmocka_unit_test(test_geometric_mean),
        cmocka_unit_test(test_geometric_mean_of_repeats),
        cmocka_unit_test(test_geometric_mean_of_problems_and_repeats),
        cmocka_unit_test(test_student),
        cmocka_unit_test(test_welch),
        cmocka_unit_test(test_success),
        cmocka_unit_test(test_quantile),
    };

    return cmocka_run_group_tests(tests, read_golden, free_golden);
}
