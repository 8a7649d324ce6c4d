#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/oracle/fill.h"

/* Known-answer tests of the Random123 library for philox4x32 with 7 rounds. */
static void philox_gives_the_published_words(void **state)
{
    static const struct {
        uint32_t counter[4], key[2], words[4];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x5f6fb709, 0x0d893f64, 0x4f121f81, 0x4f730a48}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x5207ddc2, 0x45165e59, 0x4d8ee751, 0x8c52f662}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0x4dfccaba, 0x190a87f0, 0xc47362ba, 0xb6b5242a}},
    };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        uint32_t words[4];

        fill_philox(known[i].counter, known[i].key, words);
        assert_memory_equal(words, known[i].words, sizeof(words));
    }
}

enum { COUNT = 100000 };

static struct value vector(enum dtype dtype, struct fill fill)
{
    return (struct value){.name = "x", .dtype = dtype, .shape = {1, {COUNT}}, .fill = fill};
}

/* The elements as doubles; the caller frees. */
static double *elements_of(const struct value *value, uint64_t seed, uint32_t stream)
{
    size_t count = (size_t)shape_elements(&value->shape);
    void *stored = mem_alloc_zeroed(count, dtype_bytes(value->dtype));
    double *elements = mem_alloc_zeroed(count, sizeof(*elements));

    fill_make(value, seed, stream, stored);
    dtype_to_double(value->dtype, stored, elements, count);
    free(stored);
    return elements;
}

static double mean_of(const double *x, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum / (double)n;
}

/* Devices must generate the same values, so words and arithmetic are fixed here. */
static void elements_come_from_their_own_word(void **state)
{
    struct value uniform = vector(DTYPE_F32, (struct fill){FILL_UNIFORM, -1, 1});
    struct value integers = vector(DTYPE_I32, (struct fill){FILL_INTEGERS, -3, 6});
    struct value normal = vector(DTYPE_F32, (struct fill){FILL_NORMAL, 3, 0.5});
    double *u = elements_of(&uniform, 0x0123456789abcdef, 5);
    double *n = elements_of(&integers, 0x0123456789abcdef, 5);
    double *z = elements_of(&normal, 0x0123456789abcdef, 5);
    float step = (float)(0.5 / sqrt(8 * 0x1p32 + (0x1p32 - 1) / 6));

    (void)state;
    for (uint32_t i = 0; i < COUNT; i += 997) {
        const uint32_t counter[] = {i / 4, 0, 5, 0}, key[] = {0x89abcdef, 0x01234567};
        uint32_t words[4], word, other;
        int sum;

        fill_philox(counter, key, words);
        word = words[i % 4];
        other = words[(i ^ 1) % 4];
        sum = (__builtin_popcount(word) - 16) * 65536 + (int)(other & 0xffff) - (int)(other >> 16);
        assert_true(u[i] == (double)fmaf((float)(word >> 8), 0x1p-23f, -1.0f));
        assert_true(n[i] == -3 + floor((double)word * 10 / 0x1p32));
        assert_true(z[i] == (double)fmaf((float)sum, step, 3.0f));
    }
    free(u);
    free(n);
    free(z);
}

enum { MANY = 1 << 21 };

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* The largest distance between the empirical distribution of `x` and the normal one; sorts `x`. */
static double distance_to_normal(double *x, size_t n)
{
    double most = 0;

    qsort(x, n, sizeof(*x), compare_doubles);
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(((double)i + 0.5) / (double)n - erfc(-x[i] / sqrt(2)) / 2));
    return most;
}

/* Each limit is the theoretical value with a margin of four standard errors. */
static void normals_are_normal(void **state)
{
    struct value value = {.dtype = DTYPE_F32, .shape = {1, {MANY}}, .fill = {FILL_NORMAL, 0, 1}};
    double *x = elements_of(&value, 1, 0), moments[5] = {0}, neighbours = 0;
    double error = 4 / sqrt(MANY);

    (void)state;
    for (size_t i = 0; i < MANY; i++) {
        for (int power = 1; power < 5; power++)
            moments[power] += pow(x[i], power) / MANY;
        neighbours += x[i] * x[i ^ 1] / MANY;
    }
    assert_true(fabs(moments[1]) < error);
    assert_true(fabs(moments[2] - 1) < error * sqrt(2));
    assert_true(fabs(moments[3]) < error * sqrt(15));
    assert_true(fabs(moments[4] - 2.94) < error * sqrt(96));
    assert_true(fabs(neighbours) < error * sqrt(2));
    assert_true(distance_to_normal(x, MANY) < 0.0015 + error / 2);
    assert_true(x[0] < -4.5 && x[MANY - 1] > 4.5);
    free(x);
}

static void a_mask_has_its_share_of_ones(void **state)
{
    struct value value = vector(DTYPE_BOOL, (struct fill){FILL_MASK, 0.25, 0});
    double *x = elements_of(&value, 1, 0);

    (void)state;
    assert_true(fabs(mean_of(x, COUNT) - 0.25) < 0.01);
    free(x);
    value.fill.a = 1;
    x = elements_of(&value, 1, 0);
    for (size_t i = 0; i < COUNT; i++)
        assert_true(x[i] == 1);
    free(x);
}

static void integers_reach_both_ends(void **state)
{
    struct value value = vector(DTYPE_I64, (struct fill){FILL_INTEGERS, -2, 2});
    double *x = elements_of(&value, 7, 0);
    bool seen[5] = {false};

    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        assert_in_range((size_t)(x[i] + 2), 0, 4);
        seen[(size_t)(x[i] + 2)] = true;
    }
    for (size_t i = 0; i < 5; i++)
        assert_true(seen[i]);
    free(x);
}

static void rows_of_a_permutation_hold_every_place_once(void **state)
{
    enum { ROWS = 20, COLUMNS = 50 };
    struct value value = {
        .dtype = DTYPE_I32, .shape = {2, {ROWS, COLUMNS}}, .fill = {.kind = FILL_PERMUTATION}};
    double *x = elements_of(&value, 3, 1);

    (void)state;
    for (size_t row = 0; row < ROWS; row++) {
        bool seen[COLUMNS] = {false};

        for (size_t i = 0; i < COLUMNS; i++)
            seen[(size_t)x[row * COLUMNS + i]] = true;
        for (size_t i = 0; i < COLUMNS; i++)
            assert_true(seen[i]);
    }
    assert_memory_not_equal(x, x + COLUMNS, COLUMNS * sizeof(*x));
    free(x);
}

/* The rows begin at any place in a block of words, and are longer than one batch of elements. */
static void a_permutation_sorts_by_the_word(void **state)
{
    enum { ROWS = 5, COLUMNS = 1003, STREAM = 2 };
    const uint32_t key[2] = {7, 0};
    struct value value = {
        .dtype = DTYPE_I32, .shape = {2, {ROWS, COLUMNS}}, .fill = {.kind = FILL_PERMUTATION}};
    double *x = elements_of(&value, 7, STREAM);

    (void)state;
    for (size_t row = 0; row < ROWS; row++) {
        uint32_t last = 0;

        for (size_t i = 0; i < COLUMNS; i++) {
            size_t element = row * COLUMNS + (size_t)x[row * COLUMNS + i];
            const uint32_t counter[4] = {(uint32_t)(element / 4), 0, STREAM, 0};
            uint32_t words[4];

            fill_philox(counter, key, words);
            assert_true(words[element % 4] >= last);
            last = words[element % 4];
        }
    }
    free(x);
}

static void seeds_and_streams_differ(void **state)
{
    struct value value = vector(DTYPE_F32, (struct fill){FILL_UNIFORM, 0, 1});
    double *x = elements_of(&value, 1, 0), *again = elements_of(&value, 1, 0);
    double *other_seed = elements_of(&value, UINT64_C(1) << 32 | 1, 0);
    double *other_stream = elements_of(&value, 1, 1);

    (void)state;
    assert_memory_equal(x, again, COUNT * sizeof(*x));
    assert_memory_not_equal(x, other_seed, COUNT * sizeof(*x));
    assert_memory_not_equal(x, other_stream, COUNT * sizeof(*x));
    free(x);
    free(again);
    free(other_seed);
    free(other_stream);
}

/* The changes include places where a thread's part begins inside a block. */
static void a_changed_bit_is_noticed_anywhere(void **state)
{
    static const struct fill fills[] = {
        {FILL_UNIFORM, -1, 1}, {FILL_NORMAL, 0, 1}, {FILL_PERMUTATION, 0, 0}};
    static const size_t places[] = {0, 1, 255, 256, 33333, COUNT - 1};

    (void)state;
    for (size_t f = 0; f < sizeof(fills) / sizeof(*fills); f++) {
        struct value value = vector(DTYPE_I64, fills[f]);
        int64_t *x = mem_alloc_zeroed(COUNT, sizeof(*x));

        value.dtype = fills[f].kind == FILL_PERMUTATION ? DTYPE_I64 : DTYPE_F64;
        fill_make(&value, 7, 3, x);
        assert_true(fill_is_made(&value, 7, 3, x));
        assert_false(fill_is_made(&value, 8, 3, x));
        for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
            x[places[i]] ^= 1;
            assert_false(fill_is_made(&value, 7, 3, x));
            x[places[i]] ^= 1;
        }
        free(x);
    }
}

/* Elements that the model made are used where they are. */
static void elements_of_the_model_are_borrowed(void **state)
{
    float sets[2][COUNT] = {{1}, {2}};
    struct value value = vector(DTYPE_F32, (struct fill){.kind = FILL_MODEL});

    (void)state;
    value.given = (struct given){(const unsigned char *)sets, sizeof(*sets), 2, 0};
    assert_ptr_equal(fill_given(&value, 2), sets[0]);
    assert_ptr_equal(fill_given(&value, 3), sets[1]);
    assert_true(fill_is_made(&value, 3, 0, sets[1]));
    assert_false(fill_is_made(&value, 3, 0, sets[0]));
    value.fill.kind = FILL_UNIFORM;
    assert_null(fill_given(&value, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_gives_the_published_words),
        cmocka_unit_test(elements_come_from_their_own_word),
        cmocka_unit_test(normals_are_normal),
        cmocka_unit_test(a_mask_has_its_share_of_ones),
        cmocka_unit_test(integers_reach_both_ends),
        cmocka_unit_test(rows_of_a_permutation_hold_every_place_once),
        cmocka_unit_test(a_permutation_sorts_by_the_word),
        cmocka_unit_test(seeds_and_streams_differ),
        cmocka_unit_test(a_changed_bit_is_noticed_anywhere),
        cmocka_unit_test(elements_of_the_model_are_borrowed),
    };

    return cmocka_run_group_tests_name("fill", tests, NULL, NULL);
}
