#include "tests/unit/unit.h"

#include <math.h>
#include <string.h>

#include "core/judge/executor/poison.h"
#include "core/model/dtype.h"

enum { WORDS = 4096 };

/* The elements of a tensor that was filled with `word`, as doubles; eight bytes of it. */
static size_t read_elements(enum dtype dtype, uint32_t word, double elements[4])
{
    const uint32_t words[] = {word, word};
    size_t count = sizeof(words) / dtype_bytes(dtype);

    dtype_to_double(dtype, words, elements, count);
    return count;
}

/* True if all elements are NaN, or all are finite and between the ends. */
static bool are_all(enum poison_kind kind, const double *elements, size_t count,
                    const double ends[2])
{
    for (size_t i = 0; i < count; i++)
        if (kind == POISON_NAN ? !isnan(elements[i])
                               : !(fabs(elements[i]) >= ends[0] && fabs(elements[i]) < ends[1]))
            return false;
    return true;
}

static void a_word_is_the_same_kind_of_number_in_each_floating_type(void **state)
{
    static const struct {
        enum dtype dtype;
        double ends[POISON_COUNT][2];
    } types[] = {
        {DTYPE_F16, {[POISON_LARGE] = {0x1p15, 65505}, [POISON_USUAL] = {0.8, 2}}},
        {DTYPE_BF16, {[POISON_LARGE] = {0x1p113, INFINITY}, [POISON_USUAL] = {0x1p-11, 1}}},
        {DTYPE_F32, {[POISON_LARGE] = {0x1p113, INFINITY}, [POISON_USUAL] = {0x1p-11, 1}}},
        {DTYPE_F64, {[POISON_LARGE] = {0x1p897, INFINITY}, [POISON_USUAL] = {0, 0x1p-7}}}};

    (void)state;
    for (uint64_t i = 0; i < WORDS; i++)
        for (int kind = POISON_NAN; kind < POISON_COUNT; kind++)
            for (size_t t = 0; t < sizeof(types) / sizeof(*types); t++) {
                uint32_t word = poison_word((enum poison_kind)kind, i * 0x9E3779B97F4A7C15);
                double elements[4];
                size_t count = read_elements(types[t].dtype, word, elements);

                assert_true(are_all((enum poison_kind)kind, elements, count, types[t].ends[kind]));
            }
}

static void no_byte_of_a_word_is_a_bool(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < WORDS; i++)
        for (int kind = POISON_NAN; kind < POISON_COUNT; kind++) {
            uint32_t word = poison_word((enum poison_kind)kind, i * 0x9E3779B97F4A7C15);
            unsigned char bytes[sizeof(word)];

            memcpy(bytes, &word, sizeof(word));
            for (size_t b = 0; b < sizeof(bytes); b++)
                assert_true(bytes[b] > 1);
        }
}

static void words_differ(void **state)
{
    (void)state;
    for (int kind = POISON_NAN; kind < POISON_COUNT; kind++)
        assert_int_not_equal(poison_word((enum poison_kind)kind, 0x00030005),
                             poison_word((enum poison_kind)kind, 0x00040006));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_is_the_same_kind_of_number_in_each_floating_type),
        cmocka_unit_test(no_byte_of_a_word_is_a_bool),
        cmocka_unit_test(words_differ),
    };

    return cmocka_run_group_tests_name("poison", tests, NULL, NULL);
}
