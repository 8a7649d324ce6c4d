#include "tests/unit/unit.h"

#include <math.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/compare/tolerance16.h"
#include "core/judge/compare/verify.h"

static const struct tolerance strict = {.atol = 1e-4, .rtol = 1e-4, .matched = 1};

static struct value matrix(int64_t rows, int64_t cols)
{
    return (struct value){.name = "y",
                          .role = TENSOR_OUTPUT,
                          .dtype = DTYPE_F32,
                          .shape = {.rank = 2, .dims = {rows, cols}}};
}

static struct trial compare(const struct value *value, const void *got, const double *want,
                            const struct tolerance *tolerance)
{
    struct trial trial = {0};

    verify_output(&(struct output){value, got, {.elements = want, .dtype = DTYPE_F64}}, tolerance,
                  &trial, NULL);
    return trial;
}

static void equal_values_pass(void **state)
{
    const struct value y = matrix(1, 4);
    const float got[] = {1, -2, 0, 4};
    const double want[] = {1, -2, 0, 4};
    struct trial t = compare(&y, got, want, &strict);

    (void)state;
    assert_true(verify_passes(&t, &strict));
    assert_int_equal(t.elements, 4);
    assert_int_equal(t.mismatched, 0);
    assert_int_equal(t.worst_count, 0);
    assert_true(t.max_abs == 0 && t.max_rel == 0 && t.rel_norm == 0);
}

static void differences_are_measured(void **state)
{
    const struct value y = matrix(2, 2);
    const float got[] = {3, 4.5F, 0.25F, 0};
    const double want[] = {3, 4, 0, 0};
    struct trial t = compare(&y, got, want, &strict);

    (void)state;
    assert_int_equal(t.mismatched, 2);
    assert_true(t.max_abs == 0.5);
    assert_true(t.max_rel == 0.125);
    assert_true(fabs(t.rel_norm - sqrt(0.3125) / 5) < 1e-12);
    /* the scale is the root mean square of the expected values, 2.5 */
    assert_true(fabs(t.worst_over_tolerance - 0.25 / (1e-4 * 2.5)) < 1e-6);
    assert_false(verify_passes(&t, &strict));
}

/* All outputs of a softmax over many elements are below an absolute tolerance. */
static void zeros_do_not_pass_for_small_values(void **state)
{
    const struct value y = matrix(1, 4);
    const struct tolerance loose = {.atol = 1e-2, .rtol = 1e-2, .matched = 1};
    const struct tolerance kernelbench = {
        .atol = 1e-2, .rtol = 1e-2, .matched = 1, .kernelbench = true};
    const float got[4] = {0};
    const double want[] = {1e-3, 1e-3, 1e-3, 1e-3};
    struct trial t = compare(&y, got, want, &loose);

    (void)state;
    assert_int_equal(t.mismatched, 4);
    t = compare(&y, got, want, &kernelbench);
    assert_true(verify_passes(&t, &kernelbench));
}

static void only_zeros_are_expected_exactly(void **state)
{
    const struct value y = matrix(1, 2);
    const float zeros[] = {0, -0.0F}, off[] = {0, 1e-30F};
    const double want[] = {0, 0};
    struct trial t = compare(&y, zeros, want, &strict);

    (void)state;
    assert_true(verify_passes(&t, &strict));
    t = compare(&y, off, want, &strict);
    assert_int_equal(t.mismatched, 1);
    assert_true(isinf(t.rel_norm));
}

static void infinite_and_nan_match_in_kind(void **state)
{
    const struct value y = matrix(1, 4);
    const float inf = INFINITY, nan = NAN;
    const double want[] = {(double)INFINITY, (double)-INFINITY, (double)NAN, 1};
    const float right[] = {inf, -inf, nan, 1}, wrong[] = {-inf, 5, inf, nan};
    struct trial t = compare(&y, right, want, &strict);

    (void)state;
    assert_true(verify_passes(&t, &strict));
    t = compare(&y, wrong, want, &strict);
    assert_int_equal(t.nonfinite, 4);
    assert_int_equal(t.mismatched, 4);
    assert_true(isinf(t.worst_over_tolerance));
    assert_true(t.max_abs == 0);
}

static void one_nan_fails_whatever_share_must_match(void **state)
{
    const struct value y = matrix(1, 100);
    const struct tolerance most = {.atol = 1e-4, .rtol = 1e-4, .matched = 0.95};
    float got[100];
    double want[100];
    struct trial t;

    (void)state;
    for (size_t i = 0; i < 100; i++)
        got[i] = (float)(want[i] = 1);
    got[0] = got[1] = got[2] = got[3] = got[4] = 7;
    t = compare(&y, got, want, &most);
    assert_true(verify_passes(&t, &most));
    got[5] = 7;
    t = compare(&y, got, want, &most);
    assert_false(verify_passes(&t, &most));
    got[5] = 1;
    got[4] = NAN;
    t = compare(&y, got, want, &most);
    assert_false(verify_passes(&t, &most));
}

static void sixteen_bits_are_decoded(void **state)
{
    struct value y = matrix(1, 3);
    const uint16_t f16[] = {0x3c00, 0xc000, 0x7c00};  /* 1, -2, infinity */
    const uint16_t bf16[] = {0x3f80, 0xc000, 0x7f80}; /* the same */
    const double want[] = {1, -2, 1e39};              /* 1e39 becomes infinite in both */
    struct trial t;

    (void)state;
    y.dtype = DTYPE_F16;
    t = compare(&y, f16, want, &strict);
    assert_int_equal(t.mismatched, 0);
    y.dtype = DTYPE_BF16;
    t = compare(&y, bf16, want, &strict);
    assert_int_equal(t.mismatched, 0);
}

static void the_worst_come_first_with_their_place(void **state)
{
    const struct value y = {.dtype = DTYPE_F64, .shape = {.rank = 3, .dims = {10, 20, 30}}};
    double *got = mem_alloc_zeroed(6000, sizeof(*got)),
           *want = mem_alloc_zeroed(6000, sizeof(*got));
    struct trial t;

    (void)state;
    for (size_t i = 0; i < 6000; i++)
        got[i] = want[i] = 1;
    for (size_t i = 0; i < 10; i++)
        got[600 * i + 215] = 2 + (double)i;
    got[5999] = (double)NAN;
    t = compare(&y, got, want, &strict);
    assert_int_equal(t.mismatched, 11);
    assert_int_equal(t.worst_count, TRIAL_MAX_WORST);
    assert_true(isnan(t.worst[0].got));
    assert_int_equal(t.worst[0].index[0], 9);
    assert_int_equal(t.worst[0].index[1], 19);
    assert_int_equal(t.worst[0].index[2], 29);
    for (size_t i = 1; i < TRIAL_MAX_WORST; i++) {
        assert_int_equal(t.worst[i].rank, 3);
        assert_int_equal(t.worst[i].index[0], 10 - i);
        assert_int_equal(t.worst[i].index[1], 7);
        assert_int_equal(t.worst[i].index[2], 5);
        assert_true(t.worst[i].got == 12 - (double)i);
        assert_true(t.worst[i].want == 1);
    }
    free(got);
    free(want);
}

/* Change one element of a matrix of ones, and find it in the error map. */
static void expect_in_map(int64_t rows, int64_t cols, int64_t element, size_t cell)
{
    const struct value y = matrix(rows, cols);
    size_t count = (size_t)(rows * cols);
    float *got = mem_alloc_zeroed(count, sizeof(*got));
    double *want = mem_alloc_zeroed(count, sizeof(*want));
    struct error_map map = {0};
    struct trial trial = {0};

    for (size_t i = 0; i < count; i++)
        got[i] = (float)(want[i] = 1);
    got[element] = 3;
    verify_output(&(struct output){&y, got, {.elements = want, .dtype = DTYPE_F64}}, &strict,
                  &trial, &map);
    assert_true(map.rows <= 64 && map.cols <= 128);
    for (size_t i = 0; i < map.rows * map.cols; i++)
        assert_true((map.cells[i] > 1) == (i == cell));
    error_map_release(&map);
    free(got);
    free(want);
}

static void the_map_shows_where(void **state)
{
    (void)state;
    expect_in_map(1, 1, 0, 0);
    expect_in_map(3, 5, 7, 7);
    expect_in_map(64, 128, 8191, 8191);
    expect_in_map(200, 3, 597, 189);
    expect_in_map(2, 1000, 1000, 128);
    expect_in_map(130, 513, 66689, 8191);
    expect_in_map(130, 513, 0, 0);
}

static void cells_are_rounded_up_to_three_digits(void **state)
{
    struct value y = matrix(1, 3);
    const struct tolerance one = {.atol = 1, .matched = 1, .kernelbench = true};
    const double got[] = {0.012345, 1.0001, (double)NAN}, want[] = {0, 0, 0};
    struct error_map map = {0};
    struct trial trial = {0};

    (void)state;
    y.dtype = DTYPE_F64;
    verify_output(&(struct output){&y, got, {.elements = want, .dtype = DTYPE_F64}}, &one, &trial,
                  &map);
    assert_true(fabs(map.cells[0] - 0.0124) < 1e-9);
    assert_true(fabs(map.cells[1] - 1.01) < 1e-9);
    assert_true(isinf(map.cells[2]));
    verify_output(&(struct output){&y, want, {.elements = want, .dtype = DTYPE_F64}}, &one, &trial,
                  &map); /* replaces the map */
    assert_true(map.cells[2] == 0);
    error_map_release(&map);
}

static void expected_values_may_have_another_type(void **state)
{
    enum { ROWS = 40, COLS = 50, COUNT = ROWS * COLS, OFF = 1234 };
    const struct value y = matrix(ROWS, COLS);
    float got[COUNT], want[COUNT];
    struct trial trial = {0};

    (void)state;
    for (size_t i = 0; i < COUNT; i++)
        got[i] = want[i] = (float)i / 3;
    verify_output(&(struct output){&y, got, {.elements = want, .dtype = DTYPE_F32}}, &strict,
                  &trial, NULL);
    assert_true(verify_passes(&trial, &strict) && trial.max_abs == 0 && trial.rel_norm == 0);
    want[OFF] += 100;
    verify_output(&(struct output){&y, got, {.elements = want, .dtype = DTYPE_F32}}, &strict,
                  &trial, NULL);
    assert_int_equal(trial.mismatched, 1);
    assert_int_equal(trial.worst[0].index[0] * COLS + trial.worst[0].index[1], OFF);
    assert_true(trial.worst[0].want == (double)want[OFF]);
}

/*
 * Compare floats with the same expected values as floats and as doubles, which use different code.
 */
static void expect_the_same(const float *got, const float *want, int64_t count)
{
    const struct value y = matrix(1, count);
    double *wide = mem_alloc_zeroed((size_t)count, sizeof(*wide));
    struct trial narrow = {0}, t;

    dtype_to_double(DTYPE_F32, want, wide, (size_t)count);
    t = compare(&y, got, wide, &strict);
    verify_output(&(struct output){&y, got, {.elements = want, .dtype = DTYPE_F32}}, &strict,
                  &narrow, NULL);
    assert_int_equal(narrow.mismatched, t.mismatched);
    assert_int_equal(narrow.nonfinite, t.nonfinite);
    assert_int_equal(narrow.worst_count, t.worst_count);
    assert_memory_equal(narrow.worst, t.worst, sizeof(t.worst));
    assert_true(fabs(narrow.rel_norm - t.rel_norm) <= 1e-6 * t.rel_norm);
    assert_true(fabs(narrow.max_abs - t.max_abs) <= 1e-6 * t.max_abs);
    assert_true(fabs(narrow.max_rel - t.max_rel) <= 1e-6 * t.max_rel);
    assert_true(t.mismatched || narrow.worst_over_tolerance <= 1);
    free(wide);
}

/*
 * The errors are so close to the tolerance that float arithmetic would decide wrongly, for few and
 * for many elements.
 */
static void an_error_just_beyond_tolerance_is_detected(void **state)
{
    enum { COUNT = 5000 };
    float got[COUNT], want[COUNT];

    (void)state;
    for (int hair = -40; hair <= 40; hair++) {
        for (int i = 0; i < COUNT; i++) {
            double limit = 1e-4 * 1 + 1e-4 * 1; /* the scale is 1 */

            want[i] = i % 2 ? 1 : -1;
            got[i] = (float)((double)want[i] + limit + (double)(i % 7 ? 0 : hair) * 0x1p-24);
            got[i] = i % 3 ? want[i] : got[i];
        }
        expect_the_same(got, want, COUNT);
    }
}

static void floats_of_any_kind_are_compared(void **state)
{
    static const float odd[] = {0,      -0.0F, 1e-45F,          1e-39F,     3e38F,
                                -3e38F, 1e20F, (float)INFINITY, (float)NAN, 1};
    enum { KINDS = sizeof(odd) / sizeof(*odd), COUNT = 2000 };
    float got[COUNT], want[COUNT];

    (void)state;
    for (size_t g = 0; g < KINDS; g++) {
        for (size_t w = 0; w < KINDS; w++) {
            for (size_t i = 0; i < COUNT; i++)
                got[i] = want[i] = (float)(i % 100) / 100;
            got[700] = odd[g];
            want[700] = odd[w];
            expect_the_same(got, want, COUNT);
        }
    }
}

static void names_are_kept(void **state)
{
    const struct value y = {.dtype = DTYPE_F32}; /* a scalar */
    const float got = 1;
    const double want = 1;
    char output[] = "y", dims[] = "M=1";
    struct trial trial = {.output = output, .dims = dims, .seed_id = 3, .mismatched = 9};

    (void)state;
    verify_output(&(struct output){&y, &got, {.elements = &want, .dtype = DTYPE_F64}}, &strict,
                  &trial, NULL);
    assert_ptr_equal(trial.output, output);
    assert_ptr_equal(trial.dims, dims);
    assert_int_equal(trial.seed_id, 3);
    assert_int_equal(trial.mismatched, 0);
    assert_true(verify_passes(&trial, &strict));
}

static const struct tolerance derived = {
    .atol = 1e-2, .rtol = 1e-2, .matched = 1, .is_derived = true};

static void integers_are_exact_unless_numbers_allow_more(void **state)
{
    struct value y = matrix(1, 2);
    const int32_t got[] = {1000000, -8};
    const double want[] = {1000001, -8};
    struct trial t;

    (void)state;
    y.dtype = DTYPE_I32;
    t = compare(&y, got, want, &derived);
    assert_int_equal(t.mismatched, 1);
    t = compare(&y, got, want, &strict);
    assert_int_equal(t.mismatched, 0);
}

static void a_bool_is_the_byte_0_or_1(void **state)
{
    struct value y = matrix(1, 4);
    const unsigned char got[] = {1, 0, 0xff, 2};
    const double want[] = {1, 0, 1, 1};
    struct trial t;

    (void)state;
    y.dtype = DTYPE_BOOL;
    t = compare(&y, got, want, &derived);
    assert_int_equal(t.mismatched, 2);
    t = compare(&y, got, want, &strict);
    assert_int_equal(t.mismatched, 2);
}

static void each_element_may_have_its_own_tolerance(void **state)
{
    const struct value y = matrix(1, 4);
    const float got[] = {1.5F, 1000, 0x1p-10F, 2};
    const double want[] = {1, 1002, 0x1p-9, 2};
    const float as_floats[] = {1, 1002, 0x1p-9F, 2};
    const uint16_t allowed[] = {tolerance16_code(1), tolerance16_code(1),
                                tolerance16_code(0x1p-13F), tolerance16_code(0.25F)};
    struct trial t = {0};

    (void)state;
    verify_output(
        &(struct output){&y, got, {.elements = want, .dtype = DTYPE_F64, .allowed = allowed}},
        &derived, &t, NULL);
    assert_int_equal(t.mismatched, 2);
    assert_true(fabs(t.worst_over_tolerance - 8) < 1e-3);
    t = (struct trial){0};
    verify_output(
        &(struct output){&y, got, {.elements = as_floats, .dtype = DTYPE_F32, .allowed = allowed}},
        &derived, &t, NULL);
    assert_int_equal(t.mismatched, 2);
}

static void nothing_compared_does_not_pass(void **state)
{
    const struct trial trial = {0};

    (void)state;
    assert_false(verify_passes(&trial, &strict));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_values_pass),
        cmocka_unit_test(differences_are_measured),
        cmocka_unit_test(zeros_do_not_pass_for_small_values),
        cmocka_unit_test(only_zeros_are_expected_exactly),
        cmocka_unit_test(infinite_and_nan_match_in_kind),
        cmocka_unit_test(one_nan_fails_whatever_share_must_match),
        cmocka_unit_test(sixteen_bits_are_decoded),
        cmocka_unit_test(the_worst_come_first_with_their_place),
        cmocka_unit_test(the_map_shows_where),
        cmocka_unit_test(cells_are_rounded_up_to_three_digits),
        cmocka_unit_test(expected_values_may_have_another_type),
        cmocka_unit_test(an_error_just_beyond_tolerance_is_detected),
        cmocka_unit_test(floats_of_any_kind_are_compared),
        cmocka_unit_test(names_are_kept),
        cmocka_unit_test(integers_are_exact_unless_numbers_allow_more),
        cmocka_unit_test(a_bool_is_the_byte_0_or_1),
        cmocka_unit_test(each_element_may_have_its_own_tolerance),
        cmocka_unit_test(nothing_compared_does_not_pass),
    };

    return cmocka_run_group_tests_name("verify", tests, NULL, NULL);
}
