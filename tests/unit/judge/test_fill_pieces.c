#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/oracle/fill.h"
#include "core/judge/oracle/fill_pieces.h"
#include "core/judge/oracle/variation.h"

/* Large tensors of varied data, of which only few rows are made by the host. */

enum { SHORT = 11200, LONG = 1 << 18, SEED = 77, STREAM = 3 };

static struct value value_of(int64_t rows, int64_t n)
{
    return (struct value){.name = "x",
                          .role = TENSOR_INPUT,
                          .dtype = DTYPE_F16,
                          .shape = {.rank = 2, .dims = {rows, n}},
                          .fill = {FILL_NORMAL, 0, 1}};
}

static size_t bytes_of(const struct value *value)
{
    return (size_t)shape_elements(&value->shape) * dtype_bytes(value->dtype);
}

static enum status write(void *data, size_t offset, const void *from, size_t size,
                         struct error *err)
{
    (void)err;
    memcpy((char *)data + offset, from, size);
    return STATUS_OK;
}

static enum status read(void *data, size_t offset, void *to, size_t size, struct error *err)
{
    (void)err;
    memcpy(to, (const char *)data + offset, size);
    return STATUS_OK;
}

static size_t count_varied_rows(const struct value *value, const char *drawn, const char *varied)
{
    size_t row = (size_t)value->shape.dims[1] * dtype_bytes(value->dtype), count = 0;

    for (size_t at = 0; at < bytes_of(value); at += row)
        count += memcmp(drawn + at, varied + at, row) != 0;
    return count;
}

/* Drawn elements with the pieces are what fill_make() makes; a changed bit in a piece is found. */
static void pieces_complete_a_drawn_tensor(void **state)
{
    const struct value value = value_of(3000, SHORT);
    const struct fill_source source = {&value, variation_seed(VARIATION_NEGATIVE, SEED), STREAM};
    const size_t bytes = bytes_of(&value), row = SHORT * sizeof(uint16_t);
    char *made = mem_alloc_zeroed(bytes, 1), *drawn = mem_alloc_zeroed(bytes, 1);
    const struct fill_memory memory = {write, read, drawn};
    bool hold;

    (void)state;
    fill_make(&value, source.seed, STREAM, made);
    fill_make_part(&value, source.seed, STREAM, 0, drawn);
    assert_true(fill_pieces_suit(&source));
    assert_int_not_equal(memcmp(made, drawn, row), 0);
    assert_int_not_equal(memcmp(made + bytes - row, drawn + bytes - row, row), 0);
    assert_in_range(count_varied_rows(&value, drawn, made), 100, 187);
    assert_int_equal(fill_pieces_write(&source, true, &memory, NULL), STATUS_OK);
    assert_memory_equal(made, drawn, bytes);
    assert_int_equal(fill_pieces_take_back(&source, &memory, &hold, NULL), STATUS_OK);
    assert_true(hold);
    assert_int_equal(fill_pieces_take_back(&source, &memory, &hold, NULL), STATUS_OK);
    assert_false(hold);
    assert_int_equal(fill_pieces_write(&source, true, &memory, NULL), STATUS_OK);
    drawn[bytes - 1] ^= 1;
    assert_int_equal(fill_pieces_take_back(&source, &memory, &hold, NULL), STATUS_OK);
    assert_false(hold);
    free(made);
    free(drawn);
}

/* Rows of other lengths: all are varied, some are, or they are too long. */
static void pieces_are_few_and_short(void **state)
{
    const struct value few = value_of(33, LONG), small = value_of(15, LONG),
                       too_long = value_of(5, INT64_C(4) * LONG), short_rows = value_of(LONG, 32);
    uint64_t seed = variation_seed(VARIATION_NEGATIVE, SEED);
    struct variation_pieces pieces = variation_pieces_of(&few, seed);

    (void)state;
    assert_true(variation_pieces_are_few(&pieces));
    assert_int_equal(pieces.count * pieces.rows, 8);
    pieces = variation_pieces_of(&small, seed);
    assert_false(variation_pieces_are_few(&pieces));
    assert_int_equal(pieces.count * pieces.rows, 15);
    assert_int_equal(variation_pieces_of(&short_rows, seed).count, 64);
    assert_int_equal(variation_pieces_of(&too_long, seed).count, 0);
    assert_int_equal(variation_pieces_of(&few, SEED).count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_complete_a_drawn_tensor),
        cmocka_unit_test(pieces_are_few_and_short),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
