#include "tests/unit/unit.h"

#include <pthread.h>
#include <sanitizer/asan_interface.h>
#include <string.h>

#include "core/system/memory/block_pool.h"

enum { LARGE = 1 << 20, LESS = 3 << 18, SMALL = 100 };

static void a_block_is_used_again(void **state)
{
    struct block_pool *pool = block_pool_new();
    unsigned char *block = block_pool_take(pool, LARGE, 1), *again;

    (void)state;
    memset(block, 1, LARGE);
    block_pool_give(pool, block);
    assert_int_equal(block_pool_idle_bytes(pool), LARGE);
    again = block_pool_take_zeroed(pool, LESS / 8, 8);
    assert_ptr_equal(again, block);
    for (size_t i = 0; i < LESS; i++)
        assert_int_equal(again[i], 0);
    block_pool_give(pool, again);
    block_pool_free(pool);
}

/* A block of another size takes the place of one that nobody uses. */
static void no_more_is_kept_than_was_used(void **state)
{
    struct block_pool *pool = block_pool_new();
    void *two[] = {block_pool_take(pool, LARGE, 1), block_pool_take(pool, LARGE, 1)}, *larger;

    (void)state;
    block_pool_give(pool, two[0]);
    block_pool_give(pool, two[1]);
    assert_int_equal(block_pool_idle_bytes(pool), 2 * LARGE);
    larger = block_pool_take(pool, LARGE + LARGE / 2, 1);
    assert_int_equal(block_pool_idle_bytes(pool), 0);
    block_pool_give(pool, larger);
    larger = block_pool_take(pool, SMALL, 1);
    assert_int_equal(block_pool_idle_bytes(pool), LARGE + LARGE / 2);
    block_pool_give(pool, larger);
    assert_int_equal(block_pool_idle_bytes(pool), LARGE + LARGE / 2);
    block_pool_trim(pool);
    assert_int_equal(block_pool_idle_bytes(pool), 0);
    block_pool_free(pool);
}

static void without_a_pool_there_are_blocks_too(void **state)
{
    unsigned char *block = block_pool_take_zeroed(NULL, LARGE, 1);

    (void)state;
    assert_int_equal(block[LARGE - 1], 0);
    block_pool_give(NULL, block);
    block_pool_give(NULL, NULL);
}

enum { TURNS = 200 };

static void *take_turns(void *pool)
{
    for (size_t i = 0; i < TURNS; i++) {
        size_t bytes = LARGE / 8 + i % 7 * SMALL * SMALL;
        unsigned char *block = block_pool_take(pool, bytes, 1);
        unsigned char mark = (unsigned char)i;

        block[0] = block[bytes - 1] = mark;
        assert_true(block[0] == mark && block[bytes - 1] == mark);
        block_pool_give(pool, block);
    }
    return NULL;
}

static void threads_share_a_pool(void **state)
{
    struct block_pool *pool = block_pool_new();
    pthread_t other;

    (void)state;
    assert_int_equal(pthread_create(&other, NULL, take_turns, pool), 0);
    take_turns(pool);
    pthread_join(other, NULL);
    block_pool_free(pool);
}

/* The sanitizer sees the end of a block that is longer than was asked for, and blocks given back.
 */
static void the_sanitizer_sees_what_may_not_be_used(void **state)
{
#ifdef __SANITIZE_ADDRESS__
    struct block_pool *pool = block_pool_new();
    char *block = block_pool_take(pool, LARGE, 1);

    (void)state;
    block_pool_give(pool, block);
    assert_true(__asan_address_is_poisoned(block));
    assert_ptr_equal(block_pool_take(pool, LARGE - 8, 1), block);
    assert_false(__asan_address_is_poisoned(block));
    assert_false(__asan_address_is_poisoned(block + LARGE - 9));
    assert_true(__asan_address_is_poisoned(block + LARGE - 8));
    block_pool_give(pool, block);
    block_pool_free(pool);
#else
    (void)state;
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_is_used_again),
        cmocka_unit_test(no_more_is_kept_than_was_used),
        cmocka_unit_test(without_a_pool_there_are_blocks_too),
        cmocka_unit_test(threads_share_a_pool),
        cmocka_unit_test(the_sanitizer_sees_what_may_not_be_used),
    };

    return cmocka_run_group_tests_name("block_pool", tests, NULL, NULL);
}
