#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "core/system/file.h"
#include "core/system/memory/disk_memory.h"
#include "tests/unit/disk_fixture.h"

enum { BYTES = 3 << 20, HALF = BYTES / 2 };

/* Set the first half of a block to ones, and write twos to the rest. */
static void write_halves(unsigned char *block)
{
    unsigned char *twos = malloc(HALF);

    assert_non_null(twos);
    memset(twos, 2, HALF);
    memset(block, 1, HALF);
    disk_memory_write(block, HALF, twos, HALF);
    free(twos);
}

static void check_halves(const unsigned char *block)
{
    for (size_t i = 0; i < BYTES; i++)
        if (block[i] != 1 + i / HALF)
            fail_msg("byte %zu is %u", i, block[i]);
}

static void a_block_rests_and_keeps_its_contents(void **state)
{
    unsigned char *block;

    (void)state;
    disk_fixture_need_disk();
    block = disk_memory_take(BYTES, 1);
    assert_int_equal(block[BYTES - 1], 0);
    write_halves(block);
    check_halves(block);
    disk_memory_rest(block);
    assert_false(disk_fixture_is_resident(block + HALF / 2));
    assert_false(disk_fixture_is_resident(block + HALF + HALF / 2));
    check_halves(block);
    assert_true(disk_fixture_is_resident(block + HALF / 2));
    disk_memory_give(block);
}

/* Blocks that take no place on the disk: small ones, awake ones, and all where there is no disk. */
static void other_blocks_are_from_the_allocator(void **state)
{
    unsigned char *small = disk_memory_take(100, 10), *awake = disk_memory_take_awake(BYTES, 1);
    unsigned char *homeless;

    (void)state;
    disk_fixture_hide();
    assert_false(disk_memory_has_room(BYTES));
    homeless = disk_memory_take(BYTES, 1);
    disk_fixture_show();
    assert_int_equal(small[999], 0);
    write_halves(awake);
    write_halves(homeless);
    disk_memory_rest(awake);
    disk_memory_rest(homeless);
    assert_true(disk_fixture_is_resident(awake + HALF));
    assert_true(disk_fixture_is_resident(homeless + HALF));
    check_halves(awake);
    check_halves(homeless);
    disk_memory_give(small);
    disk_memory_give(awake);
    disk_memory_give(homeless);
}

static void no_file_has_a_name(void **state)
{
    char *folder = file_place_folder(FILE_CACHE);
    void *block = disk_memory_take(BYTES, 1);

    (void)state;
    assert_true(file_is_empty_folder(folder));
    disk_memory_give(block);
    disk_memory_rest(NULL);
    disk_memory_give(NULL);
    free(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_rests_and_keeps_its_contents),
        cmocka_unit_test(other_blocks_are_from_the_allocator),
        cmocka_unit_test(no_file_has_a_name),
    };

    return cmocka_run_group_tests_name("disk_memory", tests, disk_fixture_open, disk_fixture_close);
}
